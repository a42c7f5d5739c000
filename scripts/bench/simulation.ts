// Bench: turns per second of simulations over HTTP, as a ratio to a bare hapi route with the same validation; and the time to match the worst-case URL pattern of an HTTP mock
import Hapi from '@hapi/hapi';
import Joi from 'joi';
import { Pool } from 'undici';
import { createPlatform, type JsonObject } from '#core';
import { journeys } from '../../plugins/journeys/plugin.js';
import { urlPattern } from '../../plugins/simulation/mocks/url-pattern.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { requestSchema } from '../../plugins/simulation/schemas.js';
import { answers, menuJourney } from './menu-journey.js';
import { median, printTable } from './table.js';

const ROUNDS = 3;
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 1_000);
/** A client starts a new simulation after this many turns. */
const TURNS = 20;

const server = Hapi.server({ host: '127.0.0.1', port: 0 });
const platform = createPlatform({ plugins: [journeys(), simulation()], rateLimits: false });
await server.register(platform.hapiPlugin);
server.route({
  method: 'POST',
  path: '/bare/{uuid}',
  options: { validate: { params: Joi.object({ uuid: Joi.string().guid() }) as never, payload: requestSchema as never } },
  handler: ({ payload }) => ({ ...(payload as object), message: 'x'.repeat(300) }),
});
await server.start();
const { uuid, token } = await platform.store.transaction(async (tx) => {
  const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+1', name: 'Bench' });
  const definition = menuJourney() as unknown as JsonObject;
  const { journey } = await platform.journeys.put(tx, { number: number.uuid, name: 'Menu', definition, triggers: [] });
  await platform.journeys.publish(tx, journey.uuid, 'production');
  return { uuid: journey.uuid, token: platform.tokens.issue(tx, number.uuid, 'bench').text };
});

const pool = new Pool(`http://127.0.0.1:${server.info.port}`, { connections: 256 });
let started = 0;

/** A client that runs turns until the time is up. @returns the number of turns */
async function client(path: string, end: number): Promise<number> {
  for (let turns = 0, id = '', turnInSimulation = TURNS; ; turns++, turnInSimulation++) {
    if (performance.now() > end) return turns;
    if (turnInSimulation === TURNS) [id, turnInSimulation] = [`bench-${++started}`, 0];
    const body = { simulation_id: id, ...(turnInSimulation > 0 && { input: `Option ${answers[turnInSimulation % answers.length]}` }) };
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`);
  }
}

async function rate(path: string, clients: number): Promise<number> {
  const began = performance.now();
  const turns = await Promise.all(Array.from({ length: clients }, () => client(path, began + ROUND_MS)));
  return (turns.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - began);
}

const rows: string[][] = [];
for (const clients of [1, 16, 256]) {
  const paths = { 'bare route': `/bare/${uuid}`, simulation: `/v1/journeys/${uuid}/simulation` };
  const rates = new Map(Object.keys(paths).map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, path] of Object.entries(paths)) {
      const measured = await rate(path, clients);
      if (round >= 0) rates.get(name)!.push(measured);
    }
  }
  const [bare = 1, ours = 0] = [...rates.values()].map(median);
  rows.push([String(clients), bare.toFixed(0), ours.toFixed(0), (ours / bare).toFixed(2)]);
}
await pool.close();
await server.stop();
console.log('State in memory; sessions are stored after every turn\n');
printTable(['concurrent simulations', 'requests/s, bare route', 'turns/s, simulation', 'ratio'], rows);

const url = `https://a.test/${'a'.repeat(4_081)}`;
console.log('\nA pattern against a URL of 4 KB\n');
printTable(
  ['pattern', 'us', 'steps'],
  [0, 1, 7, 31].map((stars) => {
    const pattern = urlPattern(`https://a.test/${'*a'.repeat(stars)}${stars === 0 ? 'a'.repeat(2_000) : '*b'}`);
    const times = Array.from({ length: 50 }, () => {
      const began = performance.now();
      pattern.match(url);
      return (performance.now() - began) * 1000;
    });
    return [stars === 0 ? 'text without stars' : `${stars} stars and no match`, median(times).toFixed(0), String(pattern.steps() / 50)];
  }),
);

// Bench: turns per second of simulations over HTTP, as a ratio to a bare hapi route with the same validation; and the time to match the worst-case URL pattern of an HTTP mock
import { parseArgs } from 'node:util';
import Hapi from '@hapi/hapi';
import Joi from 'joi';
import { Pool } from 'undici';
import { createPlatform, type JsonObject } from '#core';
import type { Environment } from '../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../plugins/journeys/engine/shared-definition.js';
import { runStep } from '../../plugins/journeys/engine/step.task.js';
import { journeys, journeysService } from '../../plugins/journeys/plugin.js';
import { urlPattern } from '../../plugins/simulation/mocks/url-pattern.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { requestSchema } from '../../plugins/simulation/schemas.js';
import { request } from './api/sides.js';
import { admin } from './measuring/admin.js';
import { alternate, ratioOf } from './measuring/rounds.js';
import { median, printTable } from './measuring/table.js';
import { answers, menuJourney } from './menu-journey.js';

const CLIENTS = [1, 16, 256];
/** A client starts a new simulation after this many turns. */
const TURNS = 20;
const SIDES = { 'bare route': (uuid: string) => `/bare/${uuid}`, simulation: (uuid: string) => `/v1/journeys/${uuid}/simulation` };

export interface SimulationLoad {
  readonly rounds: number;
  readonly roundMs: number;
}

/** Turns per second with each number of concurrent clients. */
export interface Turns {
  readonly clients: number;
  readonly bare: readonly number[];
  readonly simulation: readonly number[];
  /** Of the engine alone, on this thread: a worker does the same for each turn. */
  readonly engine: readonly number[];
}

/** Measures both routes with each number of concurrent clients. Server and clients share one process. */
export async function measureTurns({ rounds, roundMs }: SimulationLoad): Promise<Turns[]> {
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  const platform = createPlatform({ plugins: [journeys(), simulation()], rateLimits: false, admin });
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
    const { journey } = await platform.service(journeysService).put(tx, { number: number.uuid, name: 'Menu', definition, triggers: [] });
    await platform.service(journeysService).publish(tx, journey.uuid, 'production');
    return { uuid: journey.uuid, token: platform.tokens.issue(tx, number.uuid, 'bench').text };
  });
  const pool = new Pool(`http://127.0.0.1:${server.info.port}`, { connections: Math.max(...CLIENTS) });
  let started = 0;

  /** A client that runs turns until the time is up. @returns the number of turns */
  async function client(path: string, end: number): Promise<number> {
    for (let turns = 0, id = '', turnInSimulation = TURNS; ; turns++, turnInSimulation++) {
      if (performance.now() > end) return turns;
      if (turnInSimulation === TURNS) [id, turnInSimulation] = [`bench-${++started}`, 0];
      const body = { simulation_id: id, ...(turnInSimulation > 0 && { input: `Option ${answers[turnInSimulation % answers.length]}` }) };
      await request(pool, { method: 'POST', path, token, body });
    }
  }

  async function rate(path: string, clients: number): Promise<number> {
    const began = performance.now();
    const turns = await Promise.all(Array.from({ length: clients }, () => client(path, began + roundMs)));
    return (turns.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - began);
  }

  const measured: Turns[] = [];
  for (const clients of CLIENTS) {
    const sides = Object.entries(SIDES).map(([name, pathOf]) => ({
      name,
      round: () => rate(pathOf(uuid), clients),
      stop: async () => undefined,
    }));
    const engine = { name: 'engine', round: async () => engineRate(roundMs / 4), stop: async () => undefined };
    const rates = await alternate([...sides, engine], rounds);
    const of = (name: string) => rates.get(name)!;
    measured.push({ clients, bare: of('bare route'), simulation: of('simulation'), engine: of('engine') });
  }
  await pool.close();
  await server.stop();
  return measured;
}

/** Turns per second of the engine, as a worker runs them for the API. */
function engineRate(ms: number): number {
  const environment: Environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
  const definitions = { r: shareDefinition(menuJourney()) };
  const contact = { name: 'Bo' };
  const began = performance.now();
  let turns = 0;
  for (let session: string | null = null; performance.now() < began + ms; turns++) {
    const turn = turns % TURNS;
    if (turn === 0) session = null;
    const text = `Option ${answers[turn % answers.length]}`;
    ({ session } = runStep({
      definitions,
      session,
      signal:
        session === null
          ? { kind: 'start', session: 's', journey: 'j', revision: 'r', contact, globals: {} }
          : { kind: 'input', input: { text, type: 'text', message: { type: 'text', text: { body: text } } } },
      environment,
    }));
  }
  return (turns * 1000) / (performance.now() - began);
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, 'round-ms': { type: 'string', default: '1000' } } });
  const turns = await measureTurns({ rounds: Number(values.rounds), roundMs: Number(values['round-ms']) });
  console.log('State in memory; sessions are stored after every turn\n');
  printTable(
    ['concurrent simulations', 'bare route, us', 'bare + 2 x engine, us', 'simulation, us', 'of the bare route', 'min', 'max'],
    turns.map(({ clients, bare, simulation, engine }) => {
      const ratio = ratioOf(simulation, bare, (rate) => rate);
      const [bareUs, turnUs, engineUs] = [bare, simulation, engine].map((rates) => 1_000_000 / median(rates)) as [number, number, number];
      const cells = [bareUs, bareUs + 2 * engineUs, turnUs].map((us) => us.toFixed(0));
      return [String(clients), ...cells, ...[ratio.median, ratio.min, ratio.max].map((value) => value.toFixed(2))];
    }),
  );
  printPatterns();
}

function printPatterns(): void {
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
}

if (process.argv[1] === import.meta.filename) await run();

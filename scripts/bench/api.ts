// Bench: inbound channel messages, sends and marks per second with a webhook subscribed, as a ratio to bare hapi with the same validation
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import type { Ready } from './api-server.js';
import { phone } from './phones.js';
import { median, printTable } from './table.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    /** Measure only calls whose name contains this. */
    only: { type: 'string', default: '' },
    /** Measure only our platform, and write a CPU profile to this folder. */
    profile: { type: 'string' },
  },
});
const [REQUESTS, ROUNDS, CONNECTIONS] = [values.requests, values.rounds, values.connections].map(Number) as [number, number, number];

/** Every mark needs another unread message. */
const MARKS = REQUESTS * (ROUNDS + 1);

/** A process is idle if it uses less than a tenth of this time. */
const QUIET_MS = 50;

const receiver = fork(join(import.meta.dirname, 'deliveries-receiver.js'));
const [{ port: receiverPort }] = (await once(receiver, 'message')) as [{ port: number }];

interface Side {
  readonly child: ChildProcess;
  readonly ready: Ready;
  readonly pool: Pool;
}

type Mode = 'ours' | 'bare' | 'least' | 'documents';

async function start(mode: Mode, marks: number, webhook = `http://127.0.0.1:${receiverPort}`): Promise<Side> {
  const execArgv = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const child = fork(join(import.meta.dirname, 'api-server.js'), [mode, webhook, String(marks)], { execArgv });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the server '${mode}' did not start`)));
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [Ready];
  return { child, ready, pool: new Pool(`http://127.0.0.1:${ready.port}`, { connections: CONNECTIONS, pipelining: 1 }) };
}

interface Call {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly body: object;
}

const sent = (token: string, n: number): Call => ({
  method: 'POST',
  path: '/v1/messages',
  token,
  body: { to: `+${phone(n)}`, type: 'text', text: { body: 'an answer about opening hours' } },
});

let written = 0;
const calls: Readonly<Record<string, (ready: Ready, n: number) => Call>> = {
  'inbound channel message': ({ channel, tokens }, n) => ({
    method: 'POST',
    path: `/v1/numbers/${channel}/messages`,
    token: tokens.channel,
    body: {
      contact: { id: phone(n), profile: { name: 'Ann' } },
      message: {
        type: 'text',
        from: phone(n),
        id: `in-${++written}`,
        timestamp: '1767600000',
        text: { body: 'a question about opening hours' },
      },
    },
  }),
  send: ({ tokens }, n) => sent(tokens.network, n),
  // The reports of the simulated phones are work of the local network; the case above includes them.
  'send, nothing reported': ({ tokens }, n) => sent(tokens.unreported, n),
  mark: ({ tokens }, n) => ({
    method: 'PUT',
    path: `/v1/messages/inbound-${n}`,
    token: tokens.network,
    body: { status: 'read' },
  }),
};

/** @returns calls per second, and microseconds of the process's CPU per call, including background work */
async function measure(
  { child, ready, pool }: Side,
  call: (ready: Ready, n: number) => Call,
  first: number,
): Promise<{ perSecond: number; cpuUs: number }> {
  const before = await cpuOf(child);
  const began = performance.now();
  let next = first;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < first + REQUESTS) {
        const { method, path, token, body } = call(ready, next++);
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await pool.request({ method, path, headers, body: JSON.stringify(body) });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`${method} ${path} got ${answer.statusCode}: ${text}`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: REQUESTS / seconds, cpuUs: ((await quiet(child)) - before) / REQUESTS };
}

/** Waits until a process is idle, so that it does not slow down the next measurement. @returns its CPU time */
async function quiet(child: ChildProcess): Promise<number> {
  for (let before = await cpuOf(child); ; ) {
    await sleep(QUIET_MS);
    const now = await cpuOf(child);
    if (now - before < (QUIET_MS * 1000) / 10) return now;
    before = now;
  }
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu?');
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

/** The compared servers. Each runs in its own process and gets one kind of call only. */
async function startSides(marks: number): Promise<Readonly<Record<string, Side>>> {
  const ours = await start('ours', marks);
  if (values.profile !== undefined) return { ours };
  return {
    ours,
    'ours without a webhook': await start('ours', marks, ''),
    'minimal durability': await start('least', marks),
    'minimal documents': await start('documents', marks),
    bare: await start('bare', marks),
  };
}

const figures = new Map<string, { perSecond: number[]; cpuUs: number[] }>();
for (const [name, call] of Object.entries(calls).filter(([name]) => name.includes(values.only))) {
  const sides = await startSides(name === 'mark' ? MARKS : 0);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [side, process] of Object.entries(sides)) {
      const { perSecond, cpuUs } = await measure(process, call, round * REQUESTS);
      // The first round warms up.
      if (round === 0) continue;
      const key = `${name}, ${side}`;
      const all = figures.get(key) ?? { perSecond: [], cpuUs: [] };
      all.perSecond.push(perSecond);
      all.cpuUs.push(cpuUs);
      figures.set(key, all);
    }
  }
  for (const { child, pool } of Object.values(sides)) {
    await pool.close();
    child.disconnect();
    await once(child, 'exit');
  }
}
receiver.disconnect();

printTable(
  [`median of ${ROUNDS} x ${REQUESTS}`, 'per second', 'CPU us each', 'ratio'],
  [...figures].map(([key, { perSecond, cpuUs }]) => {
    const bare = figures.get(key.replace(/, [^,]*$/, ', bare'));
    const ratio = !key.endsWith('bare') && bare ? (median(perSecond) / median(bare.perSecond)).toFixed(2) : '';
    return [key, median(perSecond).toFixed(0), median(cpuUs).toFixed(0), ratio];
  }),
);

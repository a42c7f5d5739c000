import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeCommit, definePlugin, messageQueued, messageReceived, on } from '#core';
import type { HttpClient, WorkerPool } from '#core/ports';
import { type Answer, InlinePool, ManualClock, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { UndiciClient } from '../../core/adapters/http/undici-client.js';
import { compaction, JsonStore } from '../../core/adapters/store/index.js';
import { channels } from '../../plugins/channels/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { menuJourney } from '../bench/menu-journey.js';
import { inEachRound, Recorder, type Stage } from './recorder.js';

const JOURNEY = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
const CONTACT = '+27820001001';
const WARM_ROUNDS = 2;
const ROUNDS = 3;
/** After this time, the guard of memory reads the heap again. */
const REST_MS = 25;
const HOUR_MS = 3_600_000;

export type WalkName = 'message' | 'simulation' | 'refusal';

/** The titles of the stages, each with the files to read first. A walk has some of them. */
export const stages = {
  request: ['The request is received and checked', 'core/kernel/http/http.ts', 'core/kernel/http/identify.ts'],
  record: ['A transaction records the message', 'plugins/channels/routes.ts', 'core/messaging/messages.ts'],
  listeners: [
    'Listeners push the job of the journey; the commit is written',
    'plugins/journeys/answering/answer.ts',
    'core/adapters/store/journal.ts',
  ],
  choose: [
    'The queue runs the job, which chooses a journey',
    'plugins/journeys/answering/choose.ts',
    'plugins/journeys/running/run-turn.ts',
  ],
  step: ['The journey takes its step (in a worker)', 'plugins/journeys/engine/step.ts'],
  commit: ['A transaction commits the turn', 'plugins/journeys/answering/commit-turn.ts'],
  deliver: [
    'The reply becomes a delivery, which is signed and sent (in the sender thread)',
    'plugins/channels/driver.ts',
    'core/delivery/delivery-consumer.ts',
  ],
  answer: ['The connector responds', 'core/delivery/retry.ts', 'plugins/channels/answer.ts'],
  report: [
    'The connector reports a status, which a webhook receives: the same files, and',
    'core/messaging/statuses.ts',
    'plugins/webhooks/notify.ts',
  ],
  handler: [
    'The simulation takes a short step on the main thread, stores the session and responds',
    'plugins/simulation/simulations.ts',
    'plugins/journeys/engine/step.ts',
  ],
} as const;

/** Walks through a platform whose caches are warm. Its workers and its sender run on this thread, so that they are recorded too. */
export async function recordWalks(): Promise<Readonly<Record<WalkName, readonly Stage[]>>> {
  const teardowns: (() => unknown)[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-walk-'));
  teardowns.push(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiver();
  teardowns.push(() => receiver.stop());
  const recorder = new Recorder();
  const { call, admin, clock } = await startWalked({ teardown: (run) => teardowns.push(run), comment: console.error }, folder, recorder);

  const owner = (await admin('POST', '/numbers', { kind: 'network', address: '+27110000000', name: 'Head office' })).number.uuid;
  const { text: ownerToken } = await admin('POST', `/numbers/${owner}/tokens`, { name: 'walk' });
  const about = { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'library', name: 'Library' };
  const made = await call('POST', '/v1/numbers', ownerToken, { ...about, endpoint: `${receiver.url}/connector` });
  const channel = made.number.uuid;
  const { text: token } = await admin('POST', `/numbers/${channel}/tokens`, { name: 'connector' });
  const hook = { number: channel, url: `${receiver.url}/webhook`, subscriptions: ['msgapp'] };
  const webhook = (await admin('POST', '/webhooks', hook)).webhook.uuid;
  const triggers = [{ on: 'message' }];
  await admin('PUT', `/journeys/${JOURNEY}`, { number: channel, name: 'Menu', definition: menuJourney(), triggers });
  await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' });

  let written = 0;
  const walks: Readonly<Record<WalkName, () => Promise<void>>> = {
    async message() {
      // The webhook would receive the message while the journey replies. Nothing fires this subscription on a channel.
      await admin('PATCH', `/webhooks/${webhook}`, { subscriptions: ['svc'] });
      await sleep(REST_MS);
      recorder.begin(stages.request[0]);
      const message = { type: 'text', from: CONTACT, id: `in-${++written}`, timestamp: '1767600000', text: { body: 'Option a' } };
      const contact = { id: CONTACT, profile: { name: 'Ann' } };
      await call('POST', `/v1/numbers/${channel}/messages`, token, { contact, message });
      await clock.advance(0);
      recorder.pause();
      await admin('PATCH', `/webhooks/${webhook}`, { subscriptions: ['msgapp'] });
      const report = async (status: string) => {
        const id = receiver.lastId('/connector');
        const reported = { id, status, recipient_id: CONTACT, timestamp: '1767600001' };
        await call('POST', `/v1/numbers/${channel}/statuses`, token, { status: reported });
        await clock.advance(0);
      };
      await report('sent');
      recorder.begin(stages.report[0]);
      await report('delivered');
    },
    async simulation() {
      const simulate = (more: object) =>
        call('POST', `/v1/journeys/${JOURNEY}/simulation`, token, { simulation_id: `sim-000${written}`, ...more });
      written++;
      await simulate({});
      await simulate({ input: 'Option b' });
      await sleep(REST_MS);
      recorder.begin(stages.request[0]);
      await simulate({ input: 'Option a' });
    },
    async refusal() {
      await sleep(REST_MS);
      recorder.begin(stages.request[0]);
      await call('POST', `/v1/numbers/${channel}/messages`, 'not-a-token', {}, 401);
    },
  };

  const record = async (walk: WalkName): Promise<Stage[]> => {
    const rounds: ReturnType<Recorder['end']>[] = [];
    for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
      await walks[walk]();
      rounds.push(recorder.end());
    }
    return inEachRound(rounds.slice(WARM_ROUNDS));
  };
  const recorded = { message: await record('message'), simulation: await record('simulation'), refusal: await record('refusal') };
  for (const run of teardowns.reverse()) await run();
  return recorded;
}

/** A platform with a data folder that calls the receiver over HTTP. Its ports and a plugin tell the recorder where a stage ends. */
async function startWalked(t: Pick<Tap, 'teardown' | 'comment'>, folder: string, recorder: Recorder) {
  const clock = new ManualClock();
  const pool = new InlinePool();
  const client = new UndiciClient({ clock, guard: false });
  const http: HttpClient = {
    async send(request) {
      const outcome = await client.send(request);
      recorder.next(stages.answer[0]);
      return outcome;
    },
    stop: () => client.stop(),
  };
  const workers: WorkerPool = {
    async run(type, input) {
      if (type.name !== 'journey.step') return await pool.run(type, input);
      recorder.next(stages.step[0]);
      const result = await pool.run(type, input);
      recorder.next(stages.commit[0]);
      return result;
    },
    check: (type) => pool.check(type),
    stop: () => pool.stop(),
  };
  const bounds = definePlugin({
    ...{ name: 'bounds', version: '1.0.0' },
    register: () => ({
      on: [
        beforeCommit(messageReceived, () => recorder.next(stages.listeners[0])),
        on(messageReceived, () => recorder.next(stages.choose[0])),
        beforeCommit(messageQueued, () => recorder.next(stages.deliver[0])),
      ],
    }),
  });
  const log = new RecordingLogger();
  const store = new JsonStore({ folder, log, compact: (input) => pool.run(compaction, input), markEveryMs: HOUR_MS });
  const { server, ...test } = await startPlatform(t as Tap, {
    plugins: [bounds(), channels(), webhooks(), journeys(), simulation()],
    ...{ checkResponses: false, checkTenants: false, secretKey: '0'.repeat(64), privateTargets: 'allow' },
    ports: { clock, http, workers, log, store, heap: emptyHeap },
  });
  server.ext('onPreHandler', ({ path }, h) => {
    if (!path.startsWith('/admin/')) recorder.next((path.endsWith('/simulation') ? stages.handler : stages.record)[0]);
    return h.continue;
  });
  const body = ({ status, body }: Answer, expected: number) => {
    if (expected === 200 ? status >= 300 : status !== expected) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    clock,
    admin: async (method: string, path: string, payload: object) => body(await test.admin(method, path, payload), 200),
    call: async (method: string, path: string, token: string, payload: object, expected = 200) =>
      body(await test.call(method, path, { token, payload }), expected),
  };
}

const emptyHeap = { limitBytes: 2 ** 32, read: () => ({ usedBytes: 0, liveBytes: 0, collectedMsAgo: 0, processShare: 0 }) };

/** A connector and a webhook on this machine, which accept every delivery. */
async function startReceiver() {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ messages: [{ id: `out-${paths.length}` }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The id in the last response of a path. */
    lastId: (path: string) => `out-${paths.lastIndexOf(path) + 1}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { ADMIN_KEY, type Tap } from '#core/testing';
import { freshFolder } from '../core/adapters/store/folders.js';
import { onlyLong } from '../forms.js';
import type { MemoryState } from './memory-process.js';

// These inputs would exhaust the memory of a process that stored all of them. HOSTILE_SECONDS=60 attacks for a minute.
const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 6);
/** How much longer an attack lasts that has to fill the heap, as a slow machine fills it more slowly. */
const MAX_TIMES_LONGER = 10;
const CALLERS = 32;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly state: MemoryState;
  readonly call: (method: string, path: string, token: string, body?: object | Buffer, headers?: Record<string, string>) => Promise<Answer>;
  /** Undefined while it runs. */
  readonly ended: () => string | undefined;
  stop(): Promise<unknown>;
}

type Failed = { readonly failed: string };

async function start(t: Tap, dataDir: string, heapMiB: number): Promise<Started | Failed> {
  const script = fileURLToPath(new URL('./memory-process.js', import.meta.url));
  const stateFile = join(dataDir, 'state-of-the-test.json');
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMiB}`, script, dataDir, stateFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let errors = '';
  let end: string | undefined;
  child.stderr!.on('data', (data) => {
    errors = (errors + data).slice(0, 2_000);
  });
  child.once('exit', (code, signal) => {
    end = `${signal ?? code}: ${errors}`;
  });
  const printed = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(([line]) => line as string),
    once(child, 'exit').then(() => JSON.stringify({ failed: `it ended before it was ready, ${end}` })),
  ]);
  const { port, state, failed } = JSON.parse(printed) as { port: number; state: MemoryState; failed?: string };
  if (failed !== undefined) return { failed };
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  t.teardown(() => agent.destroy());
  const call: Started['call'] = (method, path, token, body, headers = {}) =>
    new Promise((resolve) => {
      const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const type = bytes && { 'content-type': 'application/json', 'content-length': bytes.length };
      const options = { port, host: '127.0.0.1', agent, method, path, headers: { authorization: `Bearer ${token}`, ...type, ...headers } };
      const sending = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (data) => {
          if (text.length < 1_000_000) text += data;
        });
        response.on('close', () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text }));
      });
      sending.on('error', (error) => resolve({ status: 0, retryAfter: undefined, text: error.message }));
      sending.end(bytes);
    });
  const stop = async () => {
    child.kill('SIGTERM');
    if (end === undefined) await once(child, 'exit');
  };
  return { child, state, call, ended: () => end, stop };
}

/** Every kind of input that the platform stores, as large as it is accepted. */
function hostile({ child, state, call }: Started): Record<string, () => Promise<Answer>> {
  let count = 0;
  const filler = Array.from({ length: 400 }, () => Math.random().toString(36).slice(2, 12)).join(' ');
  /** A unique text of about this length. */
  const text = (length: number): string => `${++count} ${filler.repeat(Math.ceil(length / filler.length))}`.slice(0, length);
  const someone = (): string => `+2782${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
  // Close to the maximum number of keys of an object.
  const numbers = Object.fromEntries(Array.from({ length: 9_900 }, (_, i) => [`key ${i}`, i]));
  const inbound = (message: object, { from = someone(), name = 'Ann' } = {}) =>
    call('POST', `/v1/numbers/${state.channel}/messages`, state.token, {
      contact: { id: from, profile: { name } },
      message: { from, id: `in-${process.pid}-${++count}`, timestamp: '1767600000', ...message },
    });
  const say = (body: string, about?: { from?: string; name?: string }) => inbound({ type: 'text', text: { body } }, about);
  const simulate = (about: object) => call('POST', `/v1/journeys/${state.journey}/simulation`, state.token, about);
  const admin = (method: string, path: string, body: object) => call(method, `/admin/v1${path}`, ADMIN_KEY, body);
  const screen = (length: number) => ({
    id: 'FIRST',
    title: 'First',
    terminal: true,
    layout: {
      type: 'SingleColumnLayout',
      children: [
        ...Array.from({ length: length / 500 }, () => ({ type: 'TextBody', text: text(500) })),
        { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } },
      ],
    },
  });
  const flow = (length: number) => JSON.stringify({ version: '6.0', screens: [screen(length)] });
  const pdf = () => Buffer.from(`%PDF-1.4 ${++count} ${filler}`);
  return {
    'long texts of one contact': () => say(text(60_000), { from: '+27820001001' }),
    'long texts of many': () => say(text(60_000)),
    'texts of two bytes a character': () => say(`😀é世${text(30_000)}`.repeat(2)),
    'texts that JSON escapes': () => say(`${++count}${'"\\\n'.repeat(20_000)}`),
    'the longest text': () => say(text(1_000_000)),
    'many contacts': () => say(text(100), { name: text(200) }),
    'long references': () => inbound({ type: 'text', text: { body: 'hi' }, context: { id: text(900_000) } }),
    'large forms': () =>
      inbound({
        type: 'interactive',
        interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify({ ...numbers, count }) } },
      }),
    'media with long names': () =>
      inbound({
        type: 'document',
        document: {
          id: text(9_000),
          mime_type: 'a/b',
          link: `https://a.test/${text(9_000)}`,
          sha256: text(9_000),
          filename: text(400_000),
          caption: text(400_000),
        },
      }),
    statuses: () =>
      call('POST', `/v1/numbers/${state.channel}/statuses`, state.token, {
        status: {
          // The first contact's first question.
          id: `out-${child.pid}-+27820001001-1`,
          recipient_id: '+27820001001',
          status: 'failed',
          timestamp: String(1_767_600_000 + ++count),
          errors: Array.from({ length: 10 }, () => ({ title: text(1_000), details: text(1_000) })),
        },
      }),
    'simulations with large parents': () => simulate({ simulation_id: `large-${++count}`, parent: { ...numbers, text: text(500_000) } }),
    'simulations that grow': () => simulate({ simulation_id: `grows-${++count % 12}`, ...(count > 60 && { input: text(60_000) }) }),
    'simulations with large mocks': () =>
      simulate({
        simulation_id: `mocks-${++count}`,
        http_mocks: Array.from({ length: 10 }, () => ({ url: `https://a.test/${count}`, response: { body: text(90_000) } })),
      }),
    'large flows': () =>
      call('POST', '/v1/flows', state.networkToken, { name: `flow ${++count}`, categories: ['OTHER'], flow_json: flow(2_000_000) }),
    'many flows': () =>
      call('POST', '/v1/flows', state.networkToken, { name: `flow ${++count}`, categories: ['OTHER'], flow_json: flow(20_000) }),
    'many media': () => call('POST', '/v1/media', state.networkToken, pdf(), { 'content-type': 'application/pdf' }),
    'contact fields': () =>
      call(
        'PATCH',
        `/v1/contacts/${encodeURIComponent('+27820001001')}/profile`,
        state.token,
        Object.fromEntries(Array.from({ length: 10 }, () => [`field ${++count}`, text(4_000)])),
      ),
    templates: () =>
      admin('PUT', `/numbers/${state.network}/templates`, {
        name: `template_${++count}`,
        language: 'en',
        category: 'MARKETING',
        components: [{ type: 'body', text: text(1_000) }],
      }),
    webhooks: () =>
      admin('POST', '/webhooks', {
        number: state.channel,
        url: `https://owner-${++count}.test/`,
        name: 'More',
        subscriptions: ['msgapp'],
        headers: { 'x-long': text(500) },
      }),
    'definitions of journeys': () =>
      admin('PUT', '/journeys/aaaaaaaa-0000-4000-8000-000000000001', {
        number: state.channel,
        name: 'Large',
        definition: { specification_version: '1.0.0-rc4', flows: [], junk: text(400_000) },
        triggers: [],
      }),
  };
}

/**
 * Sends all of these until the time is up or the process has ended; with `untilRefused` at least until a request was refused.
 * @returns the number of responses by status
 */
async function attack(started: Started, seconds: number, { untilRefused }: { untilRefused: boolean }) {
  const began = performance.now();
  const kinds = Object.entries(hostile(started));
  const answers = new Map<string, Map<number, number>>();
  let refusals = 0;
  const odd: string[] = [];
  const goesOn = (): boolean => {
    const share = (performance.now() - began) / (seconds * 1_000);
    return started.ended() === undefined && (share < 1 || (untilRefused && refusals === 0 && share < MAX_TIMES_LONGER));
  };
  // The first request of each kind must succeed: a request that is refused for another reason would test nothing.
  for (const [kind, send] of kinds) {
    let { status, text } = await send();
    for (let tries = 0; status === 503 && tries < 50; tries++) {
      // Retry once, as garbage of previous calls may have to be collected first.
      await sleep(100);
      ({ status, text } = await send());
    }
    if (status >= 300) odd.push(`the first of ${kind}: ${status} ${text.slice(0, 200)}`);
  }
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let turn = caller; goesOn(); turn += 7) {
        const [kind, send] = kinds[turn % kinds.length]!;
        const { status, retryAfter, text } = await send();
        const known = answers.get(kind) ?? new Map<number, number>();
        answers.set(kind, known.set(status, (known.get(status) ?? 0) + 1));
        if (status === 503) {
          refusals++;
          if (!(Number(retryAfter) > 0)) odd.push(`${kind}: 503 without Retry-After`);
          await sleep(20);
        } else if (status === 0 || status >= 500) odd.push(`${kind}: ${status} ${text.slice(0, 200)}`);
      }
    }),
  );
  return { answers, refusals, odd };
}

const taken = (answers: Map<string, Map<number, number>>): string =>
  [...answers]
    .map(([kind, statuses]) => `${kind}: ${[...statuses].map(([status, times]) => `${times} x ${status}`).join(', ')}`)
    .join('; ');

t.test('no input exhausts the memory of a process, and stored data survives a restart', { skip: onlyLong }, async (t) => {
  for (const [heapMiB, share] of [
    [400, 0.5],
    [160, 0.5],
  ] as const) {
    await t.test(`with a heap of ${heapMiB} MiB`, async (t) => {
      const dataDir = freshFolder(t);
      const started = await start(t, dataDir, heapMiB);
      if ('failed' in started) return void t.fail(started.failed);
      const { answers, refusals, odd } = await attack(started, SECONDS * share, { untilRefused: heapMiB < 200 });
      t.equal(started.ended(), undefined, 'the process runs');
      t.strictSame(odd, []);
      if (heapMiB < 200) t.ok(refusals > 0, `the attack is large enough to be refused: ${taken(answers)}`);
      else t.comment(taken(answers));
      t.match(await started.call('GET', '/health', ''), { status: 200, text: /"status":"ok"/ });
      const listed = await started.call('GET', `/admin/v1/journeys/${started.state.journey}/sessions?limit=5`, ADMIN_KEY);
      t.equal(listed.status, 200, 'reads succeed');
      await started.stop();

      const again = await start(t, dataDir, heapMiB);
      if ('failed' in again) return void t.fail(again.failed);
      await sleep(2_000);
      t.equal(again.ended(), undefined, 'the process runs after a restart');
      t.equal((await again.call('GET', '/health', '')).status, 200);
      await again.stop();
    });
  }
});

t.test(
  'a start without enough heap for its data says how much it needs and what to do, and leaves the data unchanged',
  { skip: onlyLong },
  async (t) => {
    const dataDir = freshFolder(t);
    const started = await start(t, dataDir, 400);
    if ('failed' in started) return void t.fail(started.failed);
    const { 'long texts of many': send } = hostile(started);
    for (let sent = 0; sent < 1_200; ) {
      const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await send!()).status));
      sent += statuses.filter((status) => status === 200).length;
      if (statuses.some((status) => status !== 200)) return void t.fail(`got ${statuses}`);
    }
    await started.stop();

    const tooSmall = await start(t, dataDir, 64);
    t.match(
      (tooSmall as Failed).failed,
      /^the data in .* needs about \d+ MiB of heap, but Node may use 64 MiB\. .*--max-old-space-size=\d+ \(MiB\)/,
    );
    const advised = Number(/--max-old-space-size=(\d+)/.exec((tooSmall as Failed).failed)?.[1]);
    t.ok(advised >= 100 && advised <= 1_000, `${advised} MiB are recommended`);
    const again = await start(t, dataDir, advised);
    t.notOk('failed' in again, 'the recommended size is enough');
    if ('failed' in again) return;
    t.equal((await again.call('GET', '/health', '')).status, 200);
    await again.stop();
  },
);

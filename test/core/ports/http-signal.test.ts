import t from 'tap';
import { definePlugin, type PluginContext } from '#core';
import type { Faults, HttpClient, Ports } from '#core/ports';
import { ManualClock, ScriptedHttp, startPlatform } from '#core/testing';
import { patient } from '../../../core/testing/slowness.js';
import { clientOf, post, until } from './http-under-test.js';
import { receive, respond } from './receiver.js';

const aborted = { kind: 'unreachable', permanent: false, code: 'ABORTED' } as const;

t.test('the undici client', async (t) => {
  await t.test('ends a request while its host name is resolved', async (t) => {
    const caller = new AbortController();
    const sent = clientOf(t, { lookup: () => new Promise(() => {}) }).send({ ...post, url: 'http://slow.test/', signal: caller.signal });
    caller.abort();
    t.match(await sent, aborted);
  });

  await t.test('ends a request that waits for a connection, and sends the next one', async (t) => {
    const receiver = await receive(t, (socket, { path }) => void (path === '/hook' || respond(socket)));
    const client = clientOf(t, { connections: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const busy = client.send({ ...post, url: receiver.url, signal: first.signal });
    await until(() => receiver.received.length === 1);
    const waiting = client.send({ ...post, url: `${receiver.url}/2`, signal: second.signal });
    const last = client.send({ ...post, url: `${receiver.url}/3` });
    second.abort();
    t.match(await waiting, aborted);
    first.abort();
    t.match(await busy, aborted);
    t.match(await last, { kind: 'response', status: 200 });
    t.strictSame(
      receiver.received.map(({ path }) => path),
      ['/hook', '/hook/3'],
    );
  });

  await t.test('closes the connection of a request that ends', async (t) => {
    const receiver = await receive(t, () => {});
    const caller = new AbortController();
    const sent = clientOf(t).send({ ...post, url: receiver.url, signal: caller.signal });
    await until(() => receiver.received.length === 1);
    caller.abort();
    t.match(await sent, aborted);
    await until(() => receiver.open.size === 0);
  });

  await t.test('ends all requests with one signal, without a warning, and leaves no listener behind', async (t) => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    t.teardown(() => process.off('warning', warned));
    const receiver = await receive(t, (socket, { path }) => void (path === '/hook' || respond(socket)));
    const client = clientOf(t);
    const { signal, listeners } = counted();
    for (let i = 0; i < 3; i++) await client.send({ ...post, url: `${receiver.url}/ok`, signal });
    t.equal(listeners(), 0);
    const caller = new AbortController();
    const sent = Array.from({ length: 20 }, () => client.send({ ...post, url: receiver.url, signal: caller.signal }));
    await until(() => receiver.received.length === 23);
    caller.abort();
    for (const outcome of await Promise.all(sent)) t.match(outcome, aborted);
    t.strictSame(warnings, []);
  });
});

/** A signal that counts its listeners. */
function counted(): { readonly signal: AbortSignal; readonly listeners: () => number } {
  const { signal } = new AbortController();
  let count = 0;
  for (const [name, step] of [
    ['addEventListener', 1],
    ['removeEventListener', -1],
  ] as const) {
    const original = signal[name].bind(signal) as (...input: unknown[]) => void;
    Object.assign(signal, {
      [name]: (...input: unknown[]) => {
        count += step;
        original(...input);
      },
    });
  }
  return { signal, listeners: () => count };
}

/** A plugin that polls an endpoint for 30 seconds per request, and that stops only when its request has ended. */
function polling(outcomes: unknown[]) {
  return definePlugin({
    name: 'poller',
    version: '1.0.0',
    register({ http }: PluginContext) {
      const stopping = new AbortController();
      let ended: Promise<void> | undefined;
      const poll = async () => {
        while (!stopping.signal.aborted) {
          outcomes.push(
            await http.send({ ...post, method: 'GET', url: 'https://bot.test/updates', deadlineMs: 30_000, signal: stopping.signal }),
          );
        }
      };
      return {
        start() {
          ended = poll();
        },
        stop() {
          stopping.abort();
          return ended;
        },
      };
    },
  })();
}

t.test('a plugin whose stop aborts its long poll stops immediately', async (t) => {
  /** As a host may have written it before requests had a signal. */
  const older: HttpClient = { send: () => new Promise(() => {}), stop: async () => {} };
  const late: Faults = { fire: (place) => (place === 'http' ? { rule: 'late', effect: { kind: 'timeout' } } : undefined) };
  for (const [name, ports] of Object.entries<Partial<Ports>>({
    'the scripted client': {},
    'a client that ignores the signal': { http: older },
    'a response that a fault holds back': { faults: late },
  })) {
    const outcomes: unknown[] = [];
    const clock = new ManualClock();
    const http = new ScriptedHttp({ clock }).answer('*', name === 'the scripted client' ? 'hang' : { status: 200 });
    const { platform } = await startPlatform(t, { plugins: [polling(outcomes)], ports: { clock, http, ...ports } });
    const startedAt = performance.now();
    await platform.stop();
    t.ok(performance.now() - startedAt < patient(500), `${name}: ${performance.now() - startedAt} ms`);
    t.match(outcomes, [aborted], name);
  }
});

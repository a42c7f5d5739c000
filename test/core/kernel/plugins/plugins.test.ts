import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Hapi from '@hapi/hapi';
import Joi from 'joi';
import t from 'tap';
import type { PluginDefinition } from '#core';
import * as core from '#core';
import { type Contributions, collection, consume, createPlatform, definePlugin, event, type Plugin, queue, route, task } from '#core';
import type { EventType } from '#core/ports';
import { InlinePool, startPlatform, type Tap } from '#core/testing';
import { coreEvents } from '../../../../core/platform/core-events.js';

const plugin = (name: string, { register = () => ({}), ...rest }: Partial<PluginDefinition<object>> = {}): Plugin =>
  definePlugin({ name, version: '1.0.0', register, ...rest })();

const contributing = (name: string, contributions: Contributions, rest: Partial<PluginDefinition<object>> = {}): Plugin =>
  plugin(name, { register: () => contributions, ...rest });

/** A plugin that records when it is registered, started and stopped. */
const noting = (name: string, notes: string[], needs: readonly string[] = [], trouble: Partial<Contributions> = {}): Plugin =>
  plugin(name, {
    needs,
    register() {
      notes.push(`register ${name}`);
      return { start: () => void notes.push(`start ${name}`), stop: () => void notes.push(`stop ${name}`), ...trouble };
    },
  });

const failing = (message: string) => () => {
  throw new Error(message);
};

const folderOf = (t: Tap): string => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-plugins-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A platform without a server, whose tasks run on this thread. */
const platformOf = (plugins: readonly Plugin[], dataDir?: string) =>
  createPlatform({ plugins, ports: { workers: new InlinePool() }, ...(dataDir !== undefined && { dataDir }) });

t.test('plugins are loaded after those that they need, otherwise in the order given', async (t) => {
  const notes: string[] = [];
  const platform = platformOf([noting('a', notes, ['c']), noting('b', notes), noting('c', notes, ['d']), noting('d', notes)]);
  t.strictSame(notes, ['register d', 'register c', 'register a', 'register b']);
  await platform.start();
  await platform.stop();
  t.strictSame(notes.slice(4), ['start d', 'start c', 'start a', 'start b', 'stop b', 'stop a', 'stop c', 'stop d']);
});

t.test('an invalid list of plugins is refused with the plugin and the phase', async (t) => {
  const prompting = definePlugin<{ prompt: string }>({
    name: 'echo',
    version: '1.0.0',
    options: Joi.object({ prompt: Joi.string().required() }),
    register: () => ({}),
  });
  const refusals: readonly (readonly [string, readonly Plugin[], string])[] = [
    [
      'a missing need',
      [plugin('echo', { needs: ['voice'] })],
      "plugin 'echo' failed at load: it needs the plugin 'voice', which is missing from `plugins`; add it",
    ],
    [
      'a loop',
      [plugin('a', { needs: ['b'] }), plugin('b', { needs: ['c'] }), plugin('c', { needs: ['a'] })],
      "plugin 'a' failed at load: plugins need each other in a cycle: a -> b -> c -> a",
    ],
    ['a need of itself', [plugin('a', { needs: ['a'] })], "plugin 'a' failed at load: plugins need each other in a cycle: a -> a"],
    [
      'a name twice',
      [plugin('echo'), plugin('echo')],
      "plugin 'echo' failed at load: a plugin with this name appears twice in `plugins`; remove one",
    ],
    ['a name that is none', [plugin('Echo_1')], "plugin 'Echo_1' failed at load: its name must be lower-case words joined with -"],
    ['the name of the core', [plugin('core')], "plugin 'core' failed at load: the name 'core' is taken"],
    ['no version', [plugin('echo', { version: '' })], "plugin 'echo' failed at load: it has no version"],
    // @ts-expect-error the type requires the option as well
    ['a missing option', [prompting()], `plugin 'echo' failed at options: "prompt" is required`],
    ['a bad option', [prompting({ prompt: 5 as never })], `plugin 'echo' failed at options: "prompt" must be a string`],
    ['an unknown option', [prompting({ prompt: '>', promt: '>' } as never)], `plugin 'echo' failed at options: "promt" is not allowed`],
    [
      'an option where there are none',
      [definePlugin({ name: 'echo', version: '1.0.0', register: () => ({}) })({ prompt: '>' } as never)],
      `plugin 'echo' failed at options: "prompt" is not allowed`,
    ],
    ['a register that fails', [plugin('echo', { register: failing('no') })], "plugin 'echo' failed at register: no"],
    [
      'a register that returns nothing',
      [plugin('echo', { register: () => undefined as never })],
      "plugin 'echo' failed at register: register must return an object of contributions; asynchronous work belongs in start",
    ],
    [
      'a register that takes its time',
      [plugin('echo', { register: (async () => ({})) as never })],
      "plugin 'echo' failed at register: register must return an object of contributions; asynchronous work belongs in start",
    ],
  ];
  for (const [name, plugins, message] of refusals) t.throws(() => platformOf(plugins), { name: 'PluginFailed', message }, name);
});

t.test('a platform that cannot be composed has opened nothing', async (t) => {
  const dataDir = folderOf(t);
  t.throws(() => platformOf([plugin('a'), plugin('b', { register: failing('no') })], dataDir), {
    message: "plugin 'b' failed at register: no",
  });
  t.strictSame(readdirSync(dataDir), []);
});

t.test('a plugin function that was not called is pointed out', async (t) => {
  const uncalled = (() => plugin('echo')) as unknown as Plugin;
  t.throws(() => platformOf([plugin('a'), uncalled]), {
    message: 'plugins[1] is not a plugin; call the function: plugins: [channels()], not [channels]',
  });
  const nightMail = definePlugin({ name: 'night-mail', version: '1.0.0', register: () => ({}) });
  t.throws(() => platformOf([nightMail as unknown as Plugin]), {
    message: 'plugins[0] is not a plugin; call the function: plugins: [nightMail()], not [nightMail]',
  });
  for (const wrong of [undefined, 'channels', {}, [plugin('a')], Promise.resolve(plugin('a'))])
    t.throws(() => platformOf([wrong as never]), { message: /^plugins\[0\] is not a plugin; call the function/ });
});

t.test('options have their defaults when a plugin is registered', async (t) => {
  let given: object = {};
  const echo = definePlugin<{ prompt?: string; times?: number }, 'prompt' | 'times'>({
    name: 'echo',
    version: '1.0.0',
    options: Joi.object({ prompt: Joi.string().default('>'), times: Joi.number().default(1) }),
    register: (_, options) => {
      given = options;
      return {};
    },
  });
  platformOf([echo({ times: 3 })]);
  t.strictSame(given, { prompt: '>', times: 3 });
});

t.test('a sender with the name of another sender, or with retries after its window, is refused', async (t) => {
  const sending = { destination: () => undefined, request: () => Promise.reject(new Error('not reached')) };
  const start = (sender: NonNullable<Contributions['senders']>[number]) => () =>
    platformOf([definePlugin({ name: 'pages', version: '1.0.0', register: () => ({ senders: [sender] }) })()]);
  t.throws(start({ name: 'webhook', ...sending }), /the sender 'webhook' is that of webhooks/);
  t.throws(
    start({ name: 'pager', ...sending, policy: { gapsMs: [1_000, 2_000], windowMs: 2_000 } }),
    /the policy of the sender 'pager' is not possible: the last retry could be due \d+ ms after the first failure/,
  );
});

t.test('two contributions with the same name are refused, naming the second plugin', async (t) => {
  const answering = (path: `/${string}`) => route({ method: 'GET', path, summary: 'Answers.', responses: {}, handler: () => null });
  const jobs = queue('echo.jobs');
  const sending = { destination: () => undefined, request: () => Promise.reject(new Error('not reached')) };
  const twice: readonly (readonly [string, Contributions, Contributions, string])[] = [
    ['a route', { routes: [answering('/v1/a')] }, { routes: [answering('/v1/a')] }, 'route GET /v1/a'],
    ['a route with other parameters', { routes: [answering('/v1/{a}')] }, { routes: [answering('/v1/{b}')] }, 'route GET /v1/{}'],
    ['an admin route', { admin: [answering('/a')] }, { admin: [answering('/a')] }, 'admin route GET /a'],
    [
      'a driver',
      { channels: [{ type: 'voice', deliver: () => undefined }] },
      { channels: [{ type: 'voice', deliver: () => undefined }] },
      "the driver for numbers of type 'voice'",
    ],
    ['a sender', { senders: [{ name: 'pager', ...sending }] }, { senders: [{ name: 'pager', ...sending }] }, "the sender 'pager'"],
    [
      'work on a queue',
      { consumes: [consume(jobs, async () => undefined)] },
      { consumes: [consume(jobs, async () => undefined)] },
      "the consumer of queue 'echo.jobs'",
    ],
    [
      'a view',
      { views: [{ name: 'notes', load: async () => null }] },
      { views: [{ name: 'notes', load: async () => null }] },
      "the conversation view 'notes'",
    ],
    [
      'an explanation',
      { explanations: [{ name: 'notes', explain: async () => [] }] },
      { explanations: [{ name: 'notes', explain: async () => [] }] },
      "the explanation 'notes'",
    ],
  ];
  for (const [name, first, second, what] of twice) {
    const message = `plugin 'b' failed at register: ${what} is already contributed by 'a'`;
    t.throws(() => platformOf([contributing('a', first), contributing('b', second)]), { name: 'PluginFailed', plugin: 'b', message }, name);
  }
  const clashing = { routes: [answering('/v1/media/{medium}/content')] };
  t.throws(() => platformOf([contributing('a', clashing)]), { message: /already contributed by 'core'/ }, 'what the core has');
});

t.test('an event of the core or of another plugin cannot be declared again', (t) => {
  const said = event('note.said', 'A note was said.');
  const emitting = (name: string, type: EventType<unknown>) => plugin(name, { emits: [type as never] });
  t.throws(() => platformOf([emitting('a', said), emitting('b', event('note.said', 'Another.'))]), {
    name: 'PluginFailed',
    message: "plugin 'b' failed at register: the event 'note.said' is already contributed by 'a'",
  });
  t.ok(platformOf([emitting('a', said), emitting('b', said)]), 'the same event is no other one');
  const own = Object.values(core as Record<string, unknown>).filter(
    (one): one is EventType<unknown> => typeof one === 'object' && one !== null && 'name' in one && 'description' in one,
  );
  t.ok(own.length > 15);
  for (const { name } of own) {
    const message = `plugin 'a' failed at register: the event '${name}' is already contributed by 'core'`;
    t.throws(() => platformOf([emitting('a', event(name, 'Mine.'))]), { message });
  }
  t.end();
});

t.test('no plugin may declare an event of the core', (t) => {
  const sources = readdirSync('core', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const declared = sources.flatMap((file) =>
    [...readFileSync(join('core', file), 'utf8').matchAll(/= event(?:<.*?>)?\(\s*'([\w.]+)'/gs)].map(([, name]) => name),
  );
  t.ok(declared.length >= 18);
  t.strictSame(declared.sort(), coreEvents.map(({ name }) => name).sort());
  t.end();
});

t.test('two plugins cannot declare the same collection', async (t) => {
  const notes = collection<{ uuid: string }>({ key: 'uuid' });
  t.throws(() => platformOf([plugin('a', { collections: { notes } }), plugin('b', { collections: { notes } })]), {
    name: 'PluginFailed',
    plugin: 'b',
    phase: 'register',
  });
});

t.test('a route that hapi refuses fails with the name of its plugin', async (t) => {
  const routes = [route({ method: 'GET', path: '/v1/taken', summary: 'Taken.', responses: {}, handler: () => null })];
  const server = Hapi.server();
  server.route({ method: 'GET', path: '/v1/taken', handler: () => 'the host' });
  await t.rejects(server.register(platformOf([contributing('echo', { routes })]).hapiPlugin), {
    name: 'PluginFailed',
    plugin: 'echo',
    message: "plugin 'echo' failed at register: New route /v1/taken conflicts with existing /v1/taken",
  });
});

t.test('a failed start stops everything, and a second attempt on the same folder works', async (t) => {
  const dataDir = folderOf(t);
  const notes: string[] = [];
  const workers = new InlinePool();
  const platform = createPlatform({
    dataDir,
    ports: { workers },
    plugins: [noting('a', notes), noting('b', notes, [], { start: failing('the line is dead') }), noting('c', notes)],
  });
  await t.rejects(platform.start(), { name: 'PluginFailed', message: "plugin 'b' failed at start: the line is dead" });
  t.strictSame(notes.slice(3), ['start a', 'stop b', 'stop a'], 'what was started is stopped, the one that failed included');
  await t.rejects(
    platform.store.transaction((tx) => platform.numbers.create(tx, { kind: 'network', type: 'network', address: '1', name: 'n' })),
    { name: 'StoreUnavailable' },
    'the store is closed',
  );
  await t.rejects(workers.check(task('any', new URL('file:///any.js'))), { message: /pool stopped/ }, 'the workers are stopped');
  await t.rejects(platform.start(), { message: 'a platform starts only once, and this one is failed: create a new one' });

  const second = platformOf([plugin('a')], dataDir);
  await second.start();
  await second.stop();
});

t.test('a server does not start if its platform cannot', async (t) => {
  const server = Hapi.server();
  await server.register(platformOf([contributing('echo', { start: failing('the line is dead') })]).hapiPlugin);
  await t.rejects(server.start(), { message: "plugin 'echo' failed at start: the line is dead" });
  t.notOk(server.info.started);
  await server.stop();
});

t.test('a data folder that another process has locked fails the start before any plugin starts', async (t) => {
  const dataDir = folderOf(t);
  const first = platformOf([], dataDir);
  await first.start();
  const notes: string[] = [];
  const second = platformOf([noting('a', notes)], dataDir);
  await t.rejects(second.start(), { name: 'FolderInUse' });
  t.strictSame(notes, ['register a']);
  await first.stop();
});

t.test('a task whose module does not exist fails the start with the name of the plugin', async (t) => {
  const missing = task('echo.say', new URL('./no-such.task.js', import.meta.url));
  const platform = platformOf([plugin('echo', { tasks: [missing as never] })]);
  await t.rejects(platform.start(), {
    name: 'PluginFailed',
    plugin: 'echo',
    phase: 'start',
    message: /^plugin 'echo' failed at start: task 'echo\.say' cannot be loaded/,
  });
});

t.test('stop runs every plugin in reverse, and reports those that failed', async (t) => {
  const notes: string[] = [];
  const stop = (name: string) => () => {
    notes.push(`stop ${name}`);
    throw new Error(`${name} hangs on`);
  };
  const platform = platformOf([
    noting('a', notes, [], { stop: stop('a') }),
    noting('b', notes),
    noting('c', notes, [], { stop: stop('c') }),
  ]);
  await platform.start();
  const error = (await platform.stop().catch((error: unknown) => error)) as AggregateError;
  t.strictSame(notes.slice(6), ['stop c', 'stop b', 'stop a']);
  t.equal(error.message, "plugin 'c' failed at stop: c hangs on; plugin 'a' failed at stop: a hangs on");
  t.match(error.errors, [
    { plugin: 'c', phase: 'stop' },
    { plugin: 'a', phase: 'stop' },
  ]);
});

t.test('a stop that fails after a failed start is reported after the cause', async (t) => {
  const platform = platformOf([
    contributing('a', { stop: failing('a hangs on') }),
    contributing('b', { start: failing('the line is dead') }),
  ]);
  const error = (await platform.start().catch((error: unknown) => error)) as AggregateError;
  t.equal(error.message, "plugin 'b' failed at start: the line is dead");
  t.strictSame(
    error.errors.map(({ message }) => message),
    [error.message, "plugin 'a' failed at stop: a hangs on"],
  );
});

t.test('a platform starts once, and stop may be called repeatedly', async (t) => {
  const notes: string[] = [];
  const platform = platformOf([noting('a', notes)]);
  await platform.stop();
  await platform.start();
  await t.rejects(platform.start(), { message: 'a platform starts only once, and this one is started: create a new one' });
  await Promise.all([platform.stop(), platform.stop()]);
  await platform.stop();
  t.strictSame(notes, ['register a', 'start a', 'stop a']);
  await t.rejects(platform.start(), { message: 'a platform starts only once, and this one is stopped: create a new one' });
});

t.test('a stop during a start waits for the start', async (t) => {
  const notes: string[] = [];
  const slow = contributing('slow', { start: () => new Promise((resolve) => setTimeout(resolve, 10)) });
  const platform = platformOf([slow, noting('b', notes)]);
  await Promise.all([platform.start(), platform.stop()]);
  t.strictSame(notes, ['register b', 'start b', 'stop b']);
});

t.test('queues run only after every plugin has started', async (t) => {
  const jobs = queue<string>('echo.jobs');
  const notes: string[] = [];
  const { platform, clock } = await startPlatform(t, {
    plugins: [
      plugin('echo', {
        register: ({ store }) => ({
          consumes: [consume(jobs, async ({ payload }) => void notes.push(payload))],
          start: () => store.transaction((tx) => tx.push(jobs, 'job')),
        }),
      }),
      contributing('late', { start: () => void notes.push('late started') }),
    ],
  });
  await clock.advance(0);
  t.strictSame(notes, ['late started', 'job']);
  await platform.stop();
});

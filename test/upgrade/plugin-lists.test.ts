import { cpSync } from 'node:fs';
import t from 'tap';
import { createPlatform, definePlugin, type Plugin } from '#core';
import { ADMIN_KEY, RecordingLogger, startPlatform } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { journeys, journeysService } from '../../plugins/journeys/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { everyPlugin } from '../../scripts/docs/everything.js';
import { freshFolder } from '../core/adapters/store/folders.js';

/** Only one plugin could authenticate admin calls. */
const isNoConsole = ({ manifest: { name } }: Plugin): boolean => name !== 'console';

/** In 0.1.0 none of these plugins needed another one. */
t.test('every list of plugins that started in 0.1.0 still starts: each plugin alone, each pair, and all but one', async (t) => {
  const all = await everyPlugin();
  const lists = [
    ...all.flatMap((one, i) => [[one], ...all.slice(i + 1).map((other) => [one, other])]),
    ...all.map((left) => all.filter((plugin) => plugin !== left)),
  ];
  t.equal(lists.length, (all.length * (all.length + 1)) / 2 + all.length);
  for (const plugins of lists) {
    const names = plugins.map(({ manifest: { name } }) => name).join(', ');
    t.doesNotThrow(() => createPlatform({ plugins, admin: { key: ADMIN_KEY }, ports: { log: new RecordingLogger() } }), names);
  }
});

/** Every option of 0.1.0, and a plugin that authenticates as it did then. */
const OPTIONS = {
  name: 'desk',
  secretKey: '01'.repeat(32),
  dialect: { service: 'svc', network: 'msgapp' },
  journeys: { timeZone: 'Africa/Johannesburg' },
  admin: { key: ADMIN_KEY },
  publicUrl: 'https://posthorn.example/',
  trustedHosts: ['posthorn.example'],
  rateLimits: { general: 600 },
  deliveries: { retryAlso: ['http_429' as const], slots: 8, maxWaiting: 1_000, pauseAfterFailures: 20 },
  safeHeapBytes: 64 * 1024 * 1024,
  mediaKeptDays: 30,
  privateTargets: ['10.0.0.0/8'],
  outbound: { httpsOnly: true, ports: [443] },
  shutdown: { noticeMs: 0, deadlineMs: 1_000 },
  logLevel: 'warn' as const,
};

t.test('the options of 0.1.0 start unchanged, and its admin key and its plugins authenticate as before', async (t) => {
  const doorman = definePlugin({
    name: 'doorman',
    version: '1.0.0',
    register: () => ({ adminAuth: ({ headers }) => (headers.cookie === 'door=open' ? true : undefined) }),
  });
  const { call, log } = await startPlatform(t, { ...OPTIONS, plugins: [...(await everyPlugin()).filter(isNoConsole), doorman()] });
  const me = async (headers: Record<string, string>) => call('GET', '/admin/v1/me', { headers: { host: 'posthorn.example', ...headers } });
  t.match(await me({ authorization: `Bearer ${ADMIN_KEY}` }), { status: 200, body: { operator: { id: 'key', roles: ['owner'] } } });
  t.match(await me({ cookie: 'door=open' }), { status: 200, body: { operator: { id: 'plugin', roles: ['owner'] } } });
  t.match(await me({}), { status: 401 });
  t.match(
    log.lines.filter(({ level }) => level === 'warn'),
    [{ message: /adminAuth, which is deprecated/, fields: { plugin: 'doorman' } }],
  );
});

t.test('simulation without journeys gets them with their defaults, and one line of the log says so', async (t) => {
  const log = new RecordingLogger();
  const { platform } = await startPlatform(t, { plugins: [simulation()], ports: { log } });
  t.strictSame(
    log.lines.filter(({ message }) => message.includes('needs was added')).map(({ fields }) => [fields?.plugin, fields?.needed_by]),
    [['journeys', 'simulation']],
  );
  t.strictSame(await platform.service(journeysService).ofNumber('none'), []);
  t.equal((platform as unknown as { journeys: unknown }).journeys, platform.service(journeysService), 'JavaScript of 0.1.0 still finds it');
});

t.test('a platform without journeys keeps the journeys of its data folder', async (t) => {
  const folder = freshFolder(t);
  cpSync('test/data/0.1.0/data', folder, { recursive: true });
  const journeysIn = async (): Promise<number> => {
    const { platform, server } = await startPlatform(t, { plugins: [channels(), journeys()], dataDir: folder });
    const found = (
      await Promise.all((await platform.numbers.list()).map(({ uuid }) => platform.service(journeysService).ofNumber(uuid)))
    ).flat();
    await server.stop();
    return found.length;
  };
  const before = await journeysIn();
  t.ok(before > 0);
  const { platform, server } = await startPlatform(t, { plugins: [channels()], dataDir: folder });
  t.throws(() => platform.service(journeysService), /no plugin of this platform offers the service 'journeys': add 'journeys'/);
  await server.stop();
  t.equal(await journeysIn(), before);
});

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPlatform, repairData } from '#core';
import type { Tap } from '#core/testing';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { admin } from './admin-call.js';

async function start(t: Tap, options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  t.teardown(() => sandbox.stop());
  return sandbox;
}

function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sandbox-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

/** A copy of a folder that a stopped sandbox left: a start takes half a second of CPU. */
function usedFolder(t: Tap): string {
  const folder = newFolder(t);
  cpSync(prepared, folder, { recursive: true });
  return folder;
}

const library = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }],
  channels: [{ from_addr: 'web:library', name: 'Library', endpoint: 'http://127.0.0.1:9/' }],
} as const;

const prepared = newFolder(t);
await (await startSandbox({ data: prepared, seed: library })).stop();
const [one, two] = await Promise.all([start(t, { seed: library }), start(t, { seed: 'empty' })]);

t.test('unknown and malformed URLs get errors in the usual shape', async (t) => {
  const { api } = two;
  const answer = async (path: string) => {
    const response = await fetch(`${api}${path}`);
    return { status: response.status, body: await response.json() };
  };
  const error = (code: number, details: string) => ({ errors: [{ code, details }] });
  t.match(await answer('/v2'), { status: 404, body: error(1006, 'There is no GET "/v2"') });
  t.match(await answer('/v1/flows/%ff'), { status: 400, body: { meta: { http_code: 400 } } });
  t.match(await answer('/v1/%'), { status: 400, body: error(1009, 'The request URL is malformed') });
});

t.test('startSandbox in code starts only what a test needs', async (t) => {
  const sandbox = one;
  t.match(sandbox, {
    api: /^http:\/\/127\.0\.0\.1:\d+$/,
    numbers: [{ address: '+27600000001' }, { address: 'web:library' }],
    phone: undefined,
    clock: { isPaused: false },
    isResumed: false,
  });
  t.equal((await admin(sandbox, '/numbers')).body.numbers.length, 2);
  t.equal((await fetch(`${sandbox.api}/v1/nothing`)).status, 404);
});

t.test('the same seed key gives the same ids, tokens and secrets, and another key gives others', async (t) => {
  const ofKey = async (seedKey: string) => {
    const { admin, numbers, channels, webhooks, journeys, clock, stop } = await startSandbox({ seed: library, seedKey, clock: 'manual' });
    const now = clock.now();
    await stop();
    return { key: admin.key, numbers, channels, webhooks, journeys, now };
  };
  const [first, second, other] = await Promise.all([ofKey('k'), ofKey('k'), ofKey('l')]);
  t.strictSame(first, second);
  t.not(first.key, other.key);
  t.strictSame(first.now, other.now, 'a manual clock starts at the same time with every key');
  t.not(first.numbers[0]?.token, other.numbers[0]?.token);
  t.not(first.channels[0]?.webhook.hmac_secret, other.channels[0]?.webhook.hmac_secret);
});

t.test('a folder is resumed with the same key, tokens and secrets, and the seed is ignored', async (t) => {
  const data = newFolder(t);
  const first = await startSandbox({ data, seed: library });
  await admin(first, '/numbers', { kind: 'sandbox', address: '+27600000002', name: 'Made later' });
  await first.stop();
  t.equal(statSync(join(data, 'sandbox.json')).mode & 0o077, 0, 'only the owner can read the tokens');

  const second = await start(t, { data, seed: 'demo', seedKey: 'k' });
  t.equal(second.isResumed, true);
  t.strictSame(
    [second.admin.key, second.numbers, second.channels, second.phone],
    [first.admin.key, first.numbers, first.channels, undefined],
  );
  const addresses = (await admin(second, '/numbers')).body.numbers.map(({ address }: { address: string }) => address);
  t.strictSame(addresses.sort(), ['+27600000001', '+27600000002', 'web:library']);
});

t.test('without a seed it starts the demo, which listens elsewhere in every run, and the records are updated', async (t) => {
  const data = newFolder(t);
  const first = await startSandbox({ data });
  t.match(first, { numbers: [{ kind: 'network' }, { kind: 'channel' }], journeys: [{ name: 'Riverside Library' }] });
  t.equal(first.phone, `${first.channels[0]?.endpoint}/phone`);
  const written = await fetch(first.phone!, { method: 'POST', body: JSON.stringify({ from: '+27611111111', text: 'hi' }) });
  t.match(await written.json(), { id: /./ });
  await first.stop();
  for (const url of [first.phone!, first.webhooks[0]!.url, first.api])
    await t.rejects(fetch(url), `no server listens at ${url} any longer`);
  const second = await startSandbox({ data });
  const urls = async (sandbox: Sandbox): Promise<string[]> => {
    const { webhooks } = (await admin(sandbox, `/webhooks?number=${sandbox.channels[0]!.uuid}`)).body;
    return webhooks.map(({ url }: { url: string }) => url).sort();
  };
  t.not(second.channels[0]!.endpoint, first.channels[0]!.endpoint);
  t.strictSame(await urls(second), [second.channels[0]!.endpoint, second.webhooks[0]!.url].sort());

  const mine = 'http://127.0.0.1:9/mine';
  await second.platform.store.transaction((tx) => second.platform.webhooks.update(tx, second.channels[0]!.webhook.uuid, { url: mine }));
  await second.stop();
  const third = await start(t, { data });
  t.equal(third.channels[0]!.endpoint, mine, 'an address changed by the user stays');
  t.strictSame(await urls(third), [mine, third.webhooks[0]!.url].sort());
});

t.test('an interrupted start without a committed seed leaves no state: the next start begins with the seed', async (t) => {
  const data = newFolder(t);
  const first = await startSandbox({ data, seed: 'empty' });
  await first.stop();
  const notes = JSON.parse(readFileSync(join(data, 'sandbox.json'), 'utf8'));
  writeFileSync(
    join(data, 'sandbox.json'),
    JSON.stringify({
      ...notes,
      isDemo: true,
      isKept: false,
      seeded: { numbers: [{ uuid: 'never made' }], channels: [], webhooks: [], journeys: [] },
    }),
  );
  const second = await start(t, { data });
  t.equal(second.numbers.length, 3);
  t.equal((await admin(second, '/numbers')).body.numbers.length, 3);
  t.equal(second.isResumed, false);
});

t.test('a state that lacks a number of the notes is refused, and the notes with its tokens stay unchanged', async (t) => {
  const losses: ((data: string) => Promise<void>)[] = [
    async (data) => {
      rmSync(join(data, 'core.numbers.json'));
      await repairData(data);
    },
    async (data) => {
      // The folder after a kill, with a journal that became empty.
      for (const name of readdirSync(data)) if (name.startsWith('core.') || name.startsWith('journal-')) rmSync(join(data, name));
      await repairData(data);
    },
  ];
  for (const lose of losses) {
    const data = usedFolder(t);
    const notes = readFileSync(join(data, 'sandbox.json'), 'utf8');
    await lose(data);
    await t.rejects(startSandbox({ data, seed: library }), {
      message: /has lost data: sandbox\.json names \+27600000001 \(.*\) and web:library .*choose another folder.*posthorn data check /,
    });
    t.equal(readFileSync(join(data, 'sandbox.json'), 'utf8'), notes);
  }
});

t.test('the start reports lost and revoked tokens', async (t) => {
  const data = usedFolder(t);
  rmSync(join(data, 'core.tokens.json'));
  await repairData(data);
  const second = await start(t, { data });
  t.equal(second.isResumed, true);
  t.strictSame(
    second.withoutToken,
    second.numbers.map(({ uuid }) => uuid),
  );
});

t.test('a folder with the state of another application is left unchanged', async (t) => {
  const data = usedFolder(t);
  rmSync(join(data, 'sandbox.json'));
  await t.rejects(startSandbox({ data, seed: 'empty' }), {
    message: /sandbox\.json is missing; it contains .* Restore it from a backup/,
  });
  t.notOk(existsSync(join(data, 'sandbox.json')));

  const other = newFolder(t);
  const platform = createPlatform({ plugins: [], dataDir: other });
  await platform.start();
  const about = { kind: 'network', type: 'network', address: '+1', name: 'A' } as const;
  await platform.store.transaction((tx) => platform.numbers.create(tx, about));
  await platform.stop();
  await t.rejects(startSandbox({ data: other, seed: 'empty' }), { message: /contains a state that was not created by a sandbox/ });
});

t.test('a resumed folder of an earlier version is marked, so that missing notes are detected later', async (t) => {
  const data = usedFolder(t);
  rmSync(join(data, 'sandbox.made.json'));
  await repairData(data);
  t.notOk(existsSync(join(data, 'sandbox.made.json')));
  const again = await startSandbox({ data });
  t.equal(again.isResumed, true);
  await again.stop();
  rmSync(join(data, 'sandbox.json'));
  await t.rejects(startSandbox({ data }), { message: /sandbox\.json is missing; it contains / });
});

t.test('unreadable notes are an error that names the file', async (t) => {
  const data = usedFolder(t);
  writeFileSync(join(data, 'sandbox.json'), '{"adminKey":');
  await t.rejects(startSandbox({ data }), { message: /sandbox\.json cannot be read: / });
});

t.test('a failed start leaves no processes running, and releases the folder', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  const data = newFolder(t);
  await t.rejects(startSandbox({ data, port, seed: library }), { code: 'EADDRINUSE' });
  const sandbox = await start(t, { data, seed: library });
  t.equal(sandbox.numbers.length, 2);
});

t.test('two sandboxes in one process are independent', async (t) => {
  t.equal((await admin(one, '/numbers')).body.numbers.length, 2);
  t.equal((await admin(two, '/numbers')).body.numbers.length, 0);
  t.equal((await fetch(`${two.admin.url}/numbers`, { headers: { authorization: `Bearer ${one.admin.key}` } })).status, 401);
});

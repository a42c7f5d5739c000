import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPlatform } from '#core';
import { MemoryStore, RecordingLogger, type Tap } from '#core/testing';
import { keyIdOf } from '../../core/adapters/secrets/sealed-secrets.js';
import { data } from '../../sandbox/commands/data.js';
import { exit } from '../../sandbox/terminal/terminal.js';
import { freshFolder } from '../core/adapters/store/folders.js';
import { CONTACT, startChannel } from '../plugins/channels/channel-under-test.js';
import { exitCodeOf } from './exit-code.js';

const KEY = `${'c0ffee'.repeat(10)}0123`;
const NEXT = `${'deca'.repeat(15)}4567`;
const idOf = (key: string): string => keyIdOf(Buffer.from(key, 'hex'));
const TEXT = 'my results of the laboratory';
const MEDIUM = Buffer.from('the scan of a patient '.repeat(2_000));
const SECRET = 'a secret of the account';

interface Keys {
  readonly current?: string;
  readonly previous?: string;
}

/** Runs `posthorn data` with keys in the environment. */
async function run(t: Tap, keys: Keys, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const names = { current: 'POSTHORN_SECRET_KEY', previous: 'POSTHORN_PREVIOUS_SECRET_KEYS' } as const;
  for (const name of ['current', 'previous'] as const) {
    if (keys[name] === undefined) delete process.env[names[name]];
    else process.env[names[name]] = keys[name];
  }
  t.teardown(() => {
    for (const name of Object.values(names)) delete process.env[name];
  });
  const terminal = {
    out: (line: string) => void out.push(`${line}\n`),
    file: (content: string | Buffer) => void out.push(content.toString()),
    err: (line: string) => void err.push(`${line}\n`),
    isColoured: false,
    cwd: tmpdir(),
  };
  return { code: await exitCodeOf(data.run(argv, terminal), err), out: out.join(''), err: err.join('') };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());

/** The files that contain one of the texts that must not be on the disk, in a usual form. */
function plainIn(folder: string): string[] {
  const texts = [TEXT, MEDIUM.toString().slice(0, 40), CONTACT, CONTACT.slice(1), SECRET, KEY, NEXT].flatMap((text) => [
    Buffer.from(text),
    Buffer.from(Buffer.from(text).toString('base64').slice(0, -4)),
    Buffer.from(text, 'utf16le'),
  ]);
  return filesIn(folder).filter((name) => texts.some((text) => readFileSync(join(folder, name)).includes(text)));
}

type Started = Awaited<ReturnType<typeof startChannel>>;

/** A platform that has received a message and a medium, and has stored a secret. */
async function filled(t: Tap, dataDir: string, options: object): Promise<{ channel: Started; medium: string }> {
  const channel = await startChannel(t, { dataDir, mediaKeptDays: 10_000, ...options });
  await channel.say(TEXT);
  const { id } = await channel.platform.media.put(channel.uuid, MEDIUM, { mimeType: 'image/png' });
  await channel.admin('POST', '/webhooks', { url: 'https://receiver.test/hook', subscriptions: ['msgapp'], secret: SECRET });
  return { channel, medium: id };
}

/** Starts a platform with the folder, and compares what it has with what was stored. */
async function assertFilled(t: Tap, dataDir: string, options: object): Promise<void> {
  const platform = createPlatform({ plugins: [], dataDir, mediaKeptDays: 10_000, ports: { log: new RecordingLogger() }, ...options });
  await platform.start();
  const { collections, secrets, media } = await platform.readState();
  await platform.stop();
  t.match(JSON.stringify(collections['core.messages']), TEXT);
  t.ok(Object.values(secrets).length > 0, 'its secrets can be decrypted');
  t.ok(Object.values(media).some((bytes) => MEDIUM.equals(bytes)));
}

t.test(
  'an encrypted data folder has no message, address, medium, secret or key in any file, while it is used and afterwards',
  async (t) => {
    const folder = join(freshFolder(t), 'data');
    const { channel } = await filled(t, folder, { secretKey: KEY, encryptData: true });
    t.ok(filesIn(folder).some((name) => name.startsWith('journal-')) && filesIn(folder).some((name) => name.startsWith('media/')));
    t.strictSame(plainIn(folder), []);
    await channel.server.stop();
    t.ok(filesIn(folder).includes('core.messages.json'));
    t.strictSame(plainIn(folder), []);
    t.notMatch(JSON.stringify(channel.log.lines), new RegExp(KEY));
    await assertFilled(t, folder, { secretKey: KEY, encryptData: true });

    const plain = join(freshFolder(t), 'data');
    await (await filled(t, plain, { secretKey: KEY })).channel.server.stop();
    t.ok(plainIn(plain).length > 2, 'the search finds what is not encrypted');
  },
);

t.test('the option needs a folder and a key, and is for no other store', async (t) => {
  const folder = freshFolder(t);
  const refused = (options: object, message: RegExp) =>
    t.throws(() => createPlatform({ plugins: [], encryptData: true, ...options }), { name: 'TypeError', message });
  refused({ secretKey: KEY }, /needs the option dataDir/);
  refused({ dataDir: folder }, /needs the option secretKey/);
  const store = new MemoryStore({ log: new RecordingLogger() });
  refused({ dataDir: folder, secretKey: KEY, ports: { store } }, /let the database encrypt its disk/);
  t.strictSame(readdirSync(folder), []);
});

t.test('the key is rotated, also that of the secrets, and then the previous one is not needed', async (t) => {
  const folder = join(freshFolder(t), 'data');
  await (await filled(t, folder, { secretKey: KEY, encryptData: true })).channel.server.stop();
  const start = (options: object) =>
    createPlatform({ plugins: [], dataDir: folder, ports: { log: new RecordingLogger() }, ...options }).start();
  await t.rejects(start({ secretKey: KEY }), { name: 'KeyMissing', message: /Set encryptData: true/ });
  await t.rejects(start({ secretKey: NEXT, encryptData: true }), { name: 'KeyMissing', message: /add it to previousSecretKeys/ });
  t.match((await run(t, { current: KEY }, 'check', folder)).out, new RegExp(`encrypted: \\d+ files with key ${idOf(KEY)}\\n`));
  await assertFilled(t, folder, { secretKey: NEXT, previousSecretKeys: [KEY], encryptData: true });
  t.match((await run(t, { current: NEXT }, 'check', folder)).out, new RegExp(`encrypted: \\d+ files with key ${idOf(NEXT)}\\nAll`));
  await assertFilled(t, folder, { secretKey: NEXT, encryptData: true });
  t.strictSame(plainIn(folder), []);
  await assertFilled(t, folder, { secretKey: NEXT, encryptData: false });
  t.ok(plainIn(folder).length > 2);
  await assertFilled(t, folder, { secretKey: NEXT });
});

t.test('data show prints a file of an encrypted folder as JSON, and the other commands work with the key', async (t) => {
  const root = freshFolder(t);
  const [folder, backups, restored] = ['data', 'backups', 'restored'].map((name) => join(root, name)) as [string, string, string];
  const { channel } = await filled(t, folder, { secretKey: KEY, encryptData: true });
  const keys = { current: NEXT, previous: `${'0'.repeat(64)}, ${KEY}` };

  const journal = join(folder, readdirSync(folder).find((name) => name.startsWith('journal-'))!);
  const shown = await run(t, keys, 'show', journal);
  t.equal(shown.code, exit.ok);
  const commits = shown.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(JSON.stringify(commits), TEXT);
  const backup = await run(t, keys, 'backup', folder, backups, '--json');
  t.match(backup, { code: exit.ok });
  t.match(await run(t, {}, 'backup', folder, backups), { code: exit.failed, err: /encrypted with the key .*POSTHORN_SECRET_KEY/ });
  await channel.server.stop();
  t.match(await run(t, keys, 'backup', folder, backups), { code: exit.ok });
  t.strictSame(plainIn(backups), []);
  t.match(await run(t, keys, 'restore', JSON.parse(backup.out).backup, restored), { code: exit.ok });
  t.strictSame(plainIn(restored), []);
  await assertFilled(t, restored, { secretKey: KEY, encryptData: true });

  const snapshot = join(folder, 'core.messages.json');
  t.match(JSON.parse((await run(t, keys, 'show', snapshot)).out), { collection: 'core.messages' });
  t.match(await run(t, {}, 'show', join(folder, 'format.json')), { code: exit.ok, out: /^\{"format":6,"encryption":/ });
  t.match(await run(t, { current: NEXT }, 'show', snapshot), { code: exit.failed, err: new RegExp(`encrypted with the key ${idOf(KEY)}`) });
  t.match(await run(t, keys, 'show', join(folder, 'none.json')), { code: exit.failed, err: /none\.json does not exist/ });
  await t.rejects(run(t, keys, 'show'), { name: 'UsageError', message: /takes a file/ });
  await t.rejects(run(t, { current: 'abc' }, 'check', folder), { name: 'UsageError', message: /64 hexadecimal digits/ });

  const bytes = readFileSync(snapshot);
  bytes[bytes.length - 30]! ^= 1;
  writeFileSync(snapshot, bytes);
  t.match(await run(t, keys, 'show', snapshot), { code: exit.failed, err: /the encrypted data at byte \d+ was changed/ });
  t.match(await run(t, {}, 'check', folder), { code: exit.failed, err: /encrypted with the key/ });
  t.match(await run(t, keys, 'check', folder), { code: exit.failed, out: /core\.messages\.json/ });
  t.match(await run(t, keys, 'repair', folder), { code: exit.ok, out: /Repaired/ });
  t.match(await run(t, keys, 'check', folder), { code: exit.ok, out: /All records are intact/ });
  t.strictSame(plainIn(folder), []);
});

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { createPlatform } from '#core';
import { RecordingLogger, type Tap } from '#core/testing';
import { data } from '../../sandbox/commands/data.js';
import { startSandbox } from '../../sandbox/compose.js';
import { exit } from '../../sandbox/terminal/terminal.js';
import { exitCodeOf } from './exit-code.js';

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (line: string) => void out.push(`${line}\n`),
    err: (line: string) => void err.push(`${line}\n`),
    isColoured: false,
    cwd: tmpdir(),
  };
  return { code: await exitCodeOf(data.run(argv, terminal), err), out: out.join(''), err: err.join('') };
}

/** A folder with the state of a platform that has one number. */
async function folderWithNumber(t: Tap): Promise<{ folder: string; platform: ReturnType<typeof createPlatform> }> {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-data-command-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'data');
  const platform = createPlatform({ plugins: [], dataDir: folder, ports: { log: new RecordingLogger() } });
  await platform.start();
  await platform.store.transaction((tx) =>
    platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+27600000001', name: 'A' }),
  );
  return { folder, platform };
}

t.test('data check and data repair report their findings, and the result in their exit codes', async (t) => {
  const { folder, platform } = await folderWithNumber(t);
  t.match(await run('check', folder), { code: exit.inUse, err: /is in use by this process/ });
  t.match(await run('repair', folder), { code: exit.inUse, err: /is in use by this process/ });
  await platform.stop();

  t.match(await run('check', folder), { code: exit.ok, out: /format 6, \d+ collections.*\nAll records are intact\.\n$/ });
  t.match(await run('repair', folder), { code: exit.ok, out: /there is nothing to repair/ });

  const file = join(folder, 'core.numbers.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('+27600000001', '+27600000009'));
  const before = readdirSync(folder).sort();
  const found = await run('check', folder);
  t.match(found, {
    code: exit.failed,
    out: /core\.numbers\.json, line 5: the checksum does not match the document\n.*posthorn data repair /,
  });
  t.match(JSON.parse((await run('check', folder, '--json')).out), {
    is_whole: false,
    problems: [{ file: 'core.numbers.json', line: 5, damage: /checksum/ }],
  });
  t.strictSame(readdirSync(folder).sort(), before, 'check changes nothing');

  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  t.match(JSON.parse((await run('repair', copy, '--json')).out), {
    repaired: true,
    set_aside: { file: join(copy, 'set-aside-1.jsonl'), pieces: 1 },
  });
  t.match(await run('repair', folder), {
    code: exit.ok,
    out: /Repaired\. Unreadable data was moved to .*set-aside-1\.jsonl: 1 piece\.\n$/,
  });
  t.match(readFileSync(join(folder, 'set-aside-1.jsonl'), 'utf8'), /"line":5.*\+27600000009/);
  t.match(await run('check', folder), { code: exit.ok });
  const again = createPlatform({ plugins: [], dataDir: folder, ports: { log: new RecordingLogger() } });
  await again.start();
  t.strictSame(await again.numbers.list(), []);
  await again.stop();
});

t.test('data check distinguishes a truncated journal from a write that a crash interrupted', async (t) => {
  const { folder, platform } = await folderWithNumber(t);
  const journal = 'journal-000000000001.jsonl';
  const { size } = statSync(join(folder, journal));
  while (JSON.parse(readFileSync(join(folder, 'contents.json'), 'utf8')).synced.bytes < size) await sleep(20);
  const copyWith = (name: string, change: (bytes: Buffer) => Uint8Array): string => {
    const copy = `${folder}-${name}`;
    cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('lock') });
    writeFileSync(join(copy, journal), change(readFileSync(join(copy, journal))));
    return copy;
  };
  const interrupted = await run(
    'check',
    copyWith('interrupted', (bytes) => Buffer.concat([bytes, Buffer.from('["0123')])),
  );
  t.match(interrupted, {
    code: exit.ok,
    out: /ends in an incomplete transaction \(6 bytes\): a crash interrupted a write that was not acknowledged yet\.\n {2}All transactions up to \d+ are present; .*only if.*\nAll records are intact\.\n$/,
  });
  const cut = await run(
    'check',
    copyWith('cut', (bytes) => bytes.subarray(0, -10)),
  );
  t.match(cut, {
    code: exit.failed,
    out: /journal-000000000001\.jsonl: it has \d+ bytes, but \d+ were synced: it was truncated, and the acknowledged transaction/,
  });
  t.notMatch(cut.out, /incomplete/);
  await platform.stop();
});

t.test('data check does not call a folder intact in which no sandbox could start', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-data-command-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  const good = join(root, 'good');
  const seed = { numbers: [{ kind: 'network', address: '+27600000001', name: 'A' }] } as const;
  await (await startSandbox({ data: good, seed })).stop();
  t.match(await run('check', good), { code: exit.ok });
  const folder = join(root, 'folder');
  const inFolder = (name: string): string => join(folder, name);
  const losses: [lose: () => void, problem: RegExp][] = [
    [
      () => rmSync(inFolder('secrets.key')),
      /^ {2}secrets\.key: the file is missing, and (a secret|\d+ secrets) encrypted with it cannot be read without it; restore it from a backup of the folder, or, if the platform uses secretKey, pass --own-key \(in code: hasOwnKey\)$/m,
    ],
    [
      () => writeFileSync(inFolder('secrets.key'), 'abc'),
      /^ {2}secrets\.key: it does not contain a key; restore it from a backup of the folder$/m,
    ],
    [
      () => writeFileSync(inFolder('secrets.key'), '0'.repeat(64)),
      /^ {2}secrets\.key: this is key \w{8}, and .* encrypted with key \w{8} cannot be read with it; restore the key file from a backup of this folder$/m,
    ],
    [() => rmSync(inFolder('sandbox.json')), /^ {2}sandbox\.json: the file is missing; it contains the admin key/m],
    [() => writeFileSync(inFolder('sandbox.json'), '{"adminKey":'), /^ {2}sandbox\.json: it cannot be read: /m],
    [() => writeFileSync(inFolder('sandbox.json'), '{}'), /^ {2}sandbox\.json: it cannot be read: it was not written by a sandbox$/m],
  ];
  for (const [lose, problem] of losses) {
    cpSync(good, folder, { recursive: true });
    lose();
    await t.rejects(startSandbox({ data: folder }), 'the sandbox cannot start');
    const checked = await run('check', folder);
    t.match(checked, { code: exit.failed, out: problem });
    t.match(checked.out, /restore the folder, or the missing files, from a backup/);
    t.notMatch(checked.out, /intact/);
    const report = JSON.parse((await run('repair', folder, '--json')).out);
    t.match(report, { repaired: false, is_whole: false, beyond_repair: [{ file: /^(secrets\.key|sandbox\.json)$/ }] });
    const repaired = await run('repair', folder);
    t.match(repaired, { code: exit.failed, out: problem });
    t.notMatch(repaired.out, /intact/);
    rmSync(folder, { recursive: true });
  }
  cpSync(good, folder, { recursive: true });
  rmSync(inFolder('secrets.key'));
  t.match(await run('check', folder, '--own-key'), { code: exit.ok });

  cpSync(good, folder, { recursive: true });
  rmSync(inFolder('core.numbers.json'));
  t.match(await run('repair', folder), {
    code: exit.failed,
    out: /sandbox\.json: it names \+27600000001 \(.*\), which the data do not contain\n(.*\n)*Repaired\. /,
  });
  t.match(await run('check', folder), { code: exit.failed, out: /sandbox\.json: it names/ });
});

t.test('data backup copies the folder of a running sandbox, and data restore makes a folder with which a sandbox starts', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-data-command-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  const [folder, backups, restored] = ['data', 'backups', 'restored'].map((name) => join(root, name)) as [string, string, string];
  const seed = { numbers: [{ kind: 'network', address: '+27600000001', name: 'A' }] } as const;
  const running = await startSandbox({ data: folder, seed });
  const first = await run('backup', folder, backups);
  t.match(first, {
    code: exit.ok,
    out: /^Backed up .* as of transaction \d+ to .*Z: \d+ files, 0 of them media, \d+ KiB; all checksums match\.\nIt contains sandbox\.json and secrets\.key: who can read the backup has the secrets and tokens of the platform\. Keep it secret\.\nTo restore it: .*posthorn.* data restore .*Z NEW-FOLDER\n$/,
    err: '',
  });
  const report = JSON.parse((await run('backup', folder, backups, '--json')).out);
  t.match(report, { v: 1, folder, earlier: /Z$/, linked_bytes: 0, damaged_media: [] });
  t.match(await run('restore', report.backup, folder), { code: exit.inUse, err: /is in use by this process/ });
  const { numbers, admin } = running;
  await running.stop();
  t.match(await run('restore', report.backup, folder), { code: exit.failed, err: /is not empty: it has .* Choose a new folder/ });
  t.match(await run('check', report.backup), { code: exit.ok, out: /All records are intact/ });
  t.match(await run('restore', report.backup, restored), {
    code: exit.ok,
    out: /^Restored .*Z, as of transaction \d+, to .*restored: \d+ files/,
  });
  const again = await startSandbox({ data: restored });
  t.strictSame([again.numbers.map(({ token }) => token), again.admin.key], [numbers.map(({ token }) => token), admin.key]);
  await again.stop();

  const file = join(folder, 'core.numbers.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('+27600000001', '+27600000009'));
  t.match(await run('backup', folder, backups), {
    code: exit.failed,
    err: /data\/core\.numbers\.json, line 5: the checksum does not match/,
  });
  t.match(await run('backup', root, backups), { code: exit.usage, err: /is not a data folder/ });
  t.match(await run('restore', backups, join(root, 'more')), { code: exit.usage, err: /the newest is .*Z/ });
  await t.rejects(run('backup', folder), {
    name: 'UsageError',
    message: /data backup takes two folders, for example: npx posthorn data backup /,
  });
  await t.rejects(run('restore', folder, folder, folder), { name: 'UsageError', message: /data restore takes two folders/ });
});

t.test('folders of older formats are backed up as they are', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-data-command-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  for (const format of [2, 3]) {
    const [folder, restored] = [join(root, `data-${format}`), join(root, `restored-${format}`)];
    cpSync('test/data/0.1.0/data', folder, { recursive: true });
    // Files of format 2 are the same in format 3.
    writeFileSync(join(folder, 'format.json'), `{"format":${format}}\n`);
    const report = JSON.parse((await run('backup', folder, join(root, 'backups'), '--json')).out);
    t.match(report, { format, through: /\d/ });
    t.match(await run('restore', report.backup, restored), { code: exit.ok });
    const files = readdirSync(folder).filter((name) => name !== 'lock');
    t.strictSame(readdirSync(restored), files);
    const checked = async (where: string) => JSON.parse((await run('check', where, '--json')).out);
    const { folder: _, ...before } = await checked(folder);
    t.match(await checked(restored), before);
    const platform = createPlatform({ plugins: [], dataDir: restored, ports: { log: new RecordingLogger() } });
    await platform.start();
    t.ok((await platform.numbers.list()).length > 0);
    await platform.stop();
  }
});

t.test('a lock that is a folder is reported as such', async (t) => {
  const { folder, platform } = await folderWithNumber(t);
  await platform.stop();
  mkdirSync(join(folder, 'lock'));
  for (const verb of ['check', 'repair'])
    t.match(await run(verb, folder), { code: exit.failed, err: /lock is a folder, .* Move the folder away/ });
  await t.rejects(startSandbox({ data: folder }), { message: /lock is a folder/ });
});

t.test('a folder without data, and wrong usage, end with 2', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-no-data-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const where of [folder, join(folder, 'nothing')]) {
    t.match(await run('check', where), { code: exit.usage, err: `posthorn: no data found in ${where}` });
    t.match(await run('repair', where), { code: exit.usage, err: `posthorn: no data found in ${where}` });
  }
  t.strictSame(readdirSync(folder), [], 'the command leaves no files');
  await t.rejects(run('chek', folder), { name: 'UsageError', message: /check, repair, show or move, not 'chek'/ });
  await t.rejects(run('check'), { name: 'UsageError', message: /data check takes a folder/ });
  await t.rejects(run('check', folder, folder), { name: 'UsageError', message: /one folder/ });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { auditRecords } from '../../core/kernel/observe/audit-record.js';
import { numbers } from '../../core/messaging/number.js';
import { freshFolder } from '../core/adapters/store/folders.js';

const ROUNDS = 3;
const CHANGES = 40;

t.test('after a kill every acknowledged change has its record, also after retention has run', async (t) => {
  const dataDir = freshFolder(t);
  const acknowledged: { readonly number: string; readonly name: string }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const program = fileURLToPath(new URL('./changing-process.js', import.meta.url));
    const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(JSON.parse(line));
      // The last round ends with a stop.
      if (++seen === CHANGES) child.kill(round === ROUNDS - 1 ? 'SIGTERM' : 'SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  t.ok(acknowledged.length >= ROUNDS * CHANGES);

  const platform = createPlatform({
    ...{ dataDir, plugins: [], admin: { key: 'key-of-the-audit-test' } },
    audit: { keptDays: 1 },
    ports: { log: new RecordingLogger() },
  });
  await platform.start();
  t.teardown(() => platform.stop());
  const records = await platform.store.open(auditRecords).list();
  const changes = new Map<string, string[]>();
  for (const { changes: list } of records)
    for (const { key, fields = [] } of list)
      for (const { field, after } of fields) if (field === 'name') changes.set(key!, [...(changes.get(key!) ?? []), String(after)]);
  const unrecorded = acknowledged.filter(({ number, name }) => !changes.get(number)?.includes(name));
  t.strictSame(unrecorded, []);
  for (const { uuid, name } of await platform.store.open(numbers).list())
    t.equal(changes.get(uuid)?.at(-1), name, 'the newest record is that of the newest change');
});

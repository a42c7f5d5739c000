import { server as hapiServer } from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { ManualClock, RecordingLogger, ScriptedHttp } from '#core/testing';
import { checkData } from '../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { InlinePool } from '../../../core/adapters/workers/inline-pool.js';
import { erasures, hashOf } from '../../../core/delivery/erasure.js';
import { chunks } from '../../../core/memory/chunks.js';
import { contacts as contactRecords } from '../../../core/messaging/contact.js';
import { messages as messageRecords } from '../../../core/messaging/message.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { stride } from '../../forms.js';
import { everything, nothing, SimulatedDisk } from '../adapters/store/simulated-disk.js';

const KEY = 'admin-key-of-the-tests';
/** More than one transaction deletes at a time. */
const OF_ANN = 130;
const OF_BOB = 20;
const ANN = '+27820007771';

async function open(disk: SimulatedDisk) {
  const clock = new ManualClock();
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: '/data', log, fs: disk, partBytes: 2_000, compact: (input) => compact(input, disk), now: () => 0 });
  const http = new ScriptedHttp({ clock });
  http.answer('https://hooks.test/in', {});
  const platform = createPlatform({
    plugins: [webhooks()],
    privateTargets: 'allow',
    secretKey: '0'.repeat(64),
    admin: { key: KEY },
    ports: { store, clock, log, http, workers: new InlinePool() },
  });
  const server = hapiServer();
  await server.register(platform.hapiPlugin);
  await server.initialize();
  const admin = async (method: string, path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${KEY}` };
    return server.inject({ method, url: `/admin/v1${path}`, headers, ...(payload && { payload }) });
  };
  return { platform, server, admin, store, clock, stored: async () => (await store.open(messageRecords).list()).map(({ from }) => from) };
}

async function written() {
  const disk = new SimulatedDisk();
  const { platform, server, admin, store, clock } = await open(disk);
  const number = await platform.store.transaction((tx) =>
    platform.numbers.create(tx, { kind: 'channel', type: 'any', address: 'a', name: 'A' }),
  );
  await admin('POST', '/webhooks', { number: number.uuid, name: 'own', url: 'https://hooks.test/in', subscriptions: ['msgapp'] });
  for (let n = 0; n < OF_ANN + OF_BOB; n++) {
    const from = n < OF_ANN ? ANN : '+27820008882';
    const body = n % 10 === 0 ? `${from} ${n} ${'long '.repeat(1_000)}` : `text ${n}`;
    const inbound = {
      id: `in-${n}`,
      contact: { id: from, name: from },
      from,
      timestamp: '1767600000',
      type: 'text',
      content: { text: { body } },
    };
    await platform.store.transaction((tx) => platform.messages.received(tx, number, inbound));
    if (n % 40 === 39) await store.compact();
  }
  await clock.advance(1_000);
  await store.compact();
  const ann = (await platform.contacts.known(number.uuid, ANN))!;
  await server.stop();
  return { disk, ann: ann.uuid };
}

const filesWith = (disk: SimulatedDisk, text: string): string[] =>
  disk.files.filter((path) => disk.read(path)!.includes(Buffer.from(text)));

t.test('an erasure that a crash interrupts at any operation is either not begun, or completed by the next start', async (t) => {
  const { disk: before, ann } = await written();
  t.ok(filesWith(before, '27820007771').some((file) => /core\.(messages|settled-deliveries)\.\d+\.json$/.test(file)));
  let [notBegun, completed] = [0, 0];
  for (let stopAt = 0; ; stopAt += stride(90)) {
    const disk = before.afterCrash(everything);
    const { admin } = await open(disk);
    let used = 0;
    let powerOff = () => {};
    const off = new Promise<boolean>((resolve) => (powerOff = () => resolve(false)));
    disk.before = () => {
      if (used++ < stopAt) return;
      powerOff();
      return new Promise(() => {});
    };
    const work = async () => (await admin('DELETE', `/contacts/${ann}?compact=true`)).statusCode === 200;
    const isDone = await Promise.race([work(), off]);
    for (const chance of isDone ? [nothing] : [nothing, everything]) {
      const left = disk.afterCrash(chance);
      const again = await open(left);
      await again.clock.advance(60_000);
      const erasure = await again.store.open(erasures).get(hashOf(ann));
      const found = await again.stored();
      const wrong: string[] = [];
      if (!erasure) {
        notBegun++;
        if (found.length !== OF_ANN + OF_BOB) wrong.push(`it has not begun, and ${found.length} messages remain`);
        if (!(await again.store.open(contactRecords).get(ann))) wrong.push('the contact is gone');
      } else {
        completed++;
        if (found.join() !== Array.from({ length: OF_BOB }, () => '+27820008882').join()) wrong.push(`${found.length} messages remain`);
        if ((erasure.removed.messages ?? 0) !== OF_ANN) wrong.push(`it counts ${erasure.removed.messages} messages`);
        if ((await again.store.open(chunks).count()) !== OF_BOB / 10) wrong.push('long texts remain');
        await again.store.purge(true);
        const files = filesWith(left, '27820007771');
        if (files.length > 0) wrong.push(`${files.join(' ')} has the number`);
      }
      await again.server.stop();
      const report = await checkData('/data', left, { hasOwnKey: true });
      if (!report.is_whole) wrong.push(JSON.stringify(report.problems));
      if (wrong.length > 0) t.fail(`stopped at ${stopAt}: ${wrong.join('; ')}`);
    }
    if (isDone) break;
  }
  t.comment(`${notBegun} not begun, ${completed} completed`);
  t.ok(notBegun > 0 && completed > 1, `${notBegun} not begun, ${completed} completed`);
});

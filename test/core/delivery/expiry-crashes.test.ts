import t from 'tap';
import { createPlatform } from '#core';
import { ManualClock, RecordingLogger, ScriptedHttp } from '#core/testing';
import { checkData } from '../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { InlinePool } from '../../../core/adapters/workers/inline-pool.js';
import { messageCounts } from '../../../core/delivery/message-count.js';
import { chunks } from '../../../core/memory/chunks.js';
import { messages as messageRecords } from '../../../core/messaging/message.js';
import { stride } from '../../forms.js';
import { everything, nothing, SimulatedDisk } from '../adapters/store/simulated-disk.js';

const DAY = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 1);
/** More than one transaction deletes at a time. */
const OLD = 430;
const YOUNG = 20;
/** The first operations write the transactions to the journal. */
const JOURNAL_WRITES = 16;

async function open(disk: SimulatedDisk, day: number) {
  const clock = new ManualClock({ start: new Date(START + day * DAY) });
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: '/data', log, fs: disk, partBytes: 2_000, compact: (input) => compact(input, disk), now: () => 0 });
  const http = new ScriptedHttp({ clock });
  const platform = createPlatform({
    plugins: [],
    messages: { keptDays: 10 },
    secretKey: '0'.repeat(64),
    ports: { store, clock, log, http, workers: new InlinePool() },
  });
  const expired = new Set<string>();
  platform.listen('messages.expired', ({ data }) => {
    for (const uuid of data.messages) expired.add(uuid);
  });
  await platform.start();
  return { platform, store, clock, expired, stored: async () => (await store.open(messageRecords).list()).map(({ uuid }) => uuid).sort() };
}

/** Old and young messages in parts on disk; every tenth has a long text of its own. */
async function written() {
  const disk = new SimulatedDisk();
  const { platform, store, clock } = await open(disk, 0);
  const number = await platform.store.transaction((tx) =>
    platform.numbers.create(tx, { kind: 'channel', type: 'any', address: 'a', name: 'A' }),
  );
  const uuids: string[] = [];
  for (let n = 0; n < OLD + YOUNG; n++) {
    if (n === OLD) await clock.advance(9 * DAY);
    const body = n % 10 === 0 ? `${n} ${'long '.repeat(1_000)}` : `text ${n}`;
    const contact = { id: `+${n % 5}`, name: 'Ann' };
    const inbound = { id: `in-${n}`, contact, from: contact.id, timestamp: '1767600000', type: 'text', content: { text: { body } } };
    uuids.push((await platform.store.transaction((tx) => platform.messages.received(tx, number, inbound))).message.uuid);
    if (n % 40 === 39) await store.compact();
  }
  await store.compact();
  await platform.stop();
  return { disk, number: number.uuid, old: uuids.slice(0, OLD), young: uuids.slice(OLD) };
}

t.test('a crash at any operation while messages expire and parts are merged loses none, and brings none back', async (t) => {
  const { disk: before, number, old, young } = await written();
  t.ok(before.files.filter((file) => /core\.messages\.\d+\.json$/.test(file)).length > 3, before.files.join(' '));
  let crashes = 0;
  let partly = 0;
  for (let stopAt = 0; ; stopAt += stopAt < JOURNAL_WRITES ? stride(4) : stride(80)) {
    const disk = before.afterCrash(everything);
    const { clock, store, expired, stored } = await open(disk, 10.5);
    t.equal((await stored()).length, OLD + YOUNG);
    let used = 0;
    let powerOff = () => {};
    const off = new Promise<boolean>((resolve) => (powerOff = () => resolve(false)));
    disk.before = () => {
      if (used++ < stopAt) return;
      powerOff();
      return new Promise(() => {});
    };
    const work = async () => {
      await Promise.all([clock.advance(DAY / 24), store.compact()]);
      await store.compact();
      return true;
    };
    const isDone = await Promise.race([work(), off]);
    const announced = [...expired];
    for (const chance of [nothing, everything]) {
      const left = disk.afterCrash(chance);
      const again = await open(left, 10.5);
      const found = await again.stored();
      const gone = old.filter((uuid) => !found.includes(uuid));
      if (gone.length > 0 && gone.length < OLD) partly++;
      const wrong = [
        ...young.filter((uuid) => !found.includes(uuid)).map((uuid) => `${uuid} is lost`),
        ...announced.filter((uuid) => found.includes(uuid)).map((uuid) => `${uuid} is back`),
      ];
      const longOnes = found.filter((uuid) => [...old, ...young].indexOf(uuid) % 10 === 0).length;
      const texts = await again.store.open(chunks).count();
      if (texts !== longOnes) wrong.push(`${texts} long texts for ${longOnes} messages`);
      await again.clock.advance(DAY / 24);
      if ((await again.stored()).join() !== young.toSorted().join()) wrong.push('the next run did not delete exactly the old ones');
      const counted = Object.values((await again.store.open(messageCounts).get(number))?.days ?? {}).reduce((sum, [one]) => sum + one, 0);
      if (counted !== YOUNG) wrong.push(`${counted} messages are counted`);
      await again.store.compact();
      await again.platform.stop();
      const last = await open(left.afterCrash(nothing), 10.6);
      if ((await last.stored()).join() !== young.toSorted().join())
        wrong.push('after the next start, the messages are not exactly the young ones');
      await last.platform.stop();
      const report = await checkData('/data', left, { hasOwnKey: true });
      if (!report.is_whole) wrong.push(JSON.stringify(report.problems));
      if (wrong.length > 0) t.fail(`stopped at ${stopAt}: ${wrong[0]}`);
    }
    if (isDone) break;
    crashes++;
  }
  t.comment(`${crashes} crashes, ${partly} of them with a part of the messages deleted`);
  t.ok(crashes > JOURNAL_WRITES / stride(4) + 60 / stride(80), `${crashes} crashes`);
  t.ok(partly > 0, 'some of them between two transactions');
});

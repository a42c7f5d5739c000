// Writes copies of the only message of a shard: node fill-shard.js <schema> <shard> <count>, in the database of POSTHORN_DATABASE_URL.
// The collections that it does not define stay as they are.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordingLogger } from '#core/testing';
import { V8Heap } from '../../../core/adapters/v8-heap.js';
import { messages } from '../../../core/messaging/message.js';
import { logStoreOf } from '../../../plugins/cluster/postgres/log-store-of.js';
import { Servers } from '../../../plugins/cluster/postgres/servers.js';

/** The message to the benchmark at the end. */
export interface FilledShard {
  readonly written: number;
}

const PER_TRANSACTION = 200;
const AT_ONCE = 4;
const LOOK_MS = 50;
const SHOWN_EVERY = 50_000;
/** Nothing else writes to the shard, so its lease may outlast every pause of a loaded machine. */
const LEASE_MS = 60_000;
const [, , schema, shard, countText] = process.argv as [string, string, string, string, string];
const count = Number(countText);
const store = logStoreOf({
  ...{ servers: new Servers({ url: process.env.POSTHORN_DATABASE_URL! }), schema, shard, leaseMs: LEASE_MS },
  ...{ log: new RecordingLogger(), heap: new V8Heap() },
});
store.define('core.messages', messages);
await store.start();
while (store.health().state !== 'open') await sleep(LOOK_MS);
const [template] = await store.open(messages).list();
if (!template) throw new Error(`${shard} has no message to copy`);

let written = 0;
const writeNext = async (): Promise<void> => {
  while (written < count) {
    const from = written;
    written = Math.min(count, from + PER_TRANSACTION);
    const end = written;
    await store.transaction(async (tx) => {
      for (let n = from; n < end; n++)
        tx.in(messages).put({ ...template, uuid: randomUUID(), external_id: `copy-${n}`, position: template.position + 1 + n });
    });
    if (end % SHOWN_EVERY === 0) console.log(`${shard}: ${end} of ${count} messages`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, writeNext));
process.on('disconnect', () => void store.stop().finally(() => process.exit()));
process.send!({ written } satisfies FilledShard);

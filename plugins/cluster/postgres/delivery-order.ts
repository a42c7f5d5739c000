import { entryId, numberOf, seqOf } from '../../../core/adapters/outbox/entry.js';
import { type SettledDelivery, settledId } from '../../../core/delivery/settled-delivery.js';
import type { MovedDocument } from '../../../core/ports/move.js';

/**
 * Gives a delivery its place in one order of several shards: each shard counts its deliveries from 1, and a place must have one delivery
 * only. Returns other documents as they are.
 * @param shard the position of its shard, from 0
 */
export function inOneOrder(document: MovedDocument, shard: number, shards: number): MovedDocument {
  const { collection, key, json } = document;
  if (collection === 'core.outbox') {
    const id = entryId(numberOf(key), seqOf(key) * shards + shard);
    return { collection, key: id, json: JSON.stringify({ ...(JSON.parse(json) as object), id }) };
  }
  if (collection !== 'core.settled-deliveries') return document;
  const settled = JSON.parse(json) as SettledDelivery;
  const seq = settled.seq * shards + shard;
  const id = settledId(seq, settled.number);
  return { collection, key: id, json: JSON.stringify({ ...settled, id, seq }) };
}

import type { MovedDocument } from '../../../core/ports/move.js';

const padded = (seq: number): string => String(seq).padStart(12, '0');

/**
 * Gives a delivery its place in one order of several shards: each shard counts its deliveries from 1, and a place must have one delivery
 * only. Returns other documents as they are.
 * @param shard the position of its shard, from 0
 */
export function inOneOrder(document: MovedDocument, shard: number, shards: number): MovedDocument {
  const { collection, key, json } = document;
  if (collection === 'core.outbox') {
    const slash = key.lastIndexOf('/');
    const id = `${key.slice(0, slash)}/${padded(Number(key.slice(slash + 1)) * shards + shard)}`;
    return { collection, key: id, json: JSON.stringify({ ...(JSON.parse(json) as object), id }) };
  }
  if (collection !== 'core.settled-deliveries') return document;
  const settled = JSON.parse(json) as { readonly seq: number; readonly number: string };
  const seq = settled.seq * shards + shard;
  const id = `${padded(seq)}/${settled.number}`;
  return { collection, key: id, json: JSON.stringify({ ...settled, id, seq }) };
}

import type { LogLoss, LostDocument, ReportedLoss } from '../../../core/ports/log.js';
import type { Connection } from './connection.js';
import type { Tables } from './schema.js';

interface LossRow {
  readonly id: string;
  readonly shard: string;
  readonly kept: string;
  readonly last: string;
  readonly acknowledged: boolean;
  readonly documents: readonly LostDocument[];
  readonly complete: boolean;
  readonly found_at: Date;
  readonly confirmed_at: Date | null;
}

/** Newest losses that are shown. */
const MAX_SHOWN = 100;

/** A condition: a loss of the shard is not confirmed. */
export const unconfirmedLoss = ({ losses }: Tables, shard: string): string =>
  `exists (select 1 from ${losses} where shard = ${shard} and confirmed_at is null)`;

/** Stores what one process knows of a loss. Another may know more, and only one of them that the transactions were acknowledged. */
export async function storeLoss(connection: Connection, { losses }: Tables, loss: LogLoss): Promise<void> {
  const { id, shard, kept, last, isAcknowledged, documents, isComplete } = loss;
  await connection.query({
    text: `
      insert into ${losses} as known (id, shard, kept, last, acknowledged, documents, complete) values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (id) do update set
        acknowledged = known.acknowledged or excluded.acknowledged,
        last = greatest(known.last, excluded.last),
        documents = case when excluded.last > known.last then excluded.documents else known.documents end,
        complete = case when excluded.last > known.last then excluded.complete else known.complete end`,
    values: [id, shard, kept, last, isAcknowledged, JSON.stringify(documents), isComplete],
  });
}

/** The transactions that vanished from a shard, and that no operator has confirmed. */
export interface OpenLoss {
  readonly shard: string;
  readonly transactions: number;
}

export const readOpenLosses = (connection: Connection, { losses }: Pick<Tables, 'losses'>): Promise<readonly OpenLoss[]> =>
  connection.query<OpenLoss>({
    name: 'losses',
    text: `select shard, sum(last - kept)::float as transactions from ${losses} where confirmed_at is null group by shard order by shard`,
  });

/** The losses of all shards, newest first. */
export async function readLosses(connection: Connection, { losses }: Tables): Promise<readonly ReportedLoss[]> {
  const rows = await connection.query<LossRow>({ text: `select * from ${losses} order by found_at desc, id limit ${MAX_SHOWN}` });
  return rows.map(({ id, shard, kept, last, acknowledged, documents, complete, found_at, confirmed_at }) => ({
    id,
    shard,
    documents,
    kept: Number(kept),
    last: Number(last),
    isAcknowledged: acknowledged,
    isComplete: complete,
    isConfirmed: confirmed_at !== null,
    at: found_at.toISOString(),
  }));
}

/** @returns false when there is no loss with this id */
export async function confirmLoss(connection: Connection, { losses }: Tables, id: string): Promise<boolean> {
  const text = `update ${losses} set confirmed_at = coalesce(confirmed_at, clock_timestamp()) where id = $1 returning 1`;
  return (await connection.query({ text, values: [id] })).length > 0;
}

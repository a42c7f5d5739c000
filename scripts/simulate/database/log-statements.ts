import { type Execution, type Handler, refusal, UNIQUE_VIOLATION } from './execution.js';
import type { LogRow, LossRow, PartRow, SnapshotRow, Tables } from './tables.js';

const [ROWS_PER_READ, BYTES_PER_READ, ROWS_PER_DELETION, MAX_LOSSES] = [1_000, 8 * 1024 * 1024, 100, 100];
const COUNT_BITS = 24;

export const rowsOf = ({ log }: Tables, shard: string): readonly LogRow[] => log.get(shard) ?? [];
/** The place of the last row that begins at a transaction or before it; -1 if there is none. */
function placeAt(rows: readonly LogRow[], tx: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (rows[middle]!.first <= tx) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
export const has = (rows: readonly LogRow[], tx: number): LogRow | undefined => {
  const row = rows[placeAt(rows, tx)];
  return row && row.last >= tx ? row : undefined;
};
const nextEpoch = (epoch: number, random: number): number =>
  ((epoch < 2 ** COUNT_BITS ? epoch : Math.floor(epoch / 2 ** COUNT_BITS)) + 1) * 2 ** COUNT_BITS + random;

/** Whether the statement asks for confirmed losses, and there is one that is not. */
const isStopped = ({ text, tables }: Execution, shard: string): boolean =>
  text.includes('confirmed_at is null') && [...tables.losses.values()].some((loss) => loss.shard === shard && loss.confirmed_at === null);

/** Adds a row to the end. @throws when its key is there */
function add({ tables }: Execution, shard: string, row: LogRow): object[] {
  const rows = rowsOf(tables, shard);
  if (rows[placeAt(rows, row.first)]?.first === row.first) throw refusal(UNIQUE_VIOLATION, 'duplicate key of the log');
  if (rows.length > 0 && rows.at(-1)!.first > row.first) throw new Error('a row would get into the middle of the log');
  tables.appendLog(shard, row);
  return [{ '?column?': 1 }];
}

const storedRow = ({ first, last, epoch, lines }: LogRow, after: number) => ({
  first: String(first),
  last: String(last),
  epoch: String(epoch),
  lines: last > after ? lines : Buffer.alloc(0),
});

const shownLoss = (loss: LossRow) => ({
  ...loss,
  kept: String(loss.kept),
  last: String(loss.last),
  found_at: new Date(loss.found_at),
  confirmed_at: loss.confirmed_at === null ? null : new Date(loss.confirmed_at),
});

export const snapshotsOf = ({ snapshots }: Tables, shard: string) =>
  [...snapshots.values()].filter((one) => one.shard === shard).sort((a, b) => b.through - a.through);
const partKey = ({ shard, through, writer, part }: Omit<PartRow, 'lines'>) => `${shard} ${through} ${writer} ${part}`;

export const logStatements: readonly Handler[] = [
  { begins: 'select to_regclass($1)', run: () => [{ there: true }] },
  { begins: 'select version from format', run: ({ tables: { format } }) => [{ version: format.get('version') ?? 1 }] },
  {
    begins: 'select (select count(*) from pg_stat_replication)',
    run: ({ isSynchronous }) => [{ replicas: '1', synchronous: isSynchronous ? 'ANY 1 (*)' : '', commit: 'on' }],
  },
  {
    begins: 'with taken as ( insert into leases',
    changes: true,
    run(execution) {
      const { tables, now, values, notify } = execution;
      const [shard, owner, leaseMs, onlyReleased, channel, random] = values;
      const stopped = isStopped(execution, shard);
      const lease = tables.leases.get(shard);
      const isFree = !lease || (lease.until < now && (lease.until === Number.NEGATIVE_INFINITY || !onlyReleased));
      if (stopped || !isFree) return [{ epoch: null, stopped }];
      const newest = rowsOf(tables, shard).at(-1)?.epoch ?? 0;
      const epoch = Math.max(lease ? nextEpoch(lease.epoch, random) : 0, nextEpoch(newest, random));
      tables.set(tables.leases, shard, { owner, epoch, until: now + leaseMs });
      notify(channel);
      return [{ epoch: String(epoch), stopped }];
    },
  },
  {
    begins: 'update leases set until',
    changes: true,
    run(execution) {
      const { tables, now, values } = execution;
      const [shard, owner, epoch, leaseMs, through] = values;
      const lease = tables.leases.get(shard);
      if (!lease || lease.owner !== owner || lease.epoch !== epoch || isStopped(execution, shard)) return [];
      tables.set(tables.leases, shard, { ...lease, until: now + leaseMs });
      const newest = rowsOf(tables, shard).at(-1);
      return [{ whole: newest && through !== null ? newest.last >= through && newest.epoch === epoch : null }];
    },
  },
  {
    begins: 'with released as (',
    changes: true,
    run({ tables, values, notify }) {
      const [shard, owner, epoch, channels] = values;
      const lease = tables.leases.get(shard);
      if (!lease || lease.owner !== owner || lease.epoch !== epoch) return [];
      tables.set(tables.leases, shard, { ...lease, until: Number.NEGATIVE_INFINITY });
      for (const channel of channels) notify(channel);
      return [{}];
    },
  },
  {
    begins: 'select first, last, epoch, lines from (',
    run({ tables, values: [shard, after] }) {
      const rows = rowsOf(tables, shard);
      const found: object[] = [];
      let bytes = 0;
      for (let i = Math.max(0, placeAt(rows, after)); i < rows.length && found.length < ROWS_PER_READ && bytes < BYTES_PER_READ; i++) {
        found.push(storedRow(rows[i]!, after));
        if (rows[i]!.last > after) bytes += rows[i]!.lines.length;
      }
      return found;
    },
  },
  {
    begins: 'insert into log',
    has: 'where case when exists',
    changes: true,
    run(execution) {
      const [shard, first, last, epoch, lines, after] = execution.values;
      const newest = rowsOf(execution.tables, shard).at(-1);
      const isNext = newest
        ? newest.last === first - 1 && newest.epoch < epoch && (after ?? newest.epoch) === newest.epoch
        : after === null;
      return isNext ? add(execution, shard, { first, last, epoch, lines }) : [];
    },
  },
  {
    begins: 'with added as ( insert into log',
    changes: true,
    run(execution) {
      const [shard, first, last, epoch, lines, channel] = execution.values;
      const rows = rowsOf(execution.tables, shard);
      const before = rows[placeAt(rows, first - 1)];
      if (before?.last !== first - 1 || before.epoch !== epoch) return [];
      const added = add(execution, shard, { first, last, epoch, lines });
      execution.notify(channel);
      return added;
    },
  },
  {
    // It writes something behind the row, and waits for the replica like a change.
    begins: 'select first, epoch, case when epoch = $2 then pg_logical_emit_message',
    changes: true,
    run({ tables, text, values: [shard, , first] }) {
      const rows = rowsOf(tables, shard);
      const row = text.includes('first = $3') ? rows[placeAt(rows, first)] : rows.at(-1);
      return row && (first === undefined || row.first === first) ? [{ first: String(row.first), epoch: String(row.epoch) }] : [];
    },
  },
  {
    begins: 'select lease_ms, (extract(epoch from clock_timestamp() - late_at)',
    run({ tables: { format }, now }) {
      const lateAt = format.get('late_at');
      return [{ lease_ms: format.get('lease_ms') ?? null, quiet_ms: lateAt === undefined ? null : now - lateAt }];
    },
  },
  {
    begins: 'update format set lease_ms = greatest',
    changes: true,
    run({ tables, now, values: [leaseMs] }) {
      tables.set(tables.format, 'lease_ms', Math.max(tables.format.get('lease_ms') ?? 0, leaseMs));
      tables.set(tables.format, 'late_at', now);
      return [];
    },
  },
  {
    begins: 'update format set late_at',
    changes: true,
    run({ tables, now, values: [leaseMs] }) {
      if ((tables.format.get('lease_ms') ?? -1) >= leaseMs) tables.set(tables.format, 'late_at', now);
      return [];
    },
  },
  {
    begins: 'update format set lease_ms = $1, late_at',
    changes: true,
    run({ tables, now, text, values: [leaseMs, from] }) {
      const quietMs = Number(/- (\d+) \* interval/.exec(text)![1]);
      if (tables.format.get('lease_ms') !== from || tables.format.get('late_at')! >= now - quietMs) return [];
      tables.set(tables.format, 'lease_ms', leaseMs);
      tables.set(tables.format, 'late_at', now);
      return [];
    },
  },
  {
    begins: 'insert into losses as known',
    changes: true,
    run({ tables, now, values: [id, shard, kept, last, acknowledged, documents, complete] }) {
      const known = tables.losses.get(id);
      const isNewer = !known || last > known.last;
      tables.set(tables.losses, id, {
        ...(known ?? { id, shard, kept, found_at: now, confirmed_at: null }),
        last: Math.max(known?.last ?? last, last),
        acknowledged: acknowledged || (known?.acknowledged ?? false),
        documents: isNewer ? JSON.parse(documents) : known.documents,
        complete: isNewer ? complete : known.complete,
      });
      return [];
    },
  },
  {
    begins: 'select shard, sum(last - kept)::float as transactions from losses',
    run({ tables: { losses } }) {
      const sums = new Map<string, number>();
      for (const { shard, kept, last, confirmed_at } of losses.values())
        if (confirmed_at === null) sums.set(shard, (sums.get(shard) ?? 0) + last - kept);
      return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([shard, transactions]) => ({ shard, transactions }));
    },
  },
  {
    begins: 'select * from losses',
    run: ({ tables: { losses } }) =>
      [...losses.values()]
        .sort((a, b) => b.found_at - a.found_at || (a.id < b.id ? -1 : 1))
        .slice(0, MAX_LOSSES)
        .map(shownLoss),
  },
  {
    begins: 'update losses set confirmed_at',
    changes: true,
    run({ tables, now, values: [id] }) {
      const loss = tables.losses.get(id);
      if (!loss) return [];
      tables.set(tables.losses, id, { ...loss, confirmed_at: loss.confirmed_at ?? now });
      return [{}];
    },
  },
  {
    begins: 'select through, writer, parts, (',
    run({ tables, values: [shard] }) {
      const rows = rowsOf(tables, shard);
      const end = rows.at(-1)?.last ?? Number.POSITIVE_INFINITY;
      const newest = snapshotsOf(tables, shard).find(({ through }) => through <= end);
      if (!newest) return [];
      const epoch = has(rows, newest.through)?.epoch;
      return [{ ...newest, through: String(newest.through), epoch: epoch === undefined ? null : String(epoch) }];
    },
  },
  {
    begins: 'select lines from snapshot_parts',
    run({ tables, values: [shard, through, writer, part] }) {
      const found = tables.parts.get(partKey({ shard, through: Number(through), writer, part }));
      return found ? [{ lines: found.lines }] : [];
    },
  },
  {
    begins: 'insert into snapshot_parts',
    changes: true,
    run({ tables, values: [shard, through, writer, part, lines] }) {
      const row = { shard, through, writer, part, lines };
      if (!tables.parts.has(partKey(row))) tables.set(tables.parts, partKey(row), row);
      return [];
    },
  },
  {
    begins: 'with there as (',
    has: 'insert into snapshots (shard, through, writer, parts) ',
    changes: true,
    run({ tables, now, values: [shard, through, writer, parts, epoch] }) {
      const row = has(rowsOf(tables, shard), through);
      const stored = [...tables.parts.values()].filter((one) => one.shard === shard && one.through === through && one.writer === writer);
      const there = row !== undefined && (epoch ?? row.epoch) === row.epoch && stored.length === parts;
      const key = `${shard} ${through}`;
      if (there && !tables.snapshots.has(key)) tables.set(tables.snapshots, key, { shard, through, writer, parts, files: null, at: now });
      return [{ there }];
    },
  },
  {
    begins: 'select through from snapshots',
    run: ({ tables, values: [shard] }) =>
      snapshotsOf(tables, shard)
        .slice(0, 2)
        .map(({ through }) => ({ through: String(through) })),
  },
  {
    begins: 'delete from snapshots',
    changes: true,
    run({ tables, now, text, values: [shard, before] }) {
      const minutes = Number(/- (\d+) \* interval '1 minute'/.exec(text)![1]);
      const isOld = ({ files, at }: SnapshotRow) => files === null || at < now - minutes * 60_000;
      for (const [key, one] of [...tables.snapshots])
        if (one.shard === shard && one.through < Number(before) && isOld(one)) tables.delete(tables.snapshots, key);
      return [];
    },
  },
  {
    begins: 'delete from snapshot_parts',
    changes: true,
    run({ tables, text, values: [shard, through, writer] }) {
      const ofWriter = (one: PartRow) => one.through === through && one.writer === writer;
      const superfluous = (one: PartRow) =>
        one.through < Number(through) && tables.snapshots.get(`${one.shard} ${one.through}`)?.writer !== one.writer;
      const isMeant = text.includes('not exists') ? superfluous : ofWriter;
      const found = [...tables.parts].filter(([, one]) => one.shard === shard && isMeant(one)).slice(0, ROWS_PER_DELETION);
      for (const [key] of found) tables.delete(tables.parts, key);
      return found.map(() => ({}));
    },
  },
  {
    begins: 'delete from log',
    changes: true,
    run({ tables, values: [shard, through] }) {
      const rows = rowsOf(tables, shard);
      let count = 0;
      while (count < ROWS_PER_DELETION && count < rows.length - 1 && rows[count]!.last < Number(through)) count++;
      if (count > 0) tables.set(tables.log, shard, rows.slice(count));
      return Array.from({ length: count }, () => ({}));
    },
  },
];

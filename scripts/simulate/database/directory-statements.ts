import { type Execution, type Handler, refusal, UNIQUE_VIOLATION } from './execution.js';
import type { EntryRow } from './tables.js';

const ROWS_PER_READ = 10_000;

const left = (until: number, now: number): number => (until === Number.NEGATIVE_INFINITY ? 0 : until - now);

/** The entry of a kind and a key that is not removed. */
function entryOf({ tables }: Execution, kind: string, key: string): { readonly row: number; readonly entry: EntryRow } | undefined {
  for (const [row, entry] of tables.entries) if (!entry.removed && entry.kind === kind && entry.key === key) return { row, entry };
  return undefined;
}

/** Changes entries while the owner has its lease. */
function changeEntries(execution: Execution, change: (kind: string, key: string, shard: string, version: number) => boolean): object[] {
  const { tables, now, notify, values } = execution;
  const [shard, kinds, keys, owner, channel] = values;
  const lease = tables.leases.get(shard);
  const owns = owner === null || (lease?.owner === owner && lease !== undefined && lease.until > now);
  const taken = kinds.some((kind: string, i: number) => (entryOf(execution, kind, keys[i])?.entry.shard ?? shard) !== shard);
  if (owns && taken && execution.text.includes('insert into')) throw refusal(UNIQUE_VIOLATION, 'duplicate key of the directory');
  const version = (tables.head.get('version') ?? 0) + 1;
  tables.set(tables.head, 'version', version);
  const changed = owns ? kinds.filter((kind: string, i: number) => change(kind, keys[i], shard, version)).length : 0;
  notify(channel);
  return [{ owns, changed: String(changed) }];
}

export const directoryStatements: readonly Handler[] = [
  {
    begins: 'with owner as (',
    has: 'insert into directory_entries',
    changes: true,
    run: (execution) =>
      changeEntries(execution, (kind, key, shard, version) => {
        if (entryOf(execution, kind, key)) return false;
        const { tables } = execution;
        tables.set(tables.entries, tables.entries.size + 1, { kind, key, shard, version, removed: false });
        return true;
      }),
  },
  {
    begins: 'with owner as (',
    has: 'update directory_entries known set removed',
    changes: true,
    run: (execution) =>
      changeEntries(execution, (kind, key, shard, version) => {
        const found = entryOf(execution, kind, key);
        if (found?.entry.shard !== shard) return false;
        execution.tables.set(execution.tables.entries, found.row, { ...found.entry, removed: true, version });
        return true;
      }),
  },
  {
    begins: 'select known.kind, known.key from directory_entries known',
    run(execution) {
      const [shard, kinds, keys] = execution.values;
      const i = kinds.findIndex((kind: string, i: number) => (entryOf(execution, kind, keys[i])?.entry.shard ?? shard) !== shard);
      return i < 0 ? [] : [{ kind: kinds[i], key: keys[i] }];
    },
  },
  {
    begins: 'select kind, key, shard, version, removed from directory_entries',
    run({ tables, values: [after] }) {
      if ((tables.head.get('version') ?? 0) <= after) return [];
      const found = [...tables.entries.values()]
        .filter(({ version, removed }) => version > after && (!removed || after > 0))
        .sort((a, b) => a.version - b.version || Number(b.removed) - Number(a.removed));
      if (found.length > ROWS_PER_READ) throw new Error('the simulated database reads all entries in one statement');
      return found.map((row) => ({ ...row, version: String(row.version) }));
    },
  },
  {
    begins: 'insert into directory_head as known',
    changes: true,
    run({ tables, values: [wanted] }) {
      if (!tables.head.has('shards')) tables.set(tables.head, 'shards', wanted);
      return [{ shards: tables.head.get('shards') }];
    },
  },
  {
    begins: 'select id, epoch from leader',
    run: ({ tables }) => [...tables.leader.values()].map(({ id, epoch }) => ({ id, epoch: String(epoch) })),
  },
  {
    begins: 'select id, url, version, draining, reports',
    run: ({ tables, now }) =>
      [...tables.members]
        .filter(([, { until }]) => until > now)
        .sort(([a, one], [b, other]) => one.joined - other.joined || (a < b ? -1 : 1))
        .map(([id, { url, version, draining, reports, until }]) => ({
          ...{ id, url, version, draining },
          reports: JSON.parse(reports),
          left_ms: left(until, now),
        })),
  },
  {
    begins: 'select shard, owner, epoch, (case when until',
    run: ({ tables, now }) =>
      [...tables.leases].map(([shard, { owner, epoch, until }]) => ({ shard, owner, epoch: String(epoch), left_ms: left(until, now) })),
  },
  {
    begins: 'select shard, owner, standby, pinned from placement',
    run: ({ tables }) => [...tables.placement].map(([shard, row]) => ({ shard, ...row })),
  },
  {
    begins: 'insert into members as known',
    changes: true,
    run({ tables, now, values: [id, url, version, reports, leaseMs] }) {
      const known = tables.members.get(id) ?? { url, version, draining: false, joined: now };
      tables.set(tables.members, id, { ...known, reports, until: now + leaseMs });
      return [];
    },
  },
  {
    begins: 'delete from members where id',
    changes: true,
    run({ tables, values: [id] }) {
      tables.delete(tables.members, id);
      return [];
    },
  },
  {
    begins: 'select pg_notify($1, $2)',
    run({ values: [channel], notify }) {
      notify(channel);
      return [{}];
    },
  },
  {
    begins: 'insert into leader as known',
    changes: true,
    run({ tables, now, values: [id] }) {
      const [first] = [...tables.members]
        .filter(([, { until }]) => until > now)
        .sort(([a, one], [b, other]) => one.joined - other.joined || (a < b ? -1 : 1));
      const known = tables.leader.get('leader');
      if (first?.[0] === id && known?.id !== id) tables.set(tables.leader, 'leader', { id, epoch: (known?.epoch ?? 0) + 1 });
      return [];
    },
  },
  {
    begins: 'with led as (',
    changes: true,
    run({ tables, values: [shards, owners, standbys, id, epoch] }) {
      const leader = tables.leader.get('leader');
      if (leader?.id !== id || String(leader?.epoch) !== String(epoch)) return [];
      for (const [i, shard] of shards.entries()) {
        const pinned = tables.placement.get(shard)?.pinned ?? null;
        tables.set(tables.placement, shard, { owner: owners[i], standby: standbys[i], pinned });
      }
      return shards.map(() => ({}));
    },
  },
  {
    begins: 'insert into placement (shard, pinned)',
    changes: true,
    run({ tables, values: [shard, pinned] }) {
      tables.set(tables.placement, shard, { ...(tables.placement.get(shard) ?? { owner: null, standby: null }), pinned });
      return [];
    },
  },
  {
    begins: 'update members set draining',
    changes: true,
    run({ tables, values: [id, draining] }) {
      const known = tables.members.get(id);
      if (known) tables.set(tables.members, id, { ...known, draining });
      return [];
    },
  },
];

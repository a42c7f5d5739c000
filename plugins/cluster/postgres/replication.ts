import type { Connection } from './connection.js';

interface Replication {
  readonly replicas: string;
  readonly synchronous: string;
  readonly commit: string;
}

/** Why a fail-over of the database may lose acknowledged transactions; undefined if it has no replica, or commits wait for one. */
export async function replicationProblem(connection: Connection): Promise<string | undefined> {
  const [found] = await connection.query<Replication>({
    text: `select (select count(*) from pg_stat_replication) as replicas, current_setting('synchronous_standby_names') as synchronous,
      current_setting('synchronous_commit') as commit`,
  });
  const { replicas, synchronous, commit } = found!;
  if (replicas === '0') return undefined;
  if (synchronous.trim() === '')
    return `the database has ${replicas === '1' ? 'a replica' : `${replicas} replicas`} and commits do not wait for any (synchronous_standby_names is empty), so a fail-over can lose acknowledged transactions`;
  if (commit === 'local' || commit === 'off')
    return `commits do not wait for the replica of the database (synchronous_commit is ${commit}), so a fail-over can lose acknowledged transactions`;
  return undefined;
}

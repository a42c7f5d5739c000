import {
  array,
  boolean,
  Conflict,
  integer,
  NotFound,
  nullable,
  number,
  object,
  oneOf,
  type Route,
  route,
  string,
  type TypeOf,
} from '#core';
import type { ClusterDirectory } from './directory.js';

const shardSchema = object(
  {
    shard: string(),
    /** The process that owns the shard; null while it changes its owner. */
    owner: nullable(string()),
    /** The process that follows the owner, and takes over when it ends. */
    standby: nullable(string()),
    /** The process to which the shard was moved by an operator. */
    pinned: nullable(string()),
    epoch: nullable(integer()),
    tenants: integer(),
    transaction: integer(),
    /** Transactions that the standby has not applied yet, by the newest reports. */
    lag: nullable(integer()),
    transactions_per_second: number(),
  },
  {
    /** Milliseconds of the newest append to the log. */
    flush_ms: number(),
  },
);

const processSchema = object({
  id: string(),
  url: string(),
  version: string(),
  draining: boolean(),
  shards: array(object({ shard: string(), role: oneOf('starting', 'standby', 'owner') })),
});

const clusterSchema = object({
  process: string(),
  processes: array(processSchema),
  shards: array(shardSchema),
  /** The length of leases in milliseconds. It is longer than that of the options on machines that are too busy. */
  lease_ms: integer(),
  warnings: array(string()),
});
/** A cluster as the admin API shows it. */
export type ClusterView = TypeOf<typeof clusterSchema>;

const answer = { 200: object({ cluster: clusterSchema }) };

/** The routes with which operators see and change who owns which shard. */
export function clusterRoutes(directory: ClusterDirectory): Route[] {
  const common = { shards: 'process', needsNoStore: true } as const;
  const requireMember = (id: string): void => {
    if (!directory.members().some((member) => member.id === id)) throw new NotFound('process', id);
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/cluster',
      permission: 'platform.read',
      summary: 'Shows the processes of the cluster, who owns which shard, and what an operator should know.',
      responses: answer,
      handler: () => ({ cluster: viewOf(directory) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/cluster/moves',
      permission: 'platform.operate',
      summary: 'Moves a shard to a process, which keeps it as long as it runs; without `process`, the shard may move again by itself.',
      request: { payload: object({ shard: string() }, { process: string() }) },
      responses: answer,
      async handler({ payload: { shard, process } }) {
        if (!directory.shards.includes(shard)) throw new NotFound('shard', shard);
        if (process !== undefined) requireMember(process);
        await directory.pin(shard, process);
        await directory.catchUp();
        return { cluster: viewOf(directory) };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/cluster/drains',
      permission: 'platform.operate',
      summary:
        'Takes all shards away from a process, for example before its machine is serviced; with `draining: false` it may have shards again.',
      request: { payload: object({ process: string() }, { draining: boolean() }) },
      responses: answer,
      async handler({ payload: { process, draining = true } }) {
        requireMember(process);
        const others = directory.members().filter(({ id, isDraining }) => id !== process && !isDraining);
        if (draining && others.length === 0)
          throw new Conflict('no_other_process', 'No other process could take the shards of this one; start another process first');
        await directory.drain(process, draining);
        await directory.catchUp();
        return { cluster: viewOf(directory) };
      },
    }),
  ];
}

/** The state of a cluster, from what this process knows. */
export function viewOf(directory: ClusterDirectory): ClusterView {
  const members = directory.members();
  const assignments = directory.assignments();
  const reportOf = (id: string | undefined, shard: string) =>
    members.find((member) => member.id === id)?.reports.find((one) => one.shard === shard);
  const shards = directory.shards.map((shard) => {
    const owner = directory.ownerOf(shard);
    const { standby, pinned } = assignments.get(shard) ?? {};
    const own = reportOf(owner?.id, shard);
    const following = reportOf(standby, shard);
    const isFollowing = following?.role === 'standby';
    return {
      shard,
      owner: owner?.id ?? null,
      standby: standby ?? null,
      pinned: pinned ?? null,
      epoch: directory.epochOf(shard) ?? null,
      tenants: directory.tenants().get(shard) ?? 0,
      transaction: own?.transaction ?? following?.transaction ?? 0,
      lag: own && isFollowing ? Math.max(0, own.transaction - following.transaction) : null,
      transactions_per_second: own?.rate ?? 0,
      ...(own?.flush_ms !== undefined && { flush_ms: own.flush_ms }),
    };
  });
  const problem = directory.problem();
  const condition = directory.condition();
  const unowned = shards.filter(({ owner }) => owner === null).map(({ shard }) => shard);
  const alone = shards.filter(({ owner, lag }) => owner !== null && lag === null).map(({ shard }) => shard);
  const versions = new Set(members.map(({ version }) => version));
  return {
    process: directory.self.id,
    processes: members.map(({ id, url, version, isDraining, reports }) => ({
      id,
      url,
      version,
      draining: isDraining,
      shards: reports.map(({ shard, role }) => ({ shard, role })),
    })),
    shards,
    lease_ms: directory.leaseMs,
    warnings: [
      ...(problem === undefined ? [] : [`The database cannot be reached by this process, so this state may be old: ${problem}`]),
      ...[...condition.lost].map(
        ([shard, count]) =>
          `The database has lost ${count === 1 ? 'a transaction' : `${count} transactions`} of ${shard}: see GET /admin/v1/store/losses, and confirm it.`,
      ),
      ...(condition.problem === undefined ? [] : [`A fail-over of the database may lose data: ${condition.problem}.`]),
      ...(directory.leaseMs > condition.baseLeaseMs
        ? [
            `Leases last ${seconds(directory.leaseMs)} instead of ${seconds(condition.baseLeaseMs)}, because a process renewed one late: it needs more CPU, or a quicker database. A take-over takes longer.`,
          ]
        : []),
      ...(unowned.length > 0 ? [`${listed(unowned)} without an owner: calls for their numbers get 503 until a process takes over.`] : []),
      ...(alone.length > 0
        ? [
            `${listed(alone)} without a standby: if the owner ends, another process has to load the data first. ${members.length < 2 ? 'Start another process.' : 'A standby is being prepared.'}`,
          ]
        : []),
      ...(versions.size > 1 ? [`Processes run different releases: ${[...versions].join(', ')}. Complete the upgrade.`] : []),
    ],
  };
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
const listed = (shards: readonly string[]): string => (shards.length === 1 ? `${shards[0]} is` : `${shards.join(', ')} are`);

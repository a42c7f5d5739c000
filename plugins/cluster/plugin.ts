import { definePlugin, type Plugin } from '#core';
import { clusterRoutes, viewOf } from './admin-routes.js';
import type { ClusterDirectory } from './directory.js';
import { unownedShards } from './unowned-shards.js';

/** The admin routes and metrics of a cluster, and its alerts about shards, for the platform of a shard. */
export const clusterPlugin = (directory: ClusterDirectory, shard: string): Plugin =>
  definePlugin({
    name: 'cluster',
    version: '1.0.0',
    register: (context) => ({
      ...unownedShards(directory, shard, context),
      admin: clusterRoutes(directory),
      metrics(metrics) {
        const gauge = (name: string, help: string, read: () => number) =>
          metrics.gauge({ name: `cluster_${name}`, help }, (set) => set({}, read()));
        const reports = () => directory.members().find(({ id }) => id === directory.self.id)?.reports ?? [];
        const most = (values: readonly number[]): number => Math.max(0, ...values);
        gauge('members', 'The processes of the cluster that have reported recently.', () => directory.members().length);
        gauge('owned_shards', 'The shards that this process owns.', () => reports().filter(({ role }) => role === 'owner').length);
        gauge(
          'shards_without_standby',
          'Shards without a standby, which no process could take over immediately.',
          () => viewOf(directory).shards.filter(({ lag }) => lag === null).length,
        );
        gauge('max_lag', 'The most transactions that a standby has not applied yet.', () =>
          most(viewOf(directory).shards.map(({ lag }) => lag ?? 0)),
        );
        gauge('max_flush_ms', 'The longest of the newest appends of this process to the log, in milliseconds.', () =>
          most(reports().map(({ flush_ms }) => flush_ms ?? 0)),
        );
        gauge('max_epoch', 'The highest epoch of a shard: how often it has changed its owner.', () =>
          most(directory.shards.map((shard) => directory.epochOf(shard) ?? 0)),
        );
        gauge('lease_ms', 'The length of leases in milliseconds: longer when processes are late.', () => directory.leaseMs);
        gauge(
          'late_ms',
          'How late this process renewed a lease or reported at most within the last minute.',
          () => directory.condition().lateMs,
        );
        gauge('lost_transactions', 'Transactions that the database has lost, and that no operator has confirmed.', () =>
          [...directory.condition().lost.values()].reduce((sum, transactions) => sum + transactions, 0),
        );
      },
    }),
  })();

import type { ClusterView } from '../../core/adapters/postgres/index.js';
import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';

/** As many characters of an id as tell processes apart. */
const SHORT = 8;

/** Lines that show the processes and shards of a cluster, and what an operator should know. */
export function clusterLines({ process, processes, shards, warnings }: ClusterView, paint: Paint): string[] {
  const owns = (id: string, role: string): number =>
    processes.find((one) => one.id === id)!.shards.filter((shard) => shard.role === role).length;
  const short = (id: string | null, none: string): string => (id === null ? none : id.slice(0, SHORT));
  return [
    paint('bold', 'Processes'),
    ...processes.map(({ id, url, version, draining }) =>
      [
        ...[
          `  ${short(id, '')}`,
          escapeControls(url),
          escapeControls(version),
          `owns ${owns(id, 'owner')}, standby of ${owns(id, 'standby')}`,
        ],
        ...(draining ? ['draining'] : []),
        ...(id === process ? [paint('dim', 'responded')] : []),
      ].join('  '),
    ),
    paint('bold', 'Shards'),
    ...shards.map(({ shard, owner, standby, pinned, epoch, tenants, lag, transactions_per_second: rate }) =>
      [
        ...[`  ${shard}`, `owner ${short(owner, 'none')}`, `standby ${short(standby, 'none')}${lag === null ? '' : ` (${lag} behind)`}`],
        ...[`epoch ${epoch ?? 0}`, `${tenants} numbers`, `${rate} transactions/s`],
        ...(pinned === null ? [] : [`moved to ${short(pinned, '')}`]),
      ].join('  '),
    ),
    ...warnings.map((warning) => `${paint('yellow', 'warning')} ${escapeControls(warning)}`),
  ];
}

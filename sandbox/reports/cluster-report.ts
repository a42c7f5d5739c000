import type { ClusterView } from '../../plugins/cluster/postgres/index.js';
import { escapeControls } from '../terminal/escape.js';
import { painter } from '../terminal/painter.js';
import { printTable } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';

/** As many characters of an id as tell processes apart. */
const SHORT = 8;

/** Prints the processes and shards of a cluster, and what an operator should know. */
export function printCluster({ process, processes, shards, warnings }: ClusterView, terminal: Terminal): void {
  const paint = painter(terminal.isColoured);
  const owns = (id: string, role: string): number =>
    processes.find((one) => one.id === id)!.shards.filter((shard) => shard.role === role).length;
  const short = (id: string | null, none: string): string => (id === null ? none : id.slice(0, SHORT));
  terminal.out(paint('bold', 'Processes'));
  printTable(
    processes.map(({ id, url, version, draining }) => [
      { text: short(id, ''), isKey: true },
      { text: url, isKey: true },
      version,
      `owns ${owns(id, 'owner')}, standby of ${owns(id, 'standby')}`,
      [...(draining ? ['draining'] : []), ...(id === process ? ['responded'] : [])].join('  '),
    ]),
    terminal,
    '  ',
  );
  terminal.out(paint('bold', 'Shards'));
  printTable(
    shards.map(({ shard, owner, standby, pinned, epoch, tenants, lag, transactions_per_second: rate }) => [
      { text: shard, isKey: true },
      `owner ${short(owner, 'none')}`,
      `standby ${short(standby, 'none')}${lag === null ? '' : ` (${lag} behind)`}`,
      `epoch ${epoch ?? 0}`,
      `${tenants} numbers`,
      `${rate} transactions/s`,
      pinned === null ? '' : `moved to ${short(pinned, '')}`,
    ]),
    terminal,
    '  ',
  );
  for (const warning of warnings) terminal.out(`${paint('yellow', 'warning')} ${escapeControls(warning)}`);
}

/** A loss as the admin API shows it. */
export interface Loss {
  readonly id: string;
  readonly shard: string;
  readonly at: string;
  readonly after: number;
  readonly transactions: number;
  readonly acknowledged: boolean;
  readonly complete: boolean;
  readonly confirmed: boolean;
  readonly tenants: readonly string[];
  readonly kinds: readonly { readonly collection: string; readonly documents: number }[];
}

/** Prints what the database has lost. `--json` prints the documents as well. */
export function printLosses(losses: readonly Loss[], terminal: Terminal): void {
  const paint = painter(terminal.isColoured);
  if (losses.length === 0) terminal.out('The database has lost nothing that a process remembers.');
  for (const { id, shard, at, after, transactions, acknowledged, complete, confirmed, tenants, kinds } of losses) {
    terminal.out(paint('bold', escapeControls(`${id}${confirmed ? '  confirmed' : ''}`)));
    const known = kinds.map(({ collection, documents }) => `${documents} ${collection}`).join(', ');
    terminal.out(
      escapeControls(
        `  ${at}: ${transactions} transactions of ${shard} after ${after}${acknowledged ? ', some of them acknowledged' : ''}`,
      ),
    );
    terminal.out(escapeControls(`  ${known || 'no documents'}${complete ? '' : ', and others that no process remembers'}`));
    for (const tenant of tenants) terminal.out(escapeControls(`  ${tenant}`));
  }
}

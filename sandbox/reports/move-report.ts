import type { MoveProgress, MoveReport } from '../../plugins/cluster/move/data-move.js';
import type { Terminal } from '../terminal/terminal.js';

const EVERY_MS = 2_000;

const PHASES: Readonly<Record<MoveProgress['phase'], string>> = {
  distributing: 'reading the tenants',
  copying: 'copying',
  verifying: 'verifying',
  publishing: 'completing',
};

/** Prints the progress of a move on standard error: each phase, and how far it is every two seconds. */
export function progressPrinter(terminal: Terminal): (progress: MoveProgress) => void {
  let [phase, printedAt] = ['', 0];
  return (progress) => {
    if (progress.phase === phase && performance.now() - printedAt < EVERY_MS) return;
    const isNew = progress.phase !== phase;
    [phase, printedAt] = [progress.phase, performance.now()];
    const share = isNew ? '' : `: ${Math.floor(100 * progress.share)} %, ${progress.documents.toLocaleString('en')} documents`;
    terminal.err(`${PHASES[progress.phase]}${share}`);
  };
}

/** @param next what to do now, one line each */
export function printMove(report: MoveReport, next: readonly string[], terminal: Terminal): void {
  const documents = Object.values(report.collections).reduce((sum, one) => sum + one.documents, 0);
  if (report.state === 'already_complete') terminal.out(`${report.to} already has the data of ${report.from}.`);
  else
    terminal.out(
      `Moved ${documents.toLocaleString('en')} documents in ${Object.keys(report.collections).length} collections from ${report.from} to ${report.to}; counts and checksums are equal.`,
    );
  if (report.resumed_parts > 0) terminal.out(`An interrupted move had written ${report.resumed_parts} parts, which were kept.`);
  const shards = Object.entries(report.shards);
  if (shards.length > 1) {
    terminal.out(`${report.tenants} tenants; ${report.without_tenant} documents belong to none and are in ${shards[0]![0]}.`);
    for (const [shard, { documents }] of shards) terminal.out(`  ${shard}: ${documents.toLocaleString('en')} documents`);
  }
  for (const line of next) terminal.out(line);
}

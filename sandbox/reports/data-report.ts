import type { DataReport, RepairReport } from '#core';
import type { Terminal } from '../terminal/terminal.js';

const MAX_SHOWN = 20;
const ONLY_A_BACKUP = 'No repair can mend what only a backup has: restore a backup of the folder, or what is missing from one.';

/** What a check has found, and what to do next. */
export function printCheck(report: DataReport, terminal: Terminal): void {
  describe(report, terminal);
  if (report.is_whole) terminal.out('Every record is as it was written.');
  else if (report.beyond_repair.length === report.problems.length) terminal.out(ONLY_A_BACKUP);
  else terminal.out(`To keep all that can be read: copy the folder, then posthorn data repair ${report.folder}`);
}

function describe(
  { folder, format, collections, documents, transactions, problems, torn_bytes: torn, synced_through: through }: DataReport,
  { out }: Terminal,
): void {
  out(
    `${folder}: format ${format ?? 'unknown'}, ${collections} collections, ${documents} documents, ${transactions} transactions in the journal`,
  );
  for (const { file, line, damage } of problems.slice(0, MAX_SHOWN)) {
    out(`  ${file}${line === undefined ? '' : `, line ${line}`}: ${damage}`);
  }
  if (problems.length > MAX_SHOWN) out(`  and ${problems.length - MAX_SHOWN} more; --json shows all`);
  if (torn === 0) return;
  out(`  the journal ends in an incomplete transaction (${torn} bytes): a write that a crash interrupted, and that was not acknowledged.`);
  if (through === undefined)
    out(`  If something else cut the file off, acknowledged transactions are missing: how far it was synced is not recorded.`);
  else out(`  All transactions up to ${through} are there; only if something else cut the file off, later acknowledged ones are missing.`);
}

/** What a repair has done. */
export function printRepair(report: RepairReport, terminal: Terminal): void {
  describe(report, terminal);
  if (!report.repaired && report.beyond_repair.length > 0) terminal.out('Nothing has been changed.');
  else if (!report.repaired) terminal.out('Every record is as it was written; there is nothing to repair.');
  else if (report.set_aside) {
    const { file, pieces } = report.set_aside;
    terminal.out(`Repaired. What could not be used is in ${file}: ${pieces} ${pieces === 1 ? 'piece' : 'pieces'}.`);
  } else terminal.out('Repaired. Nothing had to be set aside.');
  if (report.beyond_repair.length > 0) terminal.out(ONLY_A_BACKUP);
}

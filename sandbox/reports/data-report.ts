import type { DataReport, RepairReport } from '#core';
import { ownCommand } from '../../core/own-command.js';
import type { Terminal } from '../terminal/terminal.js';

const MAX_PROBLEMS = 20;
const NEEDS_BACKUP = 'repair cannot restore lost files: restore the folder, or the missing files, from a backup.';

export function printCheck(report: DataReport, terminal: Terminal): void {
  describe(report, terminal);
  if (report.is_whole) terminal.out('All records are intact.');
  else if (report.beyond_repair.length === report.problems.length) terminal.out(NEEDS_BACKUP);
  else terminal.out(`To keep all readable records: copy the folder, then run: ${ownCommand()} data repair ${report.folder}`);
}

function describe(
  { folder, format, collections, documents, transactions, problems, torn_bytes: torn, synced_through: through, keys }: DataReport,
  { out }: Terminal,
): void {
  out(
    `${folder}: format ${format ?? 'unknown'}, ${collections} collections, ${documents} documents, ${transactions} transactions in the journal`,
  );
  if (keys) {
    const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;
    const found = Object.entries(keys).map(([id, count]) =>
      id === 'none' ? `${files(count)} not encrypted` : `${files(count)} with key ${id}`,
    );
    out(`  encrypted: ${found.join(', ')}`);
  }
  for (const { file, line, damage } of problems.slice(0, MAX_PROBLEMS)) {
    out(`  ${file}${line === undefined ? '' : `, line ${line}`}: ${damage}`);
  }
  if (problems.length > MAX_PROBLEMS) out(`  and ${problems.length - MAX_PROBLEMS} more; --json shows all`);
  if (torn === 0) return;
  out(`  the journal ends in an incomplete transaction (${torn} bytes): a crash interrupted a write that was not acknowledged yet.`);
  if (through === undefined)
    out('  If something else truncated the file, acknowledged transactions may be missing: no record says how far it was synced.');
  else
    out(`  All transactions up to ${through} are present; later acknowledged ones are missing only if something else truncated the file.`);
}

export function printRepair(report: RepairReport, terminal: Terminal): void {
  describe(report, terminal);
  if (!report.repaired && report.beyond_repair.length > 0) terminal.out('Nothing was changed.');
  else if (!report.repaired) terminal.out('All records are intact; there is nothing to repair.');
  else if (report.set_aside) {
    const { file, pieces } = report.set_aside;
    terminal.out(`Repaired. Unreadable data was moved to ${file}: ${pieces} ${pieces === 1 ? 'piece' : 'pieces'}.`);
  } else terminal.out('Repaired. Nothing had to be set aside. If a file is missing, only a backup has its data.');
  if (report.beyond_repair.length > 0) terminal.out(NEEDS_BACKUP);
}

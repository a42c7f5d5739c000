import type { DataReport, RepairReport } from '#core';
import { notesCheck } from '../demo/notes.js';
import { isOn, readFlags, UsageError } from '../terminal/flags.js';
import { type Command, exit, type Terminal } from './command.js';

const flags = {
  json: isOn('print what was found as one line of JSON'),
  'own-key': isOn('the key of the secrets is not in the folder: the platform is given secretKey'),
};
const MOST_SHOWN = 20;
const ONLY_A_BACKUP = 'No repair can mend what only a backup has: restore a backup of the folder, or what is missing from one.';

export const data: Command = {
  summary: 'checks a data folder, or repairs one that is damaged',
  usage: 'data check|repair DIR [flags]',
  notes: [
    'check looks at every record, at the key, and at the notes of a sandbox; it changes nothing. repair',
    'keeps every record that can be read, and puts the rest into DIR/set-aside-1.jsonl; a key or notes',
    'it cannot make. Copy the folder first. A folder in use is refused.',
    'Exit codes: 0 whole or repaired, 1 damaged or not repaired, 2 no data there, 4 in use.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const [verb, folder, ...more] = words;
    if (verb !== 'check' && verb !== 'repair') throw new UsageError(`data takes check or repair, not '${verb ?? ''}'`);
    if (folder === undefined) throw new UsageError(`which folder? For example: npx posthorn data ${verb} ./data`);
    if (more.length > 0) throw new UsageError(`data ${verb} takes one folder`);
    const { checkData, repairData } = await import('#core');
    const options = { hasOwnKey: values['own-key'] ?? false, ownFiles: notesCheck(folder) };
    try {
      if (verb === 'repair') return tellRepair(await repairData(folder, options), values.json, terminal);
      const report = await checkData(folder, options);
      if (values.json) terminal.out(JSON.stringify(report));
      else tell(report, terminal);
      return report.is_whole ? exit.ok : exit.failed;
    } catch (error) {
      const { name, message } = error as Error;
      terminal.err(`posthorn: ${message}`);
      return name === 'FolderInUse' ? exit.inUse : name === 'NoData' ? exit.usage : exit.failed;
    }
  },
};

function tell(report: DataReport, terminal: Terminal): void {
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
  for (const { file, line, damage } of problems.slice(0, MOST_SHOWN)) {
    out(`  ${file}${line === undefined ? '' : `, line ${line}`}: ${damage}`);
  }
  if (problems.length > MOST_SHOWN) out(`  and ${problems.length - MOST_SHOWN} more; --json shows all`);
  if (torn === 0) return;
  out(`  the journal ends in an incomplete transaction (${torn} bytes): a write that a crash interrupted, and that was not acknowledged.`);
  if (through === undefined)
    out(`  If something else cut the file off, acknowledged transactions are missing: how far it was synced is not recorded.`);
  else out(`  All transactions up to ${through} are there; only if something else cut the file off, later acknowledged ones are missing.`);
}

function tellRepair(report: RepairReport, json: boolean | undefined, terminal: Terminal): number {
  if (json) terminal.out(JSON.stringify(report));
  else {
    describe(report, terminal);
    if (!report.repaired && report.beyond_repair.length > 0) terminal.out('Nothing has been changed.');
    else if (!report.repaired) terminal.out('Every record is as it was written; there is nothing to repair.');
    else if (report.set_aside) {
      const { file, pieces } = report.set_aside;
      terminal.out(`Repaired. What could not be used is in ${file}: ${pieces} ${pieces === 1 ? 'piece' : 'pieces'}.`);
    } else terminal.out('Repaired. Nothing had to be set aside.');
    if (report.beyond_repair.length > 0) terminal.out(ONLY_A_BACKUP);
  }
  return report.beyond_repair.length > 0 ? exit.failed : exit.ok;
}

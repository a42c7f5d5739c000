import { notesCheck } from '../demo/notes.js';
import { printCheck, printRepair } from '../reports/data-report.js';
import { isOn, readFlags, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  json: isOn('print what was found as one line of JSON'),
  'own-key': isOn('the key of the secrets is not in the folder: the platform is given secretKey'),
};

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
      if (verb === 'repair') {
        const report = await repairData(folder, options);
        if (values.json) terminal.out(JSON.stringify(report));
        else printRepair(report, terminal);
        return report.beyond_repair.length > 0 ? exit.failed : exit.ok;
      }
      const report = await checkData(folder, options);
      if (values.json) terminal.out(JSON.stringify(report));
      else printCheck(report, terminal);
      return report.is_whole ? exit.ok : exit.failed;
    } catch (error) {
      const { name, message } = error as Error;
      terminal.err(`posthorn: ${message}`);
      return name === 'FolderInUse' ? exit.inUse : name === 'NoData' ? exit.usage : exit.failed;
    }
  },
};

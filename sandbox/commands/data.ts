import { notesCheck } from '../demo/notes.js';
import { printCheck, printRepair } from '../reports/data-report.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  json: toggle('print the report as one line of JSON'),
  'own-key': toggle('do not require a key file, because your platform sets `secretKey` itself'),
};

export const data: Command = {
  summary: 'checks a data folder for damage, and repairs it',
  usage: 'data check|repair DIR [flags]',
  examples: ['data check ./data', 'data repair ./data'],
  notes: [
    'check reads every record, the key file and sandbox.json, and changes nothing. repair keeps every',
    'readable record and moves the rest to DIR/set-aside-1.jsonl; it cannot restore a key file or a',
    'sandbox.json. Copy the folder before a repair. check and repair refuse a folder that is in use.',
    'Exit codes: 0 intact or repaired, 1 damaged or not repaired, 2 no data in DIR, 4 in use.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, folder, ...more] = positionals;
    if (verb !== 'check' && verb !== 'repair')
      throw new UsageError(`data takes check or repair, not '${verb ?? ''}'; for example: npx posthorn data check ./data`);
    if (folder === undefined) throw new UsageError(`data ${verb} takes a folder, for example: npx posthorn data ${verb} ./data`);
    if (more.length > 0) throw new UsageError(`data ${verb} takes one folder, not ${more.length + 1}`);
    const { checkData, repairData } = await import('#core');
    const options = { hasOwnKey: values['own-key'] ?? false, ownFiles: notesCheck(folder) };
    try {
      if (verb === 'repair') {
        const report = await repairData(folder, options);
        if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
        else printRepair(report, terminal);
        return report.beyond_repair.length > 0 ? exit.failed : exit.ok;
      }
      const report = await checkData(folder, options);
      if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
      else printCheck(report, terminal);
      return report.is_whole ? exit.ok : exit.failed;
    } catch (error) {
      const { name, message } = error as Error;
      terminal.err(`posthorn: ${message}`);
      return name === 'FolderInUse' ? exit.inUse : name === 'NoData' ? exit.usage : exit.failed;
    }
  },
};

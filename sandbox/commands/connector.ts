import { languageOf, writeStarter } from '../conform/starter.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import type { Command } from './command.js';

const flags = { lang: languageOf('connector'), json: toggle('print the files and the next command as one line of JSON') };

export const connector: Command = {
  summary: 'creates a small channel connector to start from',
  usage: 'connector new DIR [flags]',
  examples: ['connector new ./my-connector', 'connector new ./my-connector --lang python'],
  notes: [
    'It uses the standard library only, passes posthorn conform connector, and has a test.',
    'Exit codes: 0 created, 2 wrong usage, or the folder exists.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, directory, ...more] = positionals;
    if (verb !== 'new' || more.length > 0) throw new UsageError('connector takes one verb: npx posthorn connector new DIR');
    return writeStarter('connector', directory, values.lang ?? 'ts', values.json ?? false, terminal);
  },
};

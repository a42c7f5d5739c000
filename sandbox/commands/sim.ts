import { openSimulation } from '../conversation/simulate.js';
import { jsonLines, talk, talkLines } from '../conversation/talk.js';
import { isOn, oneOf, pairs, readFlags, text, texts, UsageError } from '../terminal/flags.js';
import { readJsonFile } from '../terminal/json-file.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  input: texts('TEXT', 'what the contact writes; several times for several turns. Without it lines are read'),
  contact: pairs('KEY=VALUE', 'a field of the contact; several times for several'),
  parent: pairs('KEY=VALUE', 'what the journey sees as @parent'),
  child: pairs('KEY=VALUE', 'what the journey sees as @child'),
  mock: texts('FILE', 'answers for HTTP requests: a JSON file with one mock or a list'),
  'fail-unmocked': isOn('a request that no mock answers fails instead of going out'),
  revision: oneOf(['production', 'staging'] as const, 'which revision runs (default production)'),
  number: text('ADDRESS', 'of which number, when several have a journey of this name'),
  json: isOn('print every turn as one line of JSON'),
};

export const sim: Command = {
  summary: 'talks with a journey, and sends nothing',
  usage: 'sim JOURNEY [flags]',
  notes: [
    'JOURNEY is a file, which needs no sandbox, or the name or uuid of a journey in the sandbox that runs here.',
    'In a terminal it asks for every input; an empty line ends it. From a pipe every line is an input.',
    'Exit codes: 0 done, 1 refused, or the journey failed, or a request found no mock, 2 not understood, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const [journey, ...more] = words;
    if (journey === undefined) throw new UsageError('which journey? A file, or the name of one in the sandbox');
    if (more.length > 0) throw new UsageError(`sim takes one journey; to write something: --input ${JSON.stringify(more.join(' '))}`);
    const mocks = (values.mock ?? []).flatMap(mocksIn);
    const simulation = await openSimulation(journey, { cwd: terminal.cwd, number: values.number });
    try {
      const opening = {
        revision: values.revision,
        contact: values.contact,
        parent: values.parent,
        child: values.child,
        http_mocks: mocks,
        fail_unmocked_http_calls: values['fail-unmocked'],
      };
      const isFine = await talk(simulation, opening, values.input, values.json ? jsonLines(terminal) : talkLines(terminal));
      return isFine ? exit.ok : exit.failed;
    } finally {
      await simulation.close();
    }
  },
};

function mocksIn(file: string): object[] {
  const mocks = readJsonFile(file);
  return Array.isArray(mocks) ? mocks : [mocks];
}

import { resolve } from 'node:path';
import { openSimulation } from '../conversation/simulate.js';
import { jsonLines, talk, talkLines } from '../conversation/talk.js';
import { oneOf, pairs, readFlags, text, texts, toggle, UsageError } from '../terminal/flags.js';
import { readJsonFile } from '../terminal/json-file.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  input: texts('TEXT', 'a message of the contact; repeatable. Default: lines of standard input'),
  contact: pairs('KEY=VALUE', 'a contact field; repeatable'),
  parent: pairs('KEY=VALUE', 'a value of @parent; repeatable'),
  child: pairs('KEY=VALUE', 'a value of @child; repeatable'),
  mock: texts('FILE', 'a JSON file with one HTTP mock or a list; repeatable'),
  skills: text('FILE', 'a JSON or YAML file with the results of skills and apps: {"NAME": {"output": VALUE}}'),
  'fail-unmocked': toggle('fail HTTP requests without a matching mock instead of sending them'),
  revision: oneOf(['production', 'staging'] as const, 'the revision to run (default production)'),
  number: text('ADDRESS', 'the number of the journey, if several numbers have a journey with this name'),
  record: text('FILE', 'write the conversation as a test for posthorn test, such as menu.test.yaml'),
  json: toggle('print every turn as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const sim: Command = {
  summary: 'runs a journey in the terminal without sending messages',
  usage: 'sim JOURNEY [flags]',
  examples: ['sim menu.journey.md', 'sim menu.journey.md --input hi --input "Opening hours" --json'],
  notes: [
    'JOURNEY is a file, or the name or uuid of a journey in the running sandbox. No sandbox is needed for a file.',
    'In a terminal, sim prompts for each input, and an empty line ends the simulation. From a pipe, each',
    'line is one input.',
    'A journey in a file has no skills: --skills stands in for them, and a terminal asks for those that are missing.',
    'Exit codes: 0 done, 1 refused, the journey failed or a request had no mock, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [journey, ...more] = positionals;
    if (journey === undefined) throw new UsageError('sim needs a journey: a file, or the name of a journey in the sandbox');
    if (more.length > 0) throw new UsageError(`sim takes one journey; to send a message: --input ${JSON.stringify(more.join(' '))}`);
    const { withExactIntegers } = await import('#core/basics');
    const mocks = (values.mock ?? []).flatMap((file) => [readJsonFile(resolve(terminal.cwd, file), withExactIntegers)].flat());
    const recorder = values.record === undefined ? undefined : await recorderFor(values.record, journey, mocks, values, terminal);
    const opened = await openSimulation(journey, {
      cwd: terminal.cwd,
      number: values.number,
      skills: values.skills,
      warn: terminal.err,
    });
    const simulation = recorder?.around(opened) ?? opened;
    try {
      const opening = {
        revision: values.revision,
        contact: values.contact,
        parent: values.parent,
        child: values.child,
        http_mocks: mocks,
        fail_unmocked_http_calls: values['fail-unmocked'],
      };
      const hasSucceeded = await talk(simulation, opening, values.input, values.json ? jsonLines(terminal) : talkLines(terminal));
      if (recorder) {
        for (const note of await recorder.write()) terminal.err(`Note: ${note}`);
        terminal.err(`The test is in ${values.record}. Run it with: npx posthorn test ${values.record}`);
      }
      return hasSucceeded ? exit.ok : exit.failed;
    } finally {
      await simulation.close();
    }
  },
};

/** @throws UsageError when the test file cannot be written, before the conversation begins */
async function recorderFor(file: string, journey: string, mocks: readonly object[], values: Values, { cwd }: Terminal) {
  const { checkOutput } = await import('../journey-tests/explore/run-explore.js');
  checkOutput(resolve(cwd, file), file);
  const { SimRecorder } = await import('../journey-tests/record/sim-recorder.js');
  const { revision, contact, parent, child } = values;
  return new SimRecorder({ file, journey, mocks, revision, contact, parent, child, cwd });
}

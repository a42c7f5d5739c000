import { createInterface } from 'node:readline';
import { openSimulation, type SimulatedTurn, type Simulation } from '../conversation/simulate.js';
import { isOn, oneOf, pairs, readFlags, text, texts, UsageError } from '../terminal/flags.js';
import { readJsonFile } from '../terminal/json-file.js';
import { type Paint, painter } from '../terminal/painter.js';
import { shown } from '../terminal/shown.js';
import { type Command, exit, type Terminal } from './command.js';

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
      return await talk(simulation, opening, values.input, values.json ? jsonLines(terminal) : talkLines(terminal));
    } finally {
      await simulation.close();
    }
  },
};

type Show = (input: string | undefined, turn: SimulatedTurn, isTyped?: boolean) => void;

/** From the opening to the end of the journey, or of what is written. */
async function talk(simulation: Simulation, opening: object, given: readonly string[] | undefined, show: Show): Promise<number> {
  let turn = await simulation.take(opening);
  show(undefined, turn);
  let isFine = fine(turn);
  // What is typed in a terminal is on the screen already.
  const isTyped = given === undefined && process.stdin.isTTY === true;
  for await (const input of given ?? linesOfInput()) {
    if (turn.state === 'end' || input === '') break;
    turn = await simulation.take({ input });
    show(input, turn, isTyped);
    isFine &&= fine(turn);
  }
  return isFine ? exit.ok : exit.failed;
}

const fine = ({ events, http_calls }: SimulatedTurn): boolean =>
  !events.some(({ type }) => type === 'failure') && !http_calls.some(({ mocked, status }) => !mocked && status === null);

async function* linesOfInput(): AsyncGenerator<string> {
  const isAsked = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, ...(isAsked && { output: process.stderr, prompt: '  ▶ ' }) });
  try {
    if (isAsked) lines.prompt();
    for await (const line of lines) {
      yield line.trim();
      if (isAsked) lines.prompt();
    }
  } finally {
    lines.close();
  }
}

const jsonLines =
  ({ out }: Terminal): Show =>
  (input, turn) =>
    out(JSON.stringify({ ...(input !== undefined && { input }), ...turn }));

function talkLines({ out, isColoured }: Terminal): Show {
  const paint = painter(isColoured);
  return (input, turn, isTyped = false) => {
    if (input !== undefined && !isTyped) out(`  ▶ ${shown(input)}`);
    const [first, ...rest] = turn.message === '' ? [paint('dim', '(nothing is said)')] : turn.message.split('\n').map(shown);
    out(`  ◀ ${first}`);
    for (const line of rest) out(`    ${line}`);
    for (const line of details(turn, paint)) out(`    ${line}`);
  };
}

function details({ http_calls, skill_calls, actions, warnings, card, state }: SimulatedTurn, paint: Paint): string[] {
  return [
    ...http_calls.flatMap(({ method, url, status, mocked, failures }) => [
      `${paint('dim', 'http')}     ${method} ${shown(url)}  ${status ?? paint('red', 'no answer')}${mocked ? paint('dim', '  mocked') : ''}`,
      ...failures.map((failure) => `         ${paint('red', shown(failure))}`),
    ]),
    ...skill_calls.map(
      ({ name, arguments: given, output }) =>
        `${paint('dim', 'skill')}    ${shown(`${name} ${JSON.stringify(given)} → ${JSON.stringify(output)}`)}`,
    ),
    ...actions.map((action) => `${paint('dim', 'action')}   ${shown(action)}`),
    ...warnings.map(({ block, expression, reason }) => `${paint('yellow', 'warning')}  ${shown(`${block}: ${expression}: ${reason}`)}`),
    paint('dim', state === 'end' ? 'the journey has ended' : `waits at ${card}`),
  ];
}

function mocksIn(file: string): object[] {
  const mocks = readJsonFile(file);
  return Array.isArray(mocks) ? mocks : [mocks];
}

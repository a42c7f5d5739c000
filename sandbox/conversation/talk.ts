import { createInterface } from 'node:readline';
import { type Paint, painter } from '../terminal/painter.js';
import { shown } from '../terminal/shown.js';
import type { Terminal } from '../terminal/terminal.js';
import type { SimulatedTurn, Simulation } from './simulate.js';

/** Shows a turn, and what was written before it. */
type Show = (input: string | undefined, turn: SimulatedTurn, isTyped?: boolean) => void;

/** Talks from the opening to the end of the journey, or of what is written. @returns whether nothing failed */
export async function talk(simulation: Simulation, opening: object, given: readonly string[] | undefined, show: Show): Promise<boolean> {
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
  return isFine;
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

/** Each turn as a line of JSON. */
export const jsonLines =
  ({ out }: Terminal): Show =>
  (input, turn) =>
    out(JSON.stringify({ ...(input !== undefined && { input }), ...turn }));

/** Each turn as people read it. */
export function talkLines({ out, isColoured }: Terminal): Show {
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

import { createInterface } from 'node:readline';
import { escapeControls } from '../terminal/escape.js';
import { type Paint, painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';
import type { SimulatedTurn, Simulation } from './simulate.js';

type Show = (input: string | undefined, turn: SimulatedTurn, isTyped?: boolean) => void;

/** Runs a simulation until the journey or the inputs end. @returns false if a turn or an HTTP request failed */
export async function talk(simulation: Simulation, opening: object, inputs: readonly string[] | undefined, show: Show): Promise<boolean> {
  let turn = await simulation.turn(opening);
  show(undefined, turn);
  let hasSucceeded = isSuccessful(turn);
  // Typed input is already on the screen.
  const isTyped = inputs === undefined && process.stdin.isTTY === true;
  for await (const input of inputs ?? linesOfInput()) {
    if (turn.state === 'end' || input === '') break;
    turn = await simulation.turn({ input });
    show(input, turn, isTyped);
    hasSucceeded &&= isSuccessful(turn);
  }
  return hasSucceeded;
}

const isSuccessful = ({ events, http_calls }: SimulatedTurn): boolean =>
  !events.some(({ type }) => type === 'failure') && !http_calls.some(({ mocked, status }) => !mocked && status === null);

async function* linesOfInput(): AsyncGenerator<string> {
  const isInteractive = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, ...(isInteractive && { output: process.stderr, prompt: '  ▶ ' }) });
  try {
    if (isInteractive) lines.prompt();
    for await (const line of lines) {
      yield line.trim();
      if (isInteractive) lines.prompt();
    }
  } finally {
    lines.close();
  }
}

export const jsonLines =
  ({ out }: Terminal): Show =>
  (input, turn) =>
    out(JSON.stringify({ v: 1, ...(input !== undefined && { input }), ...turn }));

export function talkLines({ out, isColoured }: Terminal): Show {
  const paint = painter(isColoured);
  return (input, turn, isTyped = false) => {
    if (input !== undefined && !isTyped) out(`  ▶ ${escapeControls(input)}`);
    const [first, ...rest] = turn.message === '' ? [paint('dim', '(no message)')] : turn.message.split('\n').map(escapeControls);
    out(`  ◀ ${first}`);
    for (const line of rest) out(`    ${line}`);
    for (const line of details(turn, paint)) out(`    ${line}`);
  };
}

function details({ http_calls, skill_calls, actions, warnings, card, state }: SimulatedTurn, paint: Paint): string[] {
  return [
    ...http_calls.flatMap(({ method, url, status, mocked, failures }) => [
      `${paint('dim', 'http')}     ${method} ${escapeControls(url)}  ${status ?? paint('red', 'no response')}${mocked ? paint('dim', '  mocked') : ''}`,
      ...failures.map((failure) => `         ${paint('red', escapeControls(failure))}`),
    ]),
    ...skill_calls.map(
      ({ name, arguments: input, output }) =>
        `${paint('dim', 'skill')}    ${escapeControls(`${name} ${JSON.stringify(input)} → ${JSON.stringify(output)}`)}`,
    ),
    ...actions.map((action) => `${paint('dim', 'action')}   ${escapeControls(action)}`),
    ...warnings.map(
      ({ block, line, expression, reason }) =>
        `${paint('yellow', 'warning')}  ${escapeControls(`${line === undefined ? '' : `line ${line}, `}${block}: ${expression}: ${reason}`)}`,
    ),
    paint('dim', state === 'end' ? 'the journey has ended' : `waiting at ${card}`),
  ];
}

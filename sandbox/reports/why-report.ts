import { textOf } from '../../core/events/message-text.js';
import { recordKindOf } from '../../core/events/record-kinds.js';
import { withOwnCommand } from '../../core/own-command.js';
import { escapeControls } from '../terminal/escape.js';
import { type Paint, painter } from '../terminal/painter.js';
import { timeOfDay } from '../terminal/table.js';
import { withShortIds } from './short-id.js';

interface LinkShown {
  readonly name: string;
  readonly state: 'ok' | 'waiting' | 'broken' | 'unknown' | 'skipped';
  readonly first: boolean;
  readonly summary: string;
  readonly at: string | null;
  readonly evidence: Readonly<Record<string, string>>;
  readonly fix: { readonly action: string; readonly command?: string; readonly route?: string; readonly body?: object } | null;
  readonly advice?: readonly { readonly name: string; readonly message: string; readonly fix: string }[];
}

/** The steps of a message, as the admin API returns them. */
export interface Chain {
  readonly about: { readonly message: string | null };
  readonly first: number | null;
  readonly links: readonly LinkShown[];
}

/** The message that a chain is about. */
export interface AskedMessage {
  readonly direction: string;
  readonly from: string;
  readonly to: string;
  readonly recorded_at: string;
  readonly type: string;
  readonly content: Record<string, unknown>;
}

const looks = { ok: 'green', waiting: 'yellow', broken: 'red', unknown: 'yellow', skipped: 'dim' } as const;
const NO_TIME = ' '.repeat(8);

/** The message, then its steps in order, the first broken one with an arrow: what happened, the fix, advice, and the ids. */
export function chainLines({ first, links }: Chain, message: AskedMessage | undefined, isColoured: boolean): string[] {
  const paint = painter(isColoured);
  return [
    ...(message ? [messageLine(message, paint)] : []),
    ...links.flatMap((link) => linkLines(link, paint)),
    ...(first === null ? [happened(links)] : []),
  ];
}

const happened = (links: readonly LinkShown[]): string =>
  links.some(({ state }) => state === 'broken')
    ? 'Every step of the message happened; the refused calls are those of other numbers.'
    : 'Every step happened.';

function messageLine({ direction, from, to, recorded_at: at, ...message }: AskedMessage, paint: Paint): string {
  const [contact, verb] = direction === 'inbound' ? [from, 'wrote'] : [to, 'was sent'];
  return `${paint('dim', timeOfDay(at))}  ${paint('bold', escapeControls(contact))}  ${verb}  ${escapeControls(textOf(message).replaceAll('\n', ' ⏎ '))}`;
}

function linkLines({ name, state, summary, at, evidence, fix, advice = [], first }: LinkShown, paint: Paint): string[] {
  const fixed = (label: string, parts: readonly (string | undefined)[]): string =>
    `    ${paint('cyan', label)}: ${parts
      .filter((part) => part !== undefined)
      .map((part) => escapeControls(withOwnCommand(part)))
      .join('  |  ')}`;
  const isId = ([key]: readonly [string, string]): boolean => recordKindOf(key) !== undefined;
  const known = Object.entries(evidence);
  const shown = [...known.filter((one) => !isId(one)), ...known.filter(isId)];
  return [
    `${first ? '>' : ' '} ${paint('dim', at === null ? NO_TIME : timeOfDay(at))}  ${paint('bold', name.padEnd(8))} ${paint(looks[state], state.padEnd(7))}  ${escapeControls(withShortIds(summary))}`,
    ...(fix
      ? [fixed('fix', [fix.action, fix.command, fix.route && [fix.route, ...(fix.body ? [JSON.stringify(fix.body)] : [])].join(' ')])]
      : []),
    ...advice.flatMap(({ name, message, fix }) => [
      `    ${paint('yellow', 'advice')} ${paint('bold', name)}: ${escapeControls(message)}`,
      `  ${fixed('fix', [fix])}`,
    ]),
    ...(shown.length > 0
      ? [`    ${paint('dim', shown.map(([key, value]) => `${key} ${escapeControls(withShortIds(value))}`).join('  '))}`]
      : []),
  ];
}

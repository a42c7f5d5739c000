import { callText } from '../../core/events/event-summary.js';
import { pageUrl } from '../client/console.js';
import type { RunFile } from '../client/run-file.js';
import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';
import { type Row, timeOfDay } from '../terminal/table.js';
import { withShortIds } from './short-id.js';

interface RecordedMessage {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: { readonly bytes: number | null; readonly text: string | null; readonly cut: boolean };
}

/** A recorded call, as the admin API returns it. */
export interface CallShown {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly number: { readonly uuid: string; readonly address: string; readonly name: string } | null;
  readonly status: number;
  readonly ms: number;
  readonly error: string | null;
  readonly request: RecordedMessage;
  readonly response: RecordedMessage;
}

const FIRST_ERROR = 400;

const callLine = ({ id, at, error, ...call }: CallShown, paint: Paint): string =>
  [
    paint('dim', at),
    id,
    paint(call.status >= FIRST_ERROR ? 'red' : 'green', escapeControls(callText(call))),
    ...(error === null ? [] : [escapeControls(error)]),
  ].join('  ');

/** The row of a call in a list: its time, the contact that it is about, what was called, the error, and its short id. */
export const callRow = (call: CallShown, run: RunFile): Row => [
  { text: timeOfDay(call.at), style: 'dim' },
  contactOf(call) ?? '-',
  { text: withShortIds(callText(call)), style: call.status >= FIRST_ERROR ? 'red' : 'green' },
  call.error ?? '',
  { text: shortCallId(call.id), isKey: true, link: pageUrl(run, 'calls', call.id) },
];

/** The part of the id of a call that no other recent call has: the other part is its time. */
export const shortCallId = (id: string): string => id.slice(id.lastIndexOf('-') + 1);

/** The contact that a call names in its path or body. */
function contactOf({ path, request: { body } }: CallShown): string | undefined {
  const [, inPath] = /\/v1\/contacts\/([^/?]+)/.exec(path) ?? [];
  if (inPath !== undefined) return inPath.replaceAll('%2B', '+');
  const { to, contact, message, status } = objectIn(body.text) as Record<string, Record<string, unknown> | undefined>;
  return [to, contact?.id, message?.from, status?.recipient_id].find((one) => typeof one === 'string') as string | undefined;
}

function objectIn(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A call with its headers and bodies. */
export const callLines = (call: CallShown, paint: Paint): string[] => [
  callLine(call, paint),
  `  ${paint('dim', 'route')}  ${call.route ?? 'no route has this path and method'}`,
  ...partLines('>', call.request, paint),
  ...partLines('<', call.response, paint),
];

export function partLines(mark: string, { headers, body }: RecordedMessage, paint: Paint): string[] {
  const size = body.bytes === null ? 'unknown size' : `${body.bytes} bytes`;
  const text = body.text === null ? paint('dim', `body not recorded, ${size}`) : escapeControls(body.text);
  return [
    ...headers.map(([name, value]) => `  ${mark} ${paint('dim', `${escapeControls(name)}:`)} ${escapeControls(value)}`),
    ...(body.text === '' ? [] : [`  ${mark} ${text}${body.cut ? paint('dim', ` … (${size})`) : ''}`]),
  ];
}

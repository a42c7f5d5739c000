import { callText } from '../../core/events/event-summary.js';
import { pageUrl } from '../client/console.js';
import type { RunFile } from '../client/run-file.js';
import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';
import { type Row, timeCell } from '../terminal/table.js';

interface Part {
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
  readonly request: Part;
  readonly response: Part;
}

const FIRST_ERROR = 400;

const callLine = ({ id, at, error, ...call }: CallShown, paint: Paint): string =>
  [
    paint('dim', at),
    id,
    paint(call.status >= FIRST_ERROR ? 'red' : 'green', escapeControls(callText(call))),
    ...(error === null ? [] : [escapeControls(error)]),
  ].join('  ');

/** The row of a call in a list. */
export const callRow = ({ id, at, error, ...call }: CallShown, run: RunFile): Row => [
  timeCell(at),
  { text: id, isKey: true, link: pageUrl(run, 'calls', id) },
  { text: callText(call), style: call.status >= FIRST_ERROR ? 'red' : 'green' },
  error ?? '',
];

/** A call with its headers and bodies. */
export const callLines = (call: CallShown, paint: Paint): string[] => [
  callLine(call, paint),
  `  ${paint('dim', 'route')}  ${call.route ?? 'no route has this path and method'}`,
  ...partLines('>', call.request, paint),
  ...partLines('<', call.response, paint),
];

export function partLines(mark: string, { headers, body }: Part, paint: Paint): string[] {
  const size = body.bytes === null ? 'unknown size' : `${body.bytes} bytes`;
  const text = body.text === null ? paint('dim', `body not recorded, ${size}`) : escapeControls(body.text);
  return [
    ...headers.map(([name, value]) => `  ${mark} ${paint('dim', `${escapeControls(name)}:`)} ${escapeControls(value)}`),
    ...(body.text === '' ? [] : [`  ${mark} ${text}${body.cut ? paint('dim', ` … (${size})`) : ''}`]),
  ];
}

import { isObject } from '../json.js';
import { acceptsType, type ChannelCapabilities, type FileLimit, type MessageLimits } from './network-limits.js';
import { type Sendable, turnSchema, turnType, turnTypes } from './turn.js';

type Part = Readonly<Record<string, unknown>>;
/** A text or list whose length has a limit. */
type Measured = readonly [limit: keyof MessageLimits, length: number];

const partOf = (value: unknown): Part => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.map(partOf) : []);
const size = (limit: keyof MessageLimits, value: unknown): readonly Measured[] =>
  typeof value === 'string' ? [[limit, Array.from(value).length]] : [];

/** Whether a turn has the form of the messages that connectors receive. */
export const isTurn = (turn: unknown): boolean => turnSchema.validate(turn).error === undefined;

/**
 * The problem of a message for a channel, before it is sent: its form, a text or list over a limit of the channel, or a type of file that it
 * does not accept; undefined if there is none.
 * @param isStrict whether the form of the messages that connectors receive is required; else one of another type needs only its content
 */
export function turnFault(
  turn: Sendable,
  { limits = {}, files = {} }: ChannelCapabilities,
  { isStrict }: { readonly isStrict: boolean },
): string | undefined {
  const type = turnType(turn);
  if (typeof type !== 'string') return 'its type is not a text';
  const content = (turn as Part)[type];
  if (typeof content !== 'object' || content === null) return `it has no content under the key '${type}'`;
  const { error } = isStrict && turnTypes.has(type) ? turnSchema.validate(turn) : {};
  if (error) return error.message;
  const part = partOf(content);
  if (type === 'text' && (typeof part.body !== 'string' || part.body.trim() === '')) return 'its text is empty';
  for (const [name, length] of measured(type, part)) {
    const max = limits[name];
    if (max !== undefined && length > max) return `it exceeds the limit '${name}' of the channel: ${length} of at most ${max}`;
  }
  const accepted = (files as Readonly<Record<string, FileLimit | undefined>>)[type];
  const found = part.mime_type;
  return accepted && typeof found === 'string' && !acceptsType(accepted, found)
    ? `the channel refuses ${found} as ${type}; it takes ${accepted.types.join(', ')}`
    : undefined;
}

function measured(type: string, part: Part): readonly Measured[] {
  if (type === 'text') return size('text', part.body);
  if (type === 'template') return [...size('templateName', part.name), ...size('templateLanguage', partOf(part.language).code)];
  if (type === 'reaction') return size('emoji', part.emoji);
  if (type !== 'interactive') return [...size('caption', part.caption), ...size('filename', part.filename)];
  const action = partOf(part.action);
  const flow = partOf(action.parameters);
  const replies = listOf(action.buttons).map(({ reply }) => partOf(reply));
  const sections = listOf(action.sections);
  const rows = sections.flatMap((section) => listOf(section.rows));
  return [
    ...size('header', partOf(part.header).text),
    ...size(part.type === 'list' ? 'listBody' : 'body', partOf(part.body).text),
    ...size('footer', partOf(part.footer).text),
    ['buttons', replies.length],
    ...replies.flatMap(({ id, title }) => [...size('buttonId', id), ...size('buttonTitle', title)]),
    ...size('listButton', action.button),
    ['sections', sections.length],
    ...sections.flatMap(({ title }) => size('sectionTitle', title)),
    ['rows', rows.length],
    ...rows.flatMap(({ id, title, description }) => [
      ...size('rowId', id),
      ...size('rowTitle', title),
      ...size('rowDescription', description),
    ]),
    ...size('flowCta', flow.flow_cta),
    ...size('flowToken', flow.flow_token),
  ];
}

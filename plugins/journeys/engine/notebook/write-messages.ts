import { marksOf, templateAt, valueAt } from './call-values.js';
import { type Clause, type Draft, type MessageValue, TEXT } from './draft.js';
import type { CallItem } from './syntax.js';

const OCTETS = 'application/octet-stream';
const PDF = 'application/pdf';

/** Content type and MIME type of media in resources. */
export const media: Readonly<Record<string, Pick<MessageValue, 'type' | 'mimeType'>>> = {
  image: { type: 'IMAGE', mimeType: OCTETS },
  video: { type: 'VIDEO', mimeType: OCTETS },
  audio: { type: 'AUDIO', mimeType: OCTETS },
  document: { type: 'TEXT', mimeType: PDF },
};

const partOf = (call: CallItem): MessageValue => {
  const { type, mimeType } = media[call.word.name] ?? { type: 'TEXT', mimeType: TEXT };
  return { type, mimeType, value: (valueAt(call, 'link') ?? valueAt(call, 'text'))! };
};

/** Compiles a text or a medium, joined with the text directly behind it. */
export function writeMedium(clause: Clause, call: CallItem, text?: CallItem): void {
  const kind = call.word.name;
  const filename = templateAt(call, 'filename');
  const draft = clause.add({
    name: call.name ?? `${clause.base}_${kind}`,
    type: 'MobilePrimitives.Message',
    config: {},
    itemType: kind,
    marks: () => marksOf(call, { filename: 'config/filename' }),
  });
  clause.say(draft, 'prompt', [partOf(call), ...(text ? [partOf(text)] : [])]);
  if (filename !== null) draft.config.filename = filename;
}

/** Compiles the body of a choice or a question: media, then texts, then header and footer. */
export function sayBody(clause: Clause, draft: Draft, call: CallItem, more: readonly MessageValue[] = []): void {
  const of = (...names: readonly string[]) => call.body.filter(({ word }) => names.includes(word.name)).map(partOf);
  clause.say(draft, 'prompt', [...of(...Object.keys(media)), ...of('text'), ...more]);
  for (const key of ['header', 'footer']) {
    const lines = of(key);
    if (lines.length > 0) clause.say(draft, key, lines);
  }
}

export function writeQuestion(clause: Clause, call: CallItem): void {
  const draft = clause.add({
    name: call.name ?? clause.base,
    type: 'MobilePrimitives.OpenResponse',
    config: { max_response_characters: null },
    itemType: 'ask',
  });
  const text = valueAt(call, 'text');
  sayBody(clause, draft, call, text ? [{ type: 'TEXT', mimeType: TEXT, value: text }] : []);
}

export function writeLog(clause: Clause, call: CallItem): void {
  const draft = clause.add({ name: call.name ?? `${clause.base}_log`, type: 'Core.Log', config: {}, itemType: 'log' });
  clause.say(draft, 'message', [partOf(call)]);
}

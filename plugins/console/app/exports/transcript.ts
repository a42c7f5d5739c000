import type { ContactRecord, MessageRecord, NumberRecord } from '#core';
import { admin } from '../data/admin.js';
import { savedText, saveText } from './files.js';
import { texts } from './texts.js';
import { htmlOf, textOf } from './transcript-text.js';

const PAGE = 500;
/** The limit of messages in a file: the browser keeps them in memory. */
const MOST = 5_000;

/** Saves a conversation with all messages, also those that the page has not loaded. @throws CallFailed */
export async function saveTranscript(
  kind: 'txt' | 'html',
  { conversation, contact, number }: { conversation: string; contact: ContactRecord; number: NumberRecord | undefined },
): Promise<string> {
  const path = (before?: number): string =>
    `/conversations/${conversation}/messages?limit=${PAGE}${before === undefined ? '' : `&before=${before}`}`;
  const messages = new Map<string, MessageRecord>();
  for (let before: number | undefined, isEnd = false; !isEnd && messages.size < MOST; ) {
    const page = (await admin<{ messages: readonly MessageRecord[] }>('GET', path(before))).messages;
    for (const message of page) messages.set(message.uuid, message);
    before = Math.min(...page.map(({ position }) => position));
    isEnd = page.length === 0 || before <= 1;
  }
  const sorted = [...messages.values()].sort((a, b) => a.position - b.position);
  const talk = { contact, number, messages: sorted, isCut: (sorted[0]?.position ?? 1) > 1 };
  if (kind === 'txt') saveText('transcript', 'txt', 'text/plain', textOf(talk));
  else saveText('transcript', 'html', 'text/html', htmlOf(talk));
  return savedText(sorted.length, texts.messages, talk.isCut);
}

import type { Media } from '../messaging/media.js';
import type { MessageRecord } from '../messaging/message.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { DataSubject } from '../messaging/personal-data.js';

const PAGE = 200;
/** Ids of media files have 16 digits. The caller looks each of them up, so other numbers do no harm. */
const MEDIA_ID = /(?<!\d)\d{16}(?!\d)/g;

/** The media files of a message, also those that its channel keeps, such as the original of a mail. */
export const mediaIn = ({ content, channel }: Pick<MessageRecord, 'content' | 'channel'>): string[] =>
  JSON.stringify([content, channel]).match(MEDIA_ID) ?? [];

/** The media files that go with these messages: those of the contact, and those sent to the contact that neither a journey nor messages to others use. */
export const mediaToErase = (messages: readonly MessageRecord[], kept: ReadonlySet<string>): Set<string> =>
  new Set(
    messages.flatMap((one) => (one.direction === 'inbound' ? mediaIn(one) : mediaIn(one).filter((id) => !one.journey && !kept.has(id)))),
  );

/** Of the media files that were sent to a person by other than journeys, those that messages of others contain too. */
export async function mediaOfOthers(
  { records, media }: { readonly records: MessageRecords; readonly media: Pick<Media, 'about'> },
  { number, conversations }: DataSubject,
): Promise<ReadonlySet<string>> {
  const sent = new Set<string>();
  for (const conversation of conversations)
    for await (const { direction, journey, ...message } of messagesOf(records, 'conversation', conversation))
      if (direction === 'outbound' && !journey) for (const id of mediaIn(message)) sent.add(id);
  const files = (await Promise.all([...sent].map((id) => media.about(id)))).filter((file) => file !== undefined);
  const kept = new Set<string>();
  const [first] = files.map(({ created_at: at }) => at).sort();
  if (first === undefined) return kept;
  for await (const message of messagesOf(records, 'age', number.uuid, [first]))
    if (!conversations.includes(message.conversation)) for (const id of mediaIn(message)) if (sent.has(id)) kept.add(id);
  return kept;
}

/** The messages of a conversation, or of a number from a time on. */
export async function* messagesOf(
  { committed }: Pick<MessageRecords, 'committed'>,
  index: 'conversation' | 'age',
  equals: string,
  from?: readonly string[],
): AsyncGenerator<MessageRecord> {
  for (let last: MessageRecord | undefined; ; ) {
    const after = last && { after: index === 'age' ? [last.recorded_at, last.uuid] : [last.position, last.uuid] };
    const page = await committed.find(index, { equals: [equals], limit: PAGE, ...(after ?? (from && { from })) });
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

import {
  Conflict,
  type Inbound,
  type JsonObject,
  type MessageRecord,
  type NumberRecord,
  PlatformError,
  type PluginContext,
  type TypeOf,
  unixSeconds,
} from '#core';
import { fileKindOf } from '#core/basics';
import { choiceReply, MessageIdTaken, turnParts } from '#core/messaging';
import { type SessionRecord, uploads } from '../records.js';
import type { postedSchema } from '../schemas.js';

/** A message as the widget posts it. */
type PostedMessage = TypeOf<typeof postedSchema>;

/** Records the messages of visitors. The id of a message is that of its client, so that a repetition is stored once. */
export function createReceiving(context: PluginContext) {
  const { store, messages, media, contacts, clock } = context;

  return {
    /** @throws PlatformError */
    async receive(number: NumberRecord, session: SessionRecord, posted: PostedMessage): Promise<MessageRecord> {
      const { visitor } = session;
      const id = posted.client_id.toLowerCase();
      const earlier = await messages.known(number.uuid, 'inbound', id);
      // Its file or option may be gone since.
      if (earlier && (await isOf(number, visitor, earlier))) return earlier;
      const inbound: Inbound = {
        ...{ id, from: visitor, contact: { id: visitor }, timestamp: unixSeconds(clock.now()) },
        ...(posted.type === 'text'
          ? { type: 'text', content: { text: { body: posted.text! } } }
          : posted.type === 'tap'
            ? await tap(number, session, posted)
            : await file(session, posted)),
      };
      try {
        return await store.transaction(async (tx) => {
          if (posted.type === 'file') tx.in(uploads).delete(posted.file!);
          return (await messages.received(tx, number, inbound)).message;
        });
      } catch (error) {
        if (!(error instanceof MessageIdTaken)) throw error;
        throw new Conflict('webchat_client_id_taken', 'Another visitor has sent a message with this client_id; use a new one');
      }
    },
  };

  async function isOf(number: NumberRecord, visitor: string, { contact }: MessageRecord): Promise<boolean> {
    return (await contacts.known(number.uuid, visitor))?.uuid === contact;
  }

  /** The option is looked up, not trusted: it must be one of a message to this visitor. */
  async function tap(number: NumberRecord, { visitor }: SessionRecord, { option }: PostedMessage) {
    const asked = await messages.get(option!.message);
    const isOwn = asked?.number === number.uuid && asked.direction === 'outbound' && (await isOf(number, visitor, asked));
    const turn = isOwn && asked.type === 'interactive' ? { type: 'interactive', ...asked.content } : undefined;
    const { sections = [] } = (turn && turnParts(turn as never)) ?? {};
    const chosen = sections.flatMap(({ options }) => options)[option!.index];
    if (!asked || !chosen) throw new PlatformError(400, 'webchat_option_unknown', 'No message to this visitor offers this option');
    return choiceReply(number, chosen, asked);
  }

  async function file({ number, visitor }: SessionRecord, { file: id = '', caption }: PostedMessage) {
    const uploaded = await store.open(uploads).get(id);
    const isOwn = uploaded?.number === number && uploaded.visitor === visitor && Date.parse(uploaded.expires_at) > clock.now().getTime();
    const about = isOwn ? await media.about(id) : undefined;
    if (!about) throw new PlatformError(404, 'webchat_file_unknown', 'The visitor has not uploaded this file, or too long ago');
    const type = fileKindOf(about.mime_type);
    const { filename } = about;
    const part = { ...media.partOf(about), ...(filename !== null && { filename }), ...(caption && { caption }) };
    return { type, content: { [type]: part } as JsonObject };
  }
}

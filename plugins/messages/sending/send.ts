import { type MessageRecord, type NumberRecord, PlatformError, type PluginContext, type Sendable } from '#core';
import type { Author } from '#core/areas';
import type { Posted } from '../schemas.js';
import { sendableOf } from './content.js';
import { recipientOf } from './recipient.js';

/** A message that was posted, and its author. */
export interface Draft {
  readonly posted: Posted;
  readonly author: Author;
  /** It came through the message-sending endpoint. */
  readonly isPosted: boolean;
  readonly inReplyTo?: string | undefined;
}

/** Sends what somebody wrote. @throws PlatformError when it cannot be sent; then nothing is recorded */
export async function sendAs(
  context: PluginContext,
  number: NumberRecord,
  { posted, author, isPosted, inReplyTo }: Draft,
): Promise<MessageRecord> {
  const { to, preview_url, render_mentions, recipient_type = 'individual' } = posted;
  const who = await recipientOf(context, number, to);
  const reply = await replied(context, number, who.id, inReplyTo);
  const turn: Sendable = await sendableOf(context, number, posted);
  const message = {
    turn,
    author,
    ...(reply && { context: reply }),
    ...(isPosted && {
      posted: {
        recipient_type,
        ...(preview_url !== undefined && { preview_url }),
        ...(render_mentions !== undefined && { render_mentions }),
      },
    }),
  };
  const sent = await context.store.transaction(async (tx) => {
    try {
      return await context.channels.sendTo(tx, number, who, message);
    } catch (error) {
      // What a check counted stands, also when it refused.
      if (error instanceof PlatformError) return error;
      throw error;
    }
  });
  if (sent instanceof PlatformError) throw sent;
  return sent;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The message it replies to, in either direction, in the conversation with this contact. @throws PlatformError when there is none */
async function replied(
  { contacts, messages }: Pick<PluginContext, 'contacts' | 'messages'>,
  number: NumberRecord,
  to: string,
  id: string | undefined,
): Promise<MessageRecord['context']> {
  if (id === undefined) return undefined;
  // Ids of the other side are taken as they are written; ours are uuids, which mean the same in capitals.
  const asNamed = async (one: string) => ({ id: one, message: await messages.named(number, one) });
  const [named, contact] = await Promise.all([asNamed(id), contacts.known(number.uuid, to)]);
  const { id: plain, message: known } = named.message || !UUID.test(id) ? named : await asNamed(id.toLowerCase());
  if (!known || known.contact !== contact?.uuid) {
    throw new PlatformError(400, 'reply_not_found', `There is no message ${JSON.stringify(id)} of this conversation to reply to`);
  }
  return { id: plain, from: known.from };
}

import {
  type JsonObject,
  type MessageRecord,
  type NumberRecord,
  PlatformError,
  type PluginContext,
  type Sendable,
  type Transaction,
} from '#core';
import type { Author } from '#core/messaging';
import type { Posted } from '../schemas.js';
import { sendableOf } from './content.js';
import { recipientOf } from './recipient.js';
import { unusedFields } from './unused-fields.js';

/** A message that was posted, and its author. */
export interface Draft {
  readonly posted: Posted;
  readonly author: Author;
  /** Whether a client posted the message to the message-sending endpoint; otherwise an operator wrote it. */
  readonly isPosted: boolean;
  readonly inReplyTo?: string | undefined;
  /** The body as the client posted it; fields that are not used stay in the event about the message. */
  readonly raw?: JsonObject | undefined;
  /** Is called in the transaction that records the message. */
  readonly recorded?: ((tx: Transaction, message: MessageRecord) => Promise<void>) | undefined;
}

/** Sends a message of a client or operator. @throws PlatformError if the message is refused, and then not recorded */
export async function sendAs(
  context: PluginContext,
  number: NumberRecord,
  { posted, author, isPosted, inReplyTo, raw, recorded }: Draft,
): Promise<MessageRecord> {
  const { to, preview_url, render_mentions, recipient_type = 'individual' } = posted;
  const who = await recipientOf(context, number, to);
  const reply = await replied(context, number, who.id, inReplyTo);
  const turn: Sendable = await sendableOf(context, number, posted);
  const fields = raw && unusedFields(raw, posted);
  const message = {
    turn,
    author,
    ...(reply && { context: reply }),
    ...(isPosted && {
      posted: {
        recipient_type,
        ...(preview_url !== undefined && { preview_url }),
        ...(render_mentions !== undefined && { render_mentions }),
        ...(fields && { fields }),
      },
    }),
  };
  const sent = await context.store.transaction(async (tx) => {
    const made = await context.channels.sendTo(tx, number, who, message).catch((error: unknown) => {
      // Returned instead of thrown, so that the transaction commits the counters of the checks.
      if (error instanceof PlatformError) return error;
      throw error;
    });
    if (!(made instanceof PlatformError)) await recorded?.(tx, made);
    return made;
  });
  if (sent instanceof PlatformError) throw sent;
  return sent;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The context of a reply to the message with this id, in the conversation with the recipient. @throws PlatformError if there is none */
async function replied(
  { contacts, messages }: Pick<PluginContext, 'contacts' | 'messages'>,
  number: NumberRecord,
  to: string,
  id: string | undefined,
): Promise<MessageRecord['context']> {
  if (id === undefined) return undefined;
  // External ids are case-sensitive; the platform's uuids are not.
  const lookUp = async (one: string) => ({ id: one, message: await messages.find(number, one) });
  const [exact, contact] = await Promise.all([lookUp(id), contacts.known(number.uuid, to)]);
  const { id: found, message: known } = exact.message || !UUID.test(id) ? exact : await lookUp(id.toLowerCase());
  if (!known || known.contact !== contact?.uuid) {
    throw new PlatformError(
      400,
      'reply_not_found',
      `This conversation has no message ${JSON.stringify(id)}; reply to the id of one of its messages`,
    );
  }
  return { id: found, from: known.from };
}

import { isDeepStrictEqual } from 'node:util';
import { Conflict } from '../errors.js';
import type { Transaction } from '../ports/transaction.js';
import type { adviceOnce } from './advice-once.js';
import { advice } from './events.js';
import type { Inbound, MessageRecord } from './message.js';
import type { NumberRecord } from './number.js';

/** An inbound message has the id of a message from another contact. Treating it as a duplicate would lose it silently. */
export class MessageIdTaken extends Conflict {
  /** The message that has the id. */
  readonly earlier: string;

  constructor({ id, from }: Inbound, earlier: MessageRecord) {
    super('message_id_taken', `The message from '${from}' has the id '${id}', which an earlier message from '${earlier.from}' already has`);
    this.earlier = earlier.uuid;
  }
}

export function adviseOtherContent(
  once: Pick<ReturnType<typeof adviceOnce>, 'issue'>,
  tx: Transaction,
  number: NumberRecord,
  { uuid, from, external_id }: MessageRecord,
): Promise<void> {
  return once.issue(tx, uuid, {
    name: 'inbound_id_repeated',
    severity: 'warning',
    number: number.uuid,
    message: `A message from '${from}' was not stored: it has the id '${external_id}' of an earlier message but different content, and was treated as its duplicate.`,
    fix: 'Give every message a unique id. If your counter restarts, put the start time before it: "<start time>:<count>".',
    about: { message: uuid },
  });
}

export function adviseRepeatedId(tx: Transaction, number: NumberRecord, holder: Pick<MessageRecord, 'uuid' | 'external_id'>): void {
  tx.emit(advice, {
    name: 'message_id_repeated',
    number: number.uuid,
    message: `The response to a delivery returned the id '${holder.external_id}' of an earlier message, so statuses with this id are recorded for the earlier message.`,
    fix: 'Return a unique id for every message; return the same id again only if the same message is delivered again.',
    about: { message: holder.uuid },
  });
}

/** Whether a message has the same content as an earlier one. Links, null values and timestamps may differ. */
export const hasSameContent = ({ type, content }: Inbound, earlier: MessageRecord): boolean =>
  type === earlier.type && isDeepStrictEqual(contentOf(content[type]), contentOf(earlier.content[type]));

const contentOf = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).filter(([name, value]) => name !== 'link' && value !== null))
    : part;

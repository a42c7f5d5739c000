import { type Causes, conflict, missing, mistake, outage } from '#core';

/** The causes of refusals by the routes of messages. */
export const causes: Causes = {
  cursor_expired: mistake('The cursor of the export has expired.', 'Create another cursor.'),
  ...missing('cursor'),
  idempotency_key_in_progress: conflict('A call with this `Idempotency-Key` is in progress.', 'Repeat the call when that one has ended.'),
  idempotency_key_invalid: mistake('`Idempotency-Key` is not 1 to 255 visible ASCII characters.', 'Send another key.'),
  idempotency_key_reused: mistake('Another body was sent with this `Idempotency-Key`.', 'Use a new key for a new message.'),
  idempotency_keys_full: outage(
    'The number has used the maximum of keys within 24 hours.',
    'Raise the option `idempotencyKeys`; the caller sends without a key.',
  ),
  reply_not_found: mistake('The conversation has no message with the id to reply to.', 'Reply to the id of one of its messages.'),
};

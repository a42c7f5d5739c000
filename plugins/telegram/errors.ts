import type { NotificationError } from '#core/messaging';

/**
 * The reaction to an error of the Bot API. `wait`: the whole bot waits. `repeat`: temporary. `stop`: nothing can be sent until an operator acts.
 * `unreachable`: the contact cannot be reached. `upload`: Telegram no longer knows a file by its id. `fail`: no repetition can help.
 */
export type Remedy = 'wait' | 'repeat' | 'stop' | 'unreachable' | 'upload' | 'fail';

/** The beginnings of descriptions that say that a contact cannot be reached; Telegram may change their ends. */
const UNREACHABLE = [
  'Forbidden: bot was blocked by the user',
  'Forbidden: user is deactivated',
  'Forbidden: bot was kicked',
  'Forbidden: bot is not a member',
  "Forbidden: bot can't initiate conversation",
  'Bad Request: chat not found',
  'Bad Request: group chat was upgraded',
];
const UNKNOWN_FILE = /wrong (remote )?file (identifier|id)|wrong file_id|file_id.*invalid/i;

/** Decided by the status, and by the beginning of the description where one status has several meanings. */
export function remedyOf(status: number, description: string): Remedy {
  if (status === 429) return 'wait';
  if (status >= 500) return 'repeat';
  // An unknown token is 401, or 404 for one that has not the form of a token.
  if (status === 401 || (status === 404 && !description.startsWith('Bad Request'))) return 'stop';
  if (UNREACHABLE.some((one) => description.startsWith(one))) return 'unreachable';
  if (UNKNOWN_FILE.test(description)) return 'upload';
  return 'fail';
}

/** Errors that mean that a call is no longer needed. */
export const isTooLate = (description: string): boolean =>
  /query is too old|query id is invalid|message is not modified|message to edit not found/i.test(description);

/** An error in the shape of the API specification (Resources, "Notification error object"). Codes of this channel are 152000 and the status. */
export const notificationErrorOf = (status: number, details: string): NotificationError => ({
  code: 152_000 + status,
  title: 'Telegram refused the message',
  details,
  href: 'https://core.telegram.org/bots/api#making-requests',
});

/** A cause as `GET /admin/v1/causes` lists it. */
export interface ListedCause {
  readonly cause: string;
  readonly who: 'caller' | 'operator';
  readonly action: string;
}

/**
 * The message of a refusal, with the step of its cause if the operator has to take one, for the command line and the console. A message
 * that already names the step stays as it is.
 */
export function refusalText(message: string, cause: string | null, causes: readonly ListedCause[]): string {
  const found = causes.find((one) => one.cause === cause);
  if (found?.who !== 'operator' || plain(message).includes(plain(found.action))) return message;
  // Neither renders Markdown.
  return `${message.replace(/\.$/, '')}. ${found.action.replaceAll('`', '')}`;
}

const plain = (text: string): string => text.replace(/[`.]/g, '').toLowerCase();

import { beginningOf } from '#core/basics';
import type { NotificationError } from '#core/messaging';

const MAX_ERRORS = 10;
const MAX_CHARACTERS = 1024;

/** Defaults for what a connector leaves out. */
const DEFAULT_ERROR: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'The channel reported that the message failed, but not why.',
  href: 'https://posthorn.invalid/reported-by-the-channel',
};

/**
 * Reads the `errors` that a connector reports with `failed`, for webhooks (Events, rule 4). Accepts one or several errors, texts, and the
 * network's own form with `message` and `error_data.details`. Unreadable input becomes a default error, so that a status is never refused
 * for its errors.
 */
export function reportedErrors(given: unknown): readonly NotificationError[] {
  const all: unknown[] = Array.isArray(given) ? given.slice(0, MAX_ERRORS) : [given];
  const read = all.flatMap((one) => (typeof one === 'string' ? readError({ details: one }) : readError(Object(one))));
  return read.length > 0 ? read : [DEFAULT_ERROR];
}

type Reported = Readonly<Partial<Record<'code' | 'title' | 'details' | 'message' | 'href' | 'error_data', unknown>>>;

function readError({ code, title, details, message, href, error_data }: Reported): NotificationError | [] {
  const number = typeof code === 'string' && /^\s*-?\d+\s*$/.test(code) ? Number(code) : code;
  const isNumber = Number.isSafeInteger(number);
  const [givenTitle, textCode] = [stringOf(title), isNumber ? undefined : stringOf(code)];
  const givenDetails = stringOf(details) ?? stringOf((Object(error_data) as Reported).details) ?? stringOf(message);
  if (!isNumber && givenTitle === undefined && textCode === undefined && givenDetails === undefined) return [];
  return {
    code: isNumber ? (number as number) : DEFAULT_ERROR.code,
    title: givenTitle ?? DEFAULT_ERROR.title,
    details: [textCode, givenDetails].filter((part) => part !== undefined).join(': '),
    href:
      typeof href === 'string' && /^https?:\/\//i.test(href) && URL.canParse(href) ? beginningOf(href, MAX_CHARACTERS) : DEFAULT_ERROR.href,
  };
}

const stringOf = (given: unknown): string | undefined =>
  typeof given === 'string' && given.trim() !== '' ? beginningOf(given, MAX_CHARACTERS) : undefined;

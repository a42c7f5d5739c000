import { beginningOf, type NotificationError } from '#core/areas';

const MAX_ERRORS = 10;
const MAX_CHARACTERS = 1024;

/** Where a connector's own words do not say more. */
const USUAL: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'The channel has reported that the message failed, and not why.',
  href: 'https://posthorn.invalid/reported-by-the-channel',
};

/**
 * Why a message has failed, as whoever hears of it is told (Events, rule 4): what the connector says, as far as it can be read,
 * and that it says nothing otherwise. The network's own form, with `message` and `error_data.details`, is read too.
 */
export function reportedErrors(given: unknown): readonly NotificationError[] {
  const all: unknown[] = Array.isArray(given) ? given.slice(0, MAX_ERRORS) : [given];
  const read = all.flatMap((one) => (typeof one === 'string' ? readError({ details: one }) : readError(Object(one))));
  return read.length > 0 ? read : [USUAL];
}

type Reported = Readonly<Partial<Record<'code' | 'title' | 'details' | 'message' | 'href' | 'error_data', unknown>>>;

function readError({ code, title, details, message, href, error_data }: Reported): NotificationError | [] {
  const number = typeof code === 'string' && /^\s*-?\d+\s*$/.test(code) ? Number(code) : code;
  const isNumber = Number.isSafeInteger(number);
  const [named, word] = [textOf(title), isNumber ? undefined : textOf(code)];
  const said = textOf(details) ?? textOf((Object(error_data) as Reported).details) ?? textOf(message);
  if (!isNumber && named === undefined && word === undefined && said === undefined) return [];
  return {
    code: isNumber ? (number as number) : USUAL.code,
    title: named ?? USUAL.title,
    details: [word, said].filter((part) => part !== undefined).join(': '),
    href: typeof href === 'string' && /^https?:\/\//i.test(href) && URL.canParse(href) ? beginningOf(href, MAX_CHARACTERS) : USUAL.href,
  };
}

const textOf = (given: unknown): string | undefined =>
  typeof given === 'string' && given.trim() !== '' ? beginningOf(given, MAX_CHARACTERS) : undefined;

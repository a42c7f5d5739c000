import { normalAddress } from './addresses.js';
import type { ParsedMail } from './mail.js';

/** The report of a mail server on a message. */
export interface DeliveryReport {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'other';
  /** The enhanced status code, such as `5.1.1`. */
  readonly status?: string;
  readonly diagnostic: string;
}

/** The kind of a mail. `ids` are the Message-IDs that it speaks of, the best first. */
export type MailClass =
  | { readonly kind: 'ordinary' }
  /** A program has written it: never answer it. `why` is the rule that says so. */
  | { readonly kind: 'auto-reply'; readonly why: string }
  | { readonly kind: 'bounce'; readonly ids: readonly string[]; readonly reports: readonly DeliveryReport[] }
  | { readonly kind: 'complaint'; readonly ids: readonly string[] }
  | { readonly kind: 'receipt'; readonly ids: readonly string[]; readonly isRead: boolean };

/** Facts besides the mail itself. */
export interface MailOrigin {
  /** The address of the envelope, empty for reports; undefined if it is not known, as over IMAP. */
  readonly returnPath?: string | undefined;
  /** The own addresses and their aliases, as `normalAddress` writes them. */
  readonly own: readonly string[];
  /** Whether a Message-ID is one that was sent from here. */
  readonly isOwnId: (id: string) => boolean;
}

/** An enhanced status code (RFC 3463). */
const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;
const MAX_REPORTS = 100;

const ROBOT = /^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|microsoftexchange[\da-f]{8,40})@/i;
const BOUNCE_SUBJECT =
  /^(undeliver(able|ed)|delivery (status notification|failure|has failed)|mail delivery|failure notice|returned mail|unzustellbar|nicht zustellbar|non remis|échec de la remise|no se puede entregar|não é possível entregar|warning: could not send|delayed)/i;
const DELAYED = /^(warning|delayed|delivery delayed|mail delivery .{0,40}delay)|\(delay\)/i;
/** Begins the list of recipients in reports of Exchange that a gateway has converted to text. */
const EXCHANGE =
  /(?:delivery has failed to these recipients or groups|did not reach (?:some or all of )?the (?:intended|following) recipient(?:s|\(s\))?)[^\n]{0,200}\n/i;
const QMAIL = /^hi\. this is the qmail-send program/im;
const QMAIL_COPY = '--- Below this line is a copy of the message.';

/** Headers by which programs say that they have written a mail (RFC 3834, and what programs do that do not follow it). */
const AUTOMATIC: Readonly<Record<string, RegExp>> = {
  'auto-submitted': /^(?!\s*no\b)/i,
  precedence: /^\s*(bulk|junk|list)\b/i,
  ...{ 'list-id': /./, 'x-autoreply': /./, 'x-autorespond': /./ },
  'x-auto-response-suppress': /\b(dr|autoreply|all)\b/i,
};

/** Says what kind of mail it is. Never throws. */
export function classify(mail: ParsedMail, origin: MailOrigin): MailClass {
  const textOf = (type: RegExp): string | undefined => mail.reports.find((part) => type.test(part.type))?.text;
  // Other reports of this type are on authentication, or take a complaint back.
  if (/^feedback-type:\s*(abuse|fraud|virus|opt-out|other)\b/im.test(textOf(/feedback-report/) ?? ''))
    return { kind: 'complaint', ids: idsOf(mail) };
  const status = textOf(/delivery-status/);
  if (status !== undefined) return { kind: 'bounce', ids: idsOf(mail), reports: structuredReports(status) };
  const receipt = textOf(/disposition-notification/);
  if (receipt !== undefined) return { kind: 'receipt', ids: idsOf(mail), isRead: /^disposition:[^\n]*;\s*displayed\b/im.test(receipt) };
  const reports = writtenReports(mail);
  if (reports.length > 0) return { kind: 'bounce', ids: idsOf(mail), reports };
  const why = whyAutomatic(mail, origin);
  return why === undefined ? { kind: 'ordinary' } : { kind: 'auto-reply', why };
}

/** The rule by which a program has written a mail. */
function whyAutomatic({ headers, from, id }: ParsedMail, { returnPath, own, isOwnId }: MailOrigin): string | undefined {
  for (const [name, rule] of Object.entries(AUTOMATIC)) {
    const found = headers[name]?.find((one) => rule.test(one));
    if (found !== undefined) return `${name}: ${found.slice(0, 100)}`;
  }
  const address = normalAddress(from?.address ?? '') ?? from?.address ?? '';
  if (['', '<>'].includes((returnPath ?? headers['return-path']?.[0] ?? '-').trim())) return 'an empty return-path';
  if (ROBOT.test(address)) return `from ${address}`;
  if (own.includes(address)) return `from the own address ${address}`;
  return isOwnId(id) ? `an own message-id: ${id}` : undefined;
}

/** The reports of a `message/delivery-status` (RFC 3464): a block of fields for the message, then one for each recipient. */
function structuredReports(text: string): DeliveryReport[] {
  const blocks = text.replace(/\r\n?/g, '\n').split(/\n\s*\n/);
  return blocks.slice(0, MAX_REPORTS).flatMap((block) => {
    const [action = '', written = '', diagnostic = ''] = ['action', 'status', 'diagnostic-code'].map((name) => valuesOf(block, name)[0]);
    if (action === '' && written === '') return [];
    const status = statusIn(written) ?? statusIn(diagnostic);
    const stated = { '5': 'failed', '4': 'delayed', '2': 'delivered' }[status?.[0] ?? ''] ?? 'other';
    return reportOf(action.toLowerCase().trim() || stated, status, diagnostic.replace(/^\s*[\w-]+\s*;\s*/, ''));
  });
}

/** The reports of bounces without structure: those with the header of Gmail and Exim, of Exchange and of qmail. */
function writtenReports({ headers, subject, fullText: text, from }: ParsedMail): DeliveryReport[] {
  const action = DELAYED.test(subject) ? 'delayed' : 'failed';
  const lineWith = (word: string): string => text.split('\n').find((line) => line.includes(word)) ?? '';
  const failed = headers['x-failed-recipients']?.find((one) => one.includes('@'));
  if (failed !== undefined) return [reportOf(action, statusIn(text), lineWith(failed.split(',')[0]!.trim()))];
  if (QMAIL.test(text)) {
    const blocks = text
      .split(QMAIL_COPY)[0]!
      .split(/\n\s*\n/)
      .map((block) => block.trim());
    const told = blocks.filter((block) => /^<[^<>\s]{3,254}>:/.test(block));
    return told.map((block) => reportOf('failed', statusIn(block), block.split('\n').slice(1).join(' ')));
  }
  const list = BOUNCE_SUBJECT.test(subject.trim()) || ROBOT.test(from?.address ?? '') ? EXCHANGE.exec(text) : null;
  const after = list
    ? text
        .slice(list.index + list[0].length)
        .trimStart()
        .slice(0, 4_000)
    : '';
  return after.includes('@') ? [reportOf(action, statusIn(after) ?? statusIn(text), lineWith('550') || after)] : [];
}

const reportOf = (action: string, status: string | undefined, diagnostic: string): DeliveryReport => ({
  action: action === 'failed' || action === 'delayed' || action === 'delivered' ? action : 'other',
  ...(status !== undefined && { status }),
  diagnostic: diagnostic.replace(/\s+/g, ' ').trim().slice(0, 500),
});

const statusIn = (text: string): string | undefined => STATUS.exec(text.slice(0, 20_000))?.[1];

/** The values of a field, with those that go over several lines on one. */
function valuesOf(text: string, name: string): string[] {
  const fields = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  return fields.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
}

/** The ids of the message that a report is about: those that it states, that of the returned message, then those that it answers. */
function idsOf({ reports, fullText, inReplyTo, references }: ParsedMail): string[] {
  const stated = reports.flatMap(({ type, text }) => (type.startsWith('message/rfc822') ? [] : valuesOf(text, 'original-message-id')));
  const heads = reports.flatMap(({ type, text }) => (/rfc822(-headers)?$/.test(type) ? [text.split(/\r?\n\r?\n/)[0]!] : []));
  const returned = [...heads, fullText].flatMap((text) => valuesOf(text, 'message-id'));
  const ids = [...stated, ...returned].flatMap((value) => /<([^<>\s]{1,995})>/.exec(value)?.[1] ?? []);
  return [...new Set([...ids, ...inReplyTo, ...references.toReversed()])].slice(0, MAX_REPORTS);
}

import { normalAddress } from './addresses.js';
import type { ParsedMail, ReportPart } from './mail.js';

/** The report of a mail server on a message to one recipient. */
export interface DeliveryReport {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'other';
  /** In lower case. */
  readonly recipient?: string;
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
  | { readonly kind: 'complaint'; readonly ids: readonly string[]; readonly recipients: readonly string[] }
  | { readonly kind: 'receipt'; readonly ids: readonly string[]; readonly recipients: readonly string[]; readonly isRead: boolean };

/** Facts besides the mail itself. */
export interface MailOrigin {
  /** The address of the envelope, empty for reports; undefined if it is not known, as over IMAP. */
  readonly returnPath?: string | undefined;
  /** The own addresses and their aliases, as `normalAddress` writes them. */
  readonly own: readonly string[];
  /** Whether a Message-ID is one that was sent from here. */
  readonly isOwnId: (id: string) => boolean;
}

const ADDRESS = /[^\s<>()[\]:;,"']{1,64}@[a-z\d.-]{1,190}[a-z\d]/i;
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

/** Says what kind of mail it is. Never throws. */
export function classify(mail: ParsedMail, origin: MailOrigin): MailClass {
  const of = (type: RegExp): ReportPart | undefined => mail.reports.find((part) => type.test(part.type));
  const feedback = of(/feedback-report/);
  // Other reports are on authentication, or take a complaint back.
  if (feedback && /^feedback-type:\s*(abuse|fraud|virus|opt-out|other)\b/im.test(feedback.text)) {
    const recipients = ['original-rcpt-to', 'removal-recipient'].flatMap((name) => addressesIn(valuesOf(feedback.text, name)));
    const others = recipients.length > 0 ? recipients : addressesIn(returnedHeaders(mail).flatMap((text) => valuesOf(text, 'to')));
    return { kind: 'complaint', ids: idsOf(mail), recipients: [...new Set(others)] };
  }
  const status = of(/delivery-status/);
  if (status) return { kind: 'bounce', ids: idsOf(mail), reports: structuredReports(status.text) };
  const receipt = of(/disposition-notification/);
  if (receipt) {
    const recipients = addressesIn(valuesOf(receipt.text, 'final-recipient'));
    return { kind: 'receipt', ids: idsOf(mail), recipients, isRead: /^disposition:[^\n]*;\s*displayed\b/im.test(receipt.text) };
  }
  const reports = writtenReports(mail);
  if (reports.length > 0) return { kind: 'bounce', ids: idsOf(mail), reports };
  const why = whyAutomatic(mail, origin);
  return why === undefined ? { kind: 'ordinary' } : { kind: 'auto-reply', why };
}

/** The rule by which a program has written a mail (RFC 3834, and what programs do that do not follow it). */
function whyAutomatic({ headers, from, id }: ParsedMail, { returnPath, own, isOwnId }: MailOrigin): string | undefined {
  const says = (name: string, value: RegExp): string | undefined => {
    const found = headers[name]?.find((one) => value.test(one));
    return found === undefined ? undefined : `${name}: ${found.slice(0, 100)}`;
  };
  const address = normalAddress(from?.address ?? '') ?? from?.address ?? '';
  return (
    says('auto-submitted', /^(?!\s*no\b)/i) ??
    ((returnPath ?? headers['return-path']?.[0])?.trim().replace(/^<>$/, '') === '' ? 'an empty return-path' : undefined) ??
    says('precedence', /^\s*(bulk|junk|list)\b/i) ??
    says('list-id', /./) ??
    says('x-autoreply', /./) ??
    says('x-autorespond', /./) ??
    says('x-auto-response-suppress', /\b(dr|autoreply|all)\b/i) ??
    (ROBOT.test(address) ? `from ${address}` : undefined) ??
    (own.includes(address) ? `from the own address ${address}` : undefined) ??
    (isOwnId(id) ? `an own message-id: ${id}` : undefined)
  );
}

/** The reports of a `message/delivery-status` (RFC 3464): a block of fields for the message, then one for each recipient. */
function structuredReports(text: string): DeliveryReport[] {
  const blocks = text.replace(/\r\n?/g, '\n').split(/\n\s*\n/);
  return blocks.slice(0, MAX_REPORTS).flatMap((block) => {
    const [recipient] = addressesIn([...valuesOf(block, 'original-recipient'), ...valuesOf(block, 'final-recipient')]);
    const [action = '', written = '', diagnostic = ''] = ['action', 'status', 'diagnostic-code'].map((name) => valuesOf(block, name)[0]);
    if (action === '' && written === '') return [];
    const status = STATUS.exec(written)?.[1] ?? STATUS.exec(diagnostic)?.[1];
    return [reportOf(action.toLowerCase().trim() || actionOf(status), recipient, status, diagnostic.replace(/^\s*[\w-]+\s*;\s*/, ''))];
  });
}

/** The reports of bounces without structure: those with the header of Gmail and Exim, of Exchange and of qmail. */
function writtenReports({ headers, subject, fullText: text, from }: ParsedMail): DeliveryReport[] {
  const action = DELAYED.test(subject) ? 'delayed' : 'failed';
  const failed = addressesIn(headers['x-failed-recipients'] ?? []);
  if (failed.length > 0) return failed.map((one) => reportOf(action, one, statusIn(text), lineWith(text, one)));
  if (QMAIL.test(text)) {
    const [told = ''] = text.split(QMAIL_COPY);
    return told.split(/\n\s*\n/).flatMap((block) => {
      const [, recipient] = /^<([^<>\s]{3,254})>:/.exec(block.trim()) ?? [];
      return recipient === undefined ? [] : [reportOf('failed', recipient, statusIn(block), block.trim().split('\n').slice(1).join(' '))];
    });
  }
  if (!BOUNCE_SUBJECT.test(subject.trim()) && !ROBOT.test(from?.address ?? '')) return [];
  const list = EXCHANGE.exec(text);
  if (!list) return [];
  const after = text
    .slice(list.index + list[0].length)
    .trimStart()
    .slice(0, 4_000);
  const [recipient] = addressesIn([after]);
  return recipient === undefined ? [] : [reportOf(action, recipient, statusIn(after) ?? statusIn(text), lineWith(text, '550') || after)];
}

const reportOf = (action: string, recipient: string | undefined, status: string | undefined, diagnostic: string): DeliveryReport => ({
  action: action === 'failed' || action === 'delayed' || action === 'delivered' ? action : 'other',
  ...(recipient !== undefined && { recipient: recipient.toLowerCase() }),
  ...(status !== undefined && { status }),
  diagnostic: diagnostic.replace(/\s+/g, ' ').trim().slice(0, 500),
});

const actionOf = (status = ''): string => ({ '5': 'failed', '4': 'delayed', '2': 'delivered' })[status[0] ?? ''] ?? 'other';
const statusIn = (text: string): string | undefined => STATUS.exec(text.slice(0, 20_000))?.[1];
const lineWith = (text: string, word: string): string => text.split('\n').find((line) => line.includes(word)) ?? '';
const addressesIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => ADDRESS.exec(text.slice(0, 5_000))?.[0].toLowerCase() ?? []).slice(0, MAX_REPORTS);

/** The values of a field, with those that go over several lines on one. */
function valuesOf(text: string, name: string): string[] {
  const fields = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  return fields.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
}

/** The headers of the message that a report is about. */
const returnedHeaders = ({ reports }: ParsedMail): string[] =>
  reports.filter(({ type }) => type === 'text/rfc822-headers' || type === 'message/rfc822').map(({ text }) => text.split(/\r?\n\r?\n/)[0]!);

/** The ids of the message that a report is about: those that it states, that of the returned message, then those that it answers. */
function idsOf(mail: ParsedMail): string[] {
  const stated = mail.reports.flatMap(({ type, text }) => (type.startsWith('message/rfc822') ? [] : valuesOf(text, 'original-message-id')));
  const returned = [...returnedHeaders(mail), mail.fullText].flatMap((text) => valuesOf(text, 'message-id'));
  const ids = [...stated, ...returned].flatMap((value) => /<([^<>\s]{1,995})>/.exec(value)?.[1] ?? []);
  return [...new Set([...ids, ...mail.inReplyTo, ...mail.references.toReversed()])].slice(0, MAX_REPORTS);
}

import { createHash } from 'node:crypto';
import type { Address, Attachment, Email } from 'postal-mime';
import { beginningOf, objectOf, readJson, typeOfBytes } from '#core/basics';
import { htmlText } from './html-text.js';
import type { Mailbox, MailFile, ParsedMail } from './mail.js';
import { isForward, newText } from './new-text.js';
import { cardsIn } from './vcard.js';

/** Limits of a mail that is read; the rest is left out. */
const MAX_MAIL_BYTES = 30 * 1024 * 1024;
/** The parser takes about 10 µs for each line. 30 MB in base64 have fewer; a short line counts as five. */
const MAX_LINES = 400_000;
const SHORT_LINE = 40;
const MAX_PARTS = 100;
const MAX_DEPTH = 10;
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_ADDRESSES = 100;
const MAX_REFERENCES = 100;
const MAX_FILES = 20;
const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_TEXT = 100_000;
const MAX_REPORT = 32_000;
/** Pictures in the text that are smaller are tracking pixels and ornaments. */
const SMALL_BYTES = 5 * 1024;
const SMALL_PIXELS = 48;

const REPORTS = /^(message\/(delivery-status|global-delivery-status|feedback-report|disposition-notification)|text\/rfc822-headers)$/;
const UNKNOWN = 'application/octet-stream';
const REACTION = 'text/vnd.google.email-reaction+json';
/** Parts that only programs read. */
const TECHNICAL = /^application\/((x-)?pkcs7-signature|pgp-signature|pgp-encrypted)$|^text\/vnd\.google\.email-reaction\+json$/;
/** Formats that people cannot read here, and the parts by which each is known. */
const SEALS: readonly (readonly [NonNullable<ParsedMail['sealed']>, (part: Attachment) => boolean])[] = [
  ['S/MIME', ({ mimeType }) => /^application\/(x-)?pkcs7-mime$/.test(mimeType)],
  ['PGP', ({ mimeType }) => mimeType === 'application/pgp-encrypted'],
  ['winmail.dat', ({ mimeType, filename = '' }) => /ms-tnef$/.test(mimeType) || filename?.toLowerCase() === 'winmail.dat'],
];
const NAMES: Readonly<Record<string, string>> = {
  'message/rfc822': 'message.eml',
  'text/calendar': 'invite.ics',
  'application/ics': 'invite.ics',
  'text/vcard': 'contact.vcf',
  'text/x-vcard': 'contact.vcf',
};

/** Reads a mail. Never throws on bad input; what is over the limits is left out, and `cut` says so. */
export default async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  const { bytes, cut } = withinLimits(raw);
  try {
    return await mailOf(await parsed(bytes), cut);
  } catch (error) {
    // Headers or parts that are over the limits of the parser.
    const reason = error instanceof Error ? error.message : String(error);
    return mailOf(await parsed(headIn(bytes)), reason);
  }
}

/** Platforms check at their start that this file can be loaded, also those without the packages of e-mail numbers. */
async function parsed(bytes: Uint8Array): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: MAX_DEPTH, maxHeadersSize: MAX_HEADER_BYTES });
}

/** Cuts a mail to the limits of bytes, lines and parts, where a part ends. The parser has no such limits. */
function withinLimits(raw: Uint8Array): { readonly bytes: Uint8Array; readonly cut?: string } {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_MAIL_BYTES)).toString('latin1');
  const declared = text.matchAll(/boundary\s{0,9}=\s{0,9}(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi);
  const boundaries = new Set<string>();
  for (const [, quoted, token] of declared) if (boundaries.add((quoted ?? token)!).size > MAX_PARTS) break;
  let [lines, parts, last] = [0, 0, 0];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.startsWith('--', at) ? text.slice(at + 2, Math.min(next, at + 250)).trimEnd() : '';
    const begins = boundaries.has(line);
    if (begins || (line.endsWith('--') && boundaries.has(line.slice(0, -2)))) last = at;
    if (begins && ++parts > MAX_PARTS) return { bytes: raw.subarray(0, at), cut: `more than ${MAX_PARTS} parts` };
    lines += next - at < SHORT_LINE ? 5 : 1;
    if (lines > MAX_LINES) return { bytes: raw.subarray(0, last || at), cut: `more than ${MAX_LINES} lines` };
    at = next;
  }
  if (raw.byteLength <= MAX_MAIL_BYTES) return { bytes: raw };
  return { bytes: raw.subarray(0, last || MAX_MAIL_BYTES), cut: `more than ${MAX_MAIL_BYTES} bytes` };
}

/** The headers of a mail that cannot be read otherwise, without those of its parts. */
function headIn(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.subarray(0, MAX_HEADER_BYTES)).toString('latin1');
  const end = text.search(/\r?\n\r?\n/);
  const head = (end < 0 ? text : text.slice(0, end)).slice(0, MAX_HEADER_BYTES / 2).replace(/^content-type:/gim, 'X-Content-Type:');
  return Buffer.from(`${head}\r\n\r\n`, 'latin1');
}

async function mailOf(email: Email, cut: string | undefined): Promise<ParsedMail> {
  const headers: Record<string, string[]> = Object.create(null);
  for (const { key, value } of email.headers) {
    headers[key] ??= [];
    headers[key].push(value);
  }
  const subject = lineOf(email.subject ?? '');
  const html = email.text?.trim() ? undefined : email.html;
  const written = async (isNew: boolean) => (html === undefined ? (email.text ?? '') : await htmlText(html, { isNew }));
  const whole = (await written(false)).replace(/\r\n?/g, '\n').trim();
  const fullText = shortened(whole);
  const answer = isForward(subject, fullText) ? fullText : await newText(html === undefined ? fullText : shortened(await written(true)));
  const [ownId] = idsIn(email.messageId);
  const [from] = mailboxesOf(email.from);
  const isReport = /^\s*multipart\/report\b/i.test(headers['content-type']?.[0] ?? '');
  const isOfReport = ({ mimeType }: Attachment): boolean => REPORTS.test(mimeType) || (isReport && mimeType === 'message/rfc822');
  const kept = email.attachments.filter((one) => !isOfReport(one) && !TECHNICAL.test(one.mimeType) && !isOrnament(one));
  const files = filesWithin(kept.map(fileOf));
  const reaction = reactionIn(email);
  const sealed = SEALS.find(([, seals]) => email.attachments.some(seals))?.[0];
  const left = [
    cut,
    files.length < kept.length && `more than ${MAX_FILES} files or ${MAX_FILE_BYTES} bytes of files`,
    whole.length > MAX_TEXT && 'a longer text',
  ].filter(Boolean);
  return {
    ...{
      id: ownId ?? `sha256.${hashOf([headers.from?.[0] ?? '', headers.date?.[0] ?? '', subject, whole])}`,
      hasOwnId: ownId !== undefined,
    },
    ...(from && { from }),
    ...{ to: mailboxesOf(email.to), cc: mailboxesOf(email.cc), subject },
    ...{ inReplyTo: idsIn(email.inReplyTo), references: idsIn(email.references) },
    ...{ text: answer || fullText, fullText, files },
    cards: kept.filter(({ mimeType }) => /^text\/(x-)?vcard$/.test(mimeType)).flatMap((one) => cardsIn(textOf(one))),
    ...(reaction !== undefined && { reaction }),
    ...(sealed !== undefined && { sealed }),
    headers,
    reports: email.attachments.filter(isOfReport).map((one) => ({ type: one.mimeType, text: textOf(one).slice(0, MAX_REPORT) })),
    ...(left.length > 0 && { cut: left.join('; ') }),
  };
}

/** The ids of a header, which are between angle brackets, or alone. */
function idsIn(header = ''): string[] {
  const ids = [...header.matchAll(/<([^<>\s]{1,995})>/g)].map(([, id]) => id!);
  if (ids.length > 0) return ids.slice(-MAX_REFERENCES);
  return /^[^\s<>]{1,995}$/.test(header.trim()) ? [header.trim()] : [];
}

const mailboxesOf = (given: Address | readonly Address[] = []): Mailbox[] =>
  [given]
    .flat()
    .slice(0, MAX_ADDRESSES)
    .flatMap((one) => one.group ?? [one])
    .filter(({ address }) => address !== '')
    .slice(0, MAX_ADDRESSES)
    .map(({ name, address }) => ({ name: lineOf(name), address }));

function fileOf({ filename, mimeType, content }: Attachment): MailFile {
  // Separators of paths, control characters, and those that change the direction of writing.
  const name = lineOf(filename ?? '').replace(/[/\\\u202a-\u202e\u2066-\u2069]/g, '_');
  const bytes = bytesOf(content);
  return { filename: name.slice(-200) || (NAMES[mimeType] ?? ''), mimeType: fileType(mimeType, bytes), content: bytes };
}

/** The type of a file: what the mail says, but its bytes decide whether it is a picture, and what a file of no type is. */
function fileType(stated: string, bytes: Uint8Array): string {
  if (/^image\/(png|jpe?g|gif|webp)$/.test(stated)) return typeOfBytes(bytes) ?? UNKNOWN;
  return stated === UNKNOWN ? (typeOfBytes(bytes) ?? UNKNOWN) : stated;
}

function filesWithin(files: readonly MailFile[]): MailFile[] {
  let bytes = 0;
  return files.slice(0, MAX_FILES).filter(({ content }) => {
    const fits = bytes + content.byteLength <= MAX_FILE_BYTES;
    if (fits) bytes += content.byteLength;
    return fits;
  });
}

/** Whether a part is a picture of the layout: small in bytes and, as far as its format says so soon, in pixels. */
function isOrnament({ mimeType, disposition, contentId, content }: Attachment): boolean {
  if (!mimeType.startsWith('image/') || disposition === 'attachment' || (disposition === null && contentId === undefined)) return false;
  const bytes = Buffer.from(bytesOf(content));
  if (bytes.length > SMALL_BYTES) return false;
  const isPng = typeOfBytes(bytes) === 'image/png' && bytes.length >= 24;
  if (isPng) return Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) <= SMALL_PIXELS;
  const isGif = typeOfBytes(bytes) === 'image/gif' && bytes.length >= 10;
  return !isGif || Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(8)) <= SMALL_PIXELS;
}

/** The emoji of a mail with which Gmail reacts to another one. */
function reactionIn({ attachments }: Email): string | undefined {
  const part = attachments.find(({ mimeType }) => mimeType === REACTION);
  const { emoji } = objectOf(readJson(part ? textOf(part) : '') ?? undefined);
  return typeof emoji === 'string' && emoji !== '' && emoji.length <= 40 ? emoji : undefined;
}

const bytesOf = (content: Attachment['content']): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
const textOf = ({ content }: Pick<Attachment, 'content'>): string => new TextDecoder().decode(bytesOf(content));
/** A text without line breaks and other control characters. */
const lineOf = (text: string): string => beginningOf(text.replace(/\p{Cc}+/gu, ' ').trim(), 1_000);
const shortened = (text: string): string => beginningOf(text, MAX_TEXT);
const hashOf = (texts: readonly string[]): string => createHash('sha256').update(JSON.stringify(texts)).digest('hex');

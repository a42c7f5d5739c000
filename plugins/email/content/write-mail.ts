import MailComposer from 'nodemailer/lib/mail-composer';
import { joinedTexts, type Mark, numberedOptions, type RichText, type TurnParts, withFileLink, writtenText } from '#core/messaging';
import { normalAddress } from './addresses.js';
import type { Mailbox } from './mail.js';

/** The input for a mail. Ids are without angle brackets. */
export interface MailToWrite {
  readonly id: string;
  readonly date: Date;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo?: string | undefined;
  readonly subject: string;
  /** The Message-ID of the last mail of the contact, and its chain, the oldest first. */
  readonly inReplyTo?: string | undefined;
  readonly references?: readonly string[] | undefined;
  /** Set if a program has written it: without being asked, or in reply to a mail. */
  readonly automatic?: 'auto-generated' | 'auto-replied' | undefined;
  /** The language of the text, such as `en`. */
  readonly language?: string | undefined;
  readonly parts: TurnParts;
  /** The line that tells the contact to reply with a number. */
  readonly choose: string;
  /** The bytes of `parts.file`; without them, its link is in the text. */
  readonly file?: { readonly content: Uint8Array; readonly mimeType: string; readonly filename: string } | undefined;
}

/** Ids of the header `References`, of which the oldest and the newest are kept. */
const MAX_REFERENCES = 20;
const OLDEST = 5;
const TAGS: Readonly<Record<Mark['type'], string>> = { strong: 'strong', emphasis: 'em', strike: 's', code: 'code', pre: 'pre', link: 'a' };

/**
 * Writes a mail, with the text as plain text and as HTML: one column, without colours, so that it is readable in the dark, and without anything
 * that a mail program would have to load.
 * @throws TypeError when mail cannot be sent from or to an address
 */
export async function writeMail(mail: MailToWrite): Promise<Uint8Array> {
  const { file, language, automatic, replyTo } = mail;
  const parts = mail.parts.file && !file ? withFileLink(mail.parts, mail.parts.file.link) : mail.parts;
  const texts = [parts.header, parts.body, parts.footer, numberedOptions(parts, mail.choose, '.')].filter(({ text }) => text !== '');
  const name = line(file?.filename ?? '');
  const cid = file && /^image\/(png|jpeg|gif|webp)$/.test(file.mimeType) ? `file.${mail.id}` : undefined;
  const picture = `<p><img src="cid:${escaped(cid ?? '')}" alt="${escaped(name)}" style="max-width:100%;height:auto"></p>`;
  const html = [...(cid === undefined ? [] : [picture]), ...texts.map((one) => `<p>${htmlOf(withLinks(one))}</p>`)];
  const inReplyTo = idOf(mail.inReplyTo ?? '');
  const composer = new MailComposer({
    ...{ messageId: `<${mail.id}>`, date: mail.date, from: addressOf(mail.from), to: addressOf(mail.to), subject: line(mail.subject) },
    ...(replyTo !== undefined && { replyTo: addressOf({ name: '', address: replyTo }) }),
    ...(inReplyTo && { inReplyTo, references: chain([...(mail.references ?? []).map(idOf), inReplyTo]) }),
    headers: automatic ? { 'Auto-Submitted': automatic, 'X-Auto-Response-Suppress': 'All' } : {},
    text: `${writtenText(joinedTexts(texts))}\n`,
    html: page(html.join('\n'), language),
    attachments: file
      ? [
          {
            filename: name || false,
            contentType: line(file.mimeType),
            content: Buffer.from(file.content),
            ...(cid !== undefined && { cid }),
          },
        ]
      : [],
    ...{ newline: 'windows', disableFileAccess: true, disableUrlAccess: true },
  });
  return composer.compile().build();
}

/** Text in a header: without line breaks, which would begin another header. */
const line = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();
/** An id in angle brackets; empty for one that has characters that no id has. */
const idOf = (id: string): string => (/^[^\s<>\p{Cc}]{1,995}$/u.test(id) ? `<${id}>` : '');

function addressOf({ name, address }: Mailbox): Mailbox {
  if (normalAddress(address) === undefined) throw new TypeError(`mail cannot be sent to the address ${JSON.stringify(address)}`);
  return { name: line(name), address: address.trim() };
}

function chain(ids: readonly string[]): string[] {
  const known = [...new Set(ids.filter((id) => id !== ''))];
  return known.length <= MAX_REFERENCES ? known : [...known.slice(0, OLDEST), ...known.slice(OLDEST - MAX_REFERENCES)];
}

/** A text whose addresses are links: not every mail program makes them links. */
function withLinks({ text, marks }: RichText): RichText {
  const found = [...text.matchAll(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g)];
  const links = found.map(({ index: offset, 0: url }): Mark => ({ type: 'link', offset, length: url.length, url }));
  const isFree = ({ offset, length }: Mark) => marks.every((one) => one.offset + one.length <= offset || one.offset >= offset + length);
  return { text, marks: [...marks, ...links.filter(isFree)].sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

const page = (content: string, language = ''): string => `<!DOCTYPE html>
<html${/^[a-z]{2,3}(-[a-z\d]{1,8})*$/i.test(language) ? ` lang="${language}"` : ''}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"></head>
<body style="margin:0;padding:16px;font:16px/1.5 sans-serif"><div dir="auto" style="max-width:600px">
${content}
</div></body></html>
`;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '<br>\n' };
const escaped = (text: string): string => text.replace(/[&<>"\n]/g, (one) => ESCAPES[one]!);

/** A formatted text as HTML. Marks are nested: those that contain others come first. */
function htmlOf({ text, marks }: RichText): string {
  const endOf = ({ offset, length }: Mark): number => offset + length;
  const places = [...new Set([0, ...marks.flatMap((one) => [one.offset, endOf(one)]), text.length])].sort((a, b) => a - b);
  const pieces = places.map((at, i) => {
    const ended = marks.filter((one) => endOf(one) === at && one.offset < at).toReversed();
    const begun = marks.filter(({ offset, length }) => offset === at && length > 0);
    const tags = begun.map(({ type, url = '' }) => (type === 'link' ? `<a href="${escaped(url)}">` : `<${TAGS[type]}>`));
    return `${ended.map(({ type }) => `</${TAGS[type]}>`).join('')}${tags.join('')}${escaped(text.slice(at, places[i + 1]))}`;
  });
  return pieces.join('');
}

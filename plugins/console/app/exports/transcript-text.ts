import type { ContactRecord, MessageRecord, NumberRecord } from '#core';
import { languageOfPage } from '../../../../core/web/language.js';
import { contentOf, nameOf, optionsOf, summaryOf } from '../pages/inbox/content.js';
import { texts } from './texts.js';

interface Talk {
  readonly contact: ContactRecord;
  readonly number: NumberRecord | undefined;
  /** Oldest first. */
  readonly messages: readonly MessageRecord[];
  /** Whether older messages are missing. */
  readonly isCut: boolean;
}

interface Said {
  readonly at: string;
  readonly who: string;
  readonly isInbound: boolean;
  readonly text: string;
  readonly options: readonly string[];
  /** How far a message to the contact has come, or why it failed. */
  readonly state: string;
}

function saidIn({ contact, number, messages }: Talk): Said[] {
  return messages.map((message) => {
    const { recorded_at: at, direction, status, statuses } = message;
    const error = statuses.findLast((report) => report.status === 'failed')?.errors?.[0];
    const { header, footer } = contentOf(message).interactive ?? {};
    return {
      at,
      who: direction === 'inbound' ? nameOf(contact) : (number?.name ?? texts.desk),
      isInbound: direction === 'inbound',
      text: [header?.text, summaryOf(message), footer?.text].filter(Boolean).join('\n'),
      options: optionsOf(message).map(({ title }) => title),
      state: [direction === 'outbound' && status, error && `${error.code} ${error.title}`].filter(Boolean).join(': '),
    };
  });
}

function titleOf({ contact, number }: Talk): string {
  const name = nameOf(contact);
  return number ? texts.conversationWith(name, contact.address, number.name, number.address) : texts.conversation(name, contact.address);
}

/** Times are in UTC: the reader may be elsewhere. */
const timeOf = (at: string): string => at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');

/** A transcript as text: each message has a line with time and name, and its text below, further in. */
export function textOf(talk: Talk): string {
  const messages = saidIn(talk).map(({ at, who, text, options, state }) =>
    [
      `${timeOf(at)}  ${oneLine(who)}${state === '' ? '' : `  (${oneLine(state)})`}`,
      ...text.split(/\r\n?|\n/).map((line) => `    ${line}`),
      ...options.map((option) => `    [${oneLine(option)}]`),
    ].join('\n'),
  );
  return `${[oneLine(titleOf(talk)), ...(talk.isCut ? [texts.olderAreMissing] : []), ...messages].join('\n\n')}\n`;
}

/** Nothing in a name can look like another message. */
const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, ' ');

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one]!);

const STYLE = `:root{color-scheme:light dark}body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.25rem}ol{display:grid;gap:.75rem;padding:0;list-style:none}li{max-width:85%;padding:.5rem .75rem;border:1px solid #8888;border-radius:.75rem}
li.out{justify-self:end}p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}small{opacity:.8}ul{padding:0;list-style:none}
ul li{display:inline-block;margin:.25rem .25rem 0 0;padding:.125rem .5rem}`;

/** A transcript as a page of its own: without scripts, and nothing is loaded from elsewhere. */
export function htmlOf(talk: Talk): string {
  const title = escaped(titleOf(talk));
  const messages = saidIn(talk).map(({ at, who, isInbound, text, options, state }) => {
    const about = `<small><b><bdi>${escaped(who)}</bdi></b> <time datetime="${escaped(at)}">${escaped(timeOf(at))}</time> ${escaped(state)}</small>`;
    const offered = options.length === 0 ? '' : `<ul>${options.map((option) => `<li dir="auto">${escaped(option)}</li>`).join('')}</ul>`;
    return `<li class="${isInbound ? 'in' : 'out'}">${about}<p dir="auto">${escaped(text)}</p>${offered}</li>`;
  });
  return `<!doctype html>
<html lang="${languageOfPage.lang}"${languageOfPage.dir === 'rtl' ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${talk.isCut ? `<p>${texts.olderAreMissing}</p>\n` : ''}<ol>
${messages.join('\n')}
</ol>
</body>
</html>
`;
}

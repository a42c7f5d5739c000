import PostalMime from 'postal-mime';
import { type TurnParts, turnParts, withFileLink, withFormLink } from '#core/messaging';
import { examplesOf } from '../../core/shape.js';
import { type Sendable, turnSchema } from '../../core/turns/turn.js';
import { writeMail } from '../../plugins/email/content/write-mail.js';
import { chooseIn } from '../../plugins/email/options.js';
import { faultOf } from '../../plugins/email/sending/driver.js';
import { textsIn } from '../../plugins/sms/options.js';
import { renderedSms } from '../../plugins/sms/sending/driver.js';
import { callsOf } from '../../plugins/telegram/sending/calls.js';
import { code, table } from './table.js';

/** How each shape of the `turn` object is sent by a channel: the cells of its row, for its example. */
function turnTable(heads: readonly [string, string], cellsOf: (parts: TurnParts) => readonly [string, string]): string {
  const rows = Object.entries(examplesOf(turnSchema) as Readonly<Record<string, Sendable>>).map(([kind, value]) => [
    code(kind),
    ...cellsOf(turnParts(value, 'The Old Man and the Sea is due on 5 March.')!),
  ]);
  return table(['Shape', ...heads], rows);
}

const REFUSED = 'refused with a reason';
/** A link as the platform makes it. */
const LINK = 'https://chat.example/…';

export const telegramTurnTable = (): string =>
  turnTable(['Calls', 'Fields of the first one, for the example of the API specification'], (parts) => {
    const calls = callsOf(parts, { key: 'Fz3kQ0aB', kind: 'inline' }, undefined, LINK);
    const first = calls[0]!;
    return [
      calls.map(({ method }) => code(method)).join(', '),
      code(JSON.stringify(first.file ? { ...first.fields, [first.file.field]: '…' } : first.fields)),
    ];
  });

const NUMBER = { plain_text: true, max_segments: 6 } as const;

export const smsTurnTable = (): string => {
  const { choose } = textsIn({}, ['en']);
  const shown = (parts: TurnParts, mms: boolean): string => {
    const formed = parts.form ? withFormLink(parts, LINK) : parts;
    const rendered = renderedSms(parts.file && !mms ? withFileLink(formed, LINK) : formed, NUMBER, choose);
    if ('error' in rendered) return `${REFUSED}: ${rendered.error.details}`;
    const text = rendered.texts.map((one) => JSON.stringify(one.text)).join(', ');
    return rendered.isMms ? `MMS, ${code(text)}` : code(text);
  };
  return turnTable(['Text, for the example of the API specification', 'With `mms`'], (parts) => {
    const [plain, rich] = [shown(parts, false), shown(parts, true)];
    return [plain, plain === rich ? 'the same' : rich];
  });
};

const MAIL = {
  id: 'm.1@shop.example',
  date: new Date('2026-01-05T08:00:00Z'),
  from: { name: 'The library', address: 'support@shop.example' },
  to: { name: 'Ann', address: 'ann@people.example' },
  subject: 'The library',
} as const;
const MAIL_FILE = { content: new Uint8Array(8), mimeType: 'image/png', filename: 'file' };

export async function emailTurnTable(): Promise<string> {
  const rows: string[][] = [];
  for (const [kind, value] of Object.entries(examplesOf(turnSchema) as Readonly<Record<string, Sendable>>)) {
    const given = turnParts(value, 'The Old Man and the Sea is due on 5 March.')!;
    const parts = given.form ? withFormLink(given, LINK) : given;
    const fault = faultOf(parts, MAIL.to.address);
    if (fault) rows.push([code(kind), `${REFUSED}: ${fault.details}`, '']);
    else {
      const file = parts.file && { ...MAIL_FILE, mimeType: parts.file.mime_type ?? (kind === 'image' ? 'image/png' : 'application/pdf') };
      const written = await PostalMime.parse(await writeMail({ ...MAIL, parts, choose: chooseIn({}, ['en']), file }));
      const attached = written.attachments.map(({ related }) => (related ? 'shown in the text' : 'attached')).join(', ');
      rows.push([code(kind), code(JSON.stringify((written.text ?? '').trim())), attached]);
    }
  }
  return table(['Shape', 'Plain text, for the example of the API specification', 'File'], rows);
}

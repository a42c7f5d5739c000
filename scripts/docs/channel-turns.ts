import { type TurnParts, turnParts, withFileLink, withFormLink } from '#core/messaging';
import { examplesOf } from '../../core/shape.js';
import { type Sendable, turnSchema } from '../../core/turns/turn.js';
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

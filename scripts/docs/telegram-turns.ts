import { turnParts } from '#core/messaging';
import { examplesOf } from '../../core/shape.js';
import { type Sendable, turnSchema } from '../../core/turns/turn.js';
import { callsOf } from '../../plugins/telegram/sending/calls.js';
import { code, table } from './table.js';

/** How each shape of the `turn` object is sent by Telegram: the calls that its example makes. */
export function telegramTurnTable(): string {
  const rows = Object.entries(examplesOf(turnSchema) as Readonly<Record<string, Sendable>>).map(([kind, value]) => {
    const parts = turnParts(value, 'The Old Man and the Sea is due on 5 March.');
    if (!parts || parts.form) return [code(kind), 'refused with a reason', 'Telegram has no forms'];
    const calls = callsOf(parts, { key: 'Fz3kQ0aB', kind: 'inline' }, undefined);
    const first = calls[0]!;
    return [
      code(kind),
      calls.map(({ method }) => code(method)).join(', '),
      code(JSON.stringify(first.file ? { ...first.fields, [first.file.field]: '…' } : first.fields)),
    ];
  });
  return table(['Shape', 'Calls', 'Fields of the first one, for the example of the API specification'], rows);
}

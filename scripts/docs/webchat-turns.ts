import { examplesOf } from '../../core/shape.js';
import { type Sendable, turnSchema, turnType } from '../../core/turns/turn.js';
import { createFileLinks, createShown } from '../../plugins/webchat/messages/shown.js';
import { code, table } from './table.js';

/** How each shape of the `turn` object is shown: what the widget gets for its example. */
export async function webchatTurnTable(): Promise<string> {
  const context = { media: { about: async () => undefined }, forms: { linkOf: async () => '/flow-messages/…' }, publicUrl: () => '' };
  const shown = createShown(context as never, { ...createFileLinks(() => 'key'), urlOf: () => 'files/…' });
  const rows = Object.entries(examplesOf(turnSchema) as Readonly<Record<string, Sendable>>).map(async ([kind, turn]) => {
    const type = turnType(turn);
    const content = { [type]: (turn as unknown as Record<string, unknown>)[type] };
    const message = {
      uuid: 'm',
      position: 1,
      direction: 'outbound',
      type,
      content,
      author: { type: 'SYSTEM' },
      rendered: 'Due on 5 March.',
    };
    const [one] = await shown.all({ uuid: 'n' } as never, [message as never]);
    const { position: _p, id: _i, direction: _d, at: _a, type: _t, status: _s, author: _au, ...rest } = one!;
    const json = JSON.stringify(rest, (key, value) => (key === 'spans' ? '…' : value)).replaceAll('"…"', '…');
    return [code(kind), code(json)];
  });
  return table(['Shape', 'Fields besides position, id, time, type, status and author'], await Promise.all(rows));
}

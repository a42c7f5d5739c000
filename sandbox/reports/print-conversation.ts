import type { Conversation, Delivery } from '../conversation/conversation.js';
import type { PhoneMessage } from '../conversation/phone-message.js';
import { painter } from '../terminal/painter.js';
import { shown } from '../terminal/shown.js';
import type { Terminal } from '../terminal/terminal.js';

/** Prints what a contact sent, the replies, the deliveries to webhooks and the state of the journey. */
export function printConversation(
  { sent, replies, deliveries, journey, open }: Conversation,
  message: PhoneMessage,
  terminal: Terminal,
): void {
  const paint = painter(terminal.isColoured);
  terminal.out(`  ▶ ${shown(sent.from)}  ${shown(sent.text)}`);
  for (const { text, options } of replies) {
    const [first, ...rest] = text.split('\n').map(shown);
    terminal.out(`  ◀ ${first}`);
    for (const line of rest) terminal.out(`    ${line}`);
    for (const option of options) terminal.out(`    ${paint('cyan', `[${shown(option)}]`)}`);
  }
  if (replies.length === 0 && open.length === 0) {
    terminal.out(paint('dim', `  no reply: ${whySilent(message, journey !== null)}`));
    if (message.kind === 'reaction' && deliveries.length === 0) {
      terminal.out(paint('dim', '  no webhook was told: PATCH /admin/v1/numbers/<uuid> with {"reactions": true} switches that on'));
    }
  }
  for (const delivery of deliveries) {
    const { subscription, about, state } = delivery;
    const label = `${paint('dim', 'delivery')}  ${subscription.padEnd(16)} ${about.padEnd(17)}`;
    terminal.out(`  ${label} ${paint(state === 'delivered' ? 'green' : isOver(state) ? 'red' : 'yellow', outcome(delivery))}`);
  }
  if (journey) {
    const { state, card, failure } = journey;
    terminal.out(`  ${paint('dim', 'journey')}   ${state}${card ? ` at ${card}` : ''}${failure ? paint('red', `: ${failure}`) : ''}`);
  }
}

function whySilent({ kind }: PhoneMessage, isTaken: boolean): string {
  if (isTaken) return 'the journey said nothing';
  if (kind === 'reaction') return 'journeys answer no reactions';
  return 'no journey waits for this contact, and none starts with this text';
}

const isOver = (state: string): boolean => state === 'cancelled' || state === 'dropped';

/** Status, time and what the receiver says of the signature; and what went wrong. */
function outcome({ state, status, ms, signature, error, retry_in, attempts }: Delivery): string {
  if (status === undefined) return state;
  const parts = [
    String(status).padEnd(3),
    `${ms} ms`.padStart(7),
    ...(signature ? [`signature ${signature}`] : []),
    ...(error ? [shown(error)] : []),
  ];
  if (state === 'retry_wait') parts.push(`retry ${attempts} of 5 in ${retry_in} s`);
  return parts.join('  ');
}

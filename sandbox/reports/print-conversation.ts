import { outcomeText } from '../../core/events/outcome-text.js';
import type { ContactMessage } from '../conversation/contact-message.js';
import type { Conversation, Delivery } from '../conversation/conversation.js';
import { escapeControls } from '../terminal/escape.js';
import { painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';

export function printConversation(
  { sent, replies, deliveries, journey, open }: Conversation,
  message: ContactMessage,
  terminal: Terminal,
): void {
  const paint = painter(terminal.isColoured);
  terminal.out(`  ▶ ${escapeControls(sent.from)}  ${escapeControls(sent.text)}`);
  for (const { text, options } of replies) {
    const [first, ...rest] = text.split('\n').map(escapeControls);
    terminal.out(`  ◀ ${first}`);
    for (const line of rest) terminal.out(`    ${line}`);
    for (const option of options) terminal.out(`    ${paint('cyan', `[${escapeControls(option)}]`)}`);
  }
  if (replies.length === 0 && open.length === 0) {
    terminal.out(paint('dim', `  no reply: ${reasonForSilence(message, journey !== null)}`));
    if (message.kind === 'reaction' && deliveries.length === 0) {
      terminal.out(paint('dim', '  webhooks receive reactions only if enabled: PATCH /admin/v1/numbers/<uuid> with {"reactions": true}'));
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

function reasonForSilence({ kind }: ContactMessage, hasTurn: boolean): string {
  if (hasTurn) return 'the journey sent no message';
  if (kind === 'reaction') return 'journeys do not answer reactions';
  return 'no journey waits for this contact, and no trigger matches this text';
}

const isOver = (state: string): boolean => state === 'cancelled' || state === 'dropped';

/** The status, duration, signature check and error of a delivery's last attempt. */
function outcome({ state, status, no_response, ms, signature, error, retry_in, attempts }: Delivery): string {
  if (status === undefined) return state;
  const parts = [
    outcomeText({ status, no_response }).padEnd(3),
    `${ms} ms`.padStart(7),
    ...(signature ? [`signature ${signature}`] : []),
    ...(error ? [escapeControls(error)] : []),
  ];
  if (state === 'retry_wait') parts.push(`retry ${attempts} of 5 in ${retry_in} s`);
  return parts.join('  ');
}

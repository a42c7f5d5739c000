import type { Delivery, DeliveryDetails } from '../client/deliveries.js';
import { escapeControls } from '../terminal/escape.js';
import { type Paint, painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';

export function printDelivery({ delivery, body, attempts }: DeliveryDetails, terminal: Terminal): void {
  const paint = painter(terminal.isColoured);
  terminal.out(lineOf(delivery, paint));
  terminal.out(`  ${paint('dim', 'webhook')}  ${delivery.webhook}  ${paint('dim', 'lane')} ${delivery.lane ?? '-'}`);
  terminal.out(`  ${paint('dim', 'body')}     ${escapeControls(body)}`);
  for (const { run, n, started_at, duration_ms, status, error, response } of attempts) {
    const head = `  ${paint('dim', `run ${run}, attempt ${n + 1}`)}  ${started_at}  ${status}  ${Math.round(duration_ms)} ms`;
    terminal.out(`${head}${error === null ? '' : `  ${paint('red', escapeControls(error))}`}`);
    if (response) terminal.out(`    ${paint('dim', escapeControls(response.replaceAll('\n', ' ⏎ ').slice(0, 200)))}`);
  }
}

export function lineOf(
  { uuid, created_at, subscription, state, reason, attempts, last_status, last_error, due_at, held_at }: Delivery,
  paint: Paint,
): string {
  const style = state === 'delivered' ? 'green' : state === 'cancelled' || state === 'dropped' ? 'red' : 'yellow';
  const parts = [
    paint('dim', created_at),
    uuid,
    subscription.padEnd(16),
    paint(style, state),
    ...(reason === undefined ? [] : [`(${reason})`]),
    ...(last_status === undefined ? [] : [`${last_status} at attempt ${attempts}`]),
    ...(state !== 'delivered' && last_error !== undefined ? [escapeControls(last_error)] : []),
    ...(due_at === undefined ? [] : [`next at ${due_at}`]),
    ...(held_at === undefined ? [] : [`paused since ${held_at}`]),
  ];
  return parts.join('  ');
}

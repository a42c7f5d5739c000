import { outcomeText } from '../../core/events/outcome-text.js';
import { pageUrl } from '../client/console.js';
import type { Delivery, DeliveryDetail, DeliveryDetails } from '../client/deliveries.js';
import type { RunFile } from '../client/run-file.js';
import { escapeControls } from '../terminal/escape.js';
import { type Paint, painter } from '../terminal/painter.js';
import { printTable, type Row, timeCell } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { stepLines } from './signature-report.js';

export function printDelivery(
  { delivery, body, attempts, details = [], answer_fault: fault }: DeliveryDetails,
  run: RunFile,
  terminal: Terminal,
): void {
  const paint = painter(terminal.isColoured);
  printDeliveries([delivery], run, terminal);
  terminal.out(`  ${paint('dim', 'webhook')}  ${delivery.webhook}  ${paint('dim', 'lane')} ${delivery.lane ?? '-'}`);
  if (delivery.replay_of !== undefined) terminal.out(`  ${paint('dim', 'replay')}   of ${delivery.replay_of}`);
  terminal.out(`  ${paint('dim', 'body')}     ${escapeControls(body)}`);
  if (fault !== undefined) terminal.out(`  ${paint('yellow', `accepted, but ${escapeControls(fault)}`)}`);
  for (const attempt of attempts) {
    const { uuid, run, n, started_at, duration_ms, error, response } = attempt;
    const head = `  ${paint('dim', `run ${run}, attempt ${n + 1}`)}  ${started_at}  ${outcomeText(attempt)}  ${Math.round(duration_ms)} ms`;
    terminal.out(`${head}${error === null ? '' : `  ${paint('red', escapeControls(error))}`}`);
    if (response) terminal.out(`    ${paint('dim', escapeControls(response.replaceAll('\n', ' ⏎ ').slice(0, 200)))}`);
    for (const detail of details) if (detail.attempt === uuid) for (const line of detailLines(detail, paint)) terminal.out(`    ${line}`);
  }
}

/** The exchange of an attempt: request, how its signature was made, response, and where the time went. */
function detailLines({ url, request, signatures, response, timing, fault }: DeliveryDetail, paint: Paint): string[] {
  return [
    ...(fault ? [paint('yellow', `fault rule ${fault.rule} made this ${fault.kind}`)] : []),
    `${paint('dim', 'POST')} ${escapeControls(url)}, ${request.body.bytes} bytes`,
    ...headerLines('>', request.headers, paint),
    ...signatures.flatMap(({ header, steps }) => [
      paint('dim', `how ${header} was made`),
      ...stepLines(steps, paint).map((line) => `  ${line}`),
    ]),
    ...(response ? [`< ${response.status}, ${response.body.bytes} bytes${response.body.cut ? ', cut' : ''}`] : []),
    ...(response ? headerLines('<', response.headers, paint) : []),
    ...(timing ? [paint('dim', timingText(timing))] : []),
  ];
}

const headerLines = (mark: string, headers: DeliveryDetail['request']['headers'], paint: Paint): string[] =>
  headers.map(([name, value]) => `${mark} ${paint('dim', `${escapeControls(name)}:`)} ${escapeControls(value)}`);

/** The phases that happened: `queue 0.1 ms, connect 0.4 ms, wait 3.1 ms, read 0.2 ms`. */
const timingText = (timing: NonNullable<DeliveryDetail['timing']>): string =>
  Object.entries(timing)
    .flatMap(([phase, ms]) => (ms === null ? [] : [`${phase} ${ms.toFixed(1)} ms`]))
    .join(', ');

/** A row for each delivery. */
export function printDeliveries(deliveries: readonly Delivery[], run: RunFile, terminal: Terminal): void {
  printTable(
    deliveries.map((delivery) => rowOf(delivery, run)),
    terminal,
  );
}

function rowOf(
  {
    uuid,
    created_at,
    subscription,
    state,
    reason,
    attempts,
    last_status,
    last_no_response,
    last_error,
    due_at,
    held_at,
    ...names
  }: Delivery,
  run: RunFile,
): Row {
  const { number_address: number, contact } = names;
  const style = state === 'delivered' ? 'green' : state === 'cancelled' || state === 'dropped' ? 'red' : 'yellow';
  const about = [
    ...(reason === undefined ? [] : [`(${reason})`]),
    // Before the first attempt of a redelivery, the outcome is that of the previous run.
    ...(last_status === undefined || attempts === 0
      ? []
      : [`${outcomeText({ status: last_status, no_response: last_no_response })} at attempt ${attempts}`]),
    ...(state !== 'delivered' && attempts > 0 && last_error !== undefined ? [last_error] : []),
    ...(due_at === undefined ? [] : [`next at ${due_at}`]),
    ...(held_at === undefined ? [] : [`paused since ${held_at}`]),
  ];
  const id = { text: uuid, isKey: true, link: pageUrl(run, 'deliveries', uuid) };
  // Responses to changes have neither.
  const who = number === undefined && contact === undefined ? [] : [[number, contact].filter((name) => name !== undefined).join(' ')];
  return [timeCell(created_at), id, subscription, ...who, { text: state, style }, about.join('  ')];
}

import { escapeControls } from '../terminal/escape.js';
import { painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';

interface AdviceShown {
  readonly name: string;
  readonly message: string;
  readonly fix: string;
  readonly times?: number;
  /** The records that it is about; advice in events has none. */
  readonly ids?: readonly { readonly kind: string; readonly id: string }[];
}

/** Lines that say what is probably a mistake, and how to fix it. */
export function adviceLines({ name, message, fix, times = 1, ids = [] }: AdviceShown, isColoured: boolean): string[] {
  const paint = painter(isColoured);
  const count = times > 1 ? paint('dim', ` (${times} times)`) : '';
  return [
    `${paint('yellow', 'advice')} ${paint('bold', name)}${count}: ${escapeControls(message)}`,
    `  ${paint('cyan', 'fix')}: ${escapeControls(fix)}`,
    ...(ids.length > 0 ? [`  ${paint('dim', ids.map(({ kind, id }) => `${kind} ${escapeControls(id)}`).join('  '))}`] : []),
  ];
}

export function printAdvice(advice: Parameters<typeof adviceLines>[0], terminal: Terminal): void {
  for (const line of adviceLines(advice, terminal.isColoured)) terminal.out(line);
}

import { escapeControls } from '../terminal/escape.js';
import { painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';

/** Lines that say what is probably a mistake, and how to fix it. */
export function adviceLines(
  { name, message, fix, times = 1 }: { readonly name: string; readonly message: string; readonly fix: string; readonly times?: number },
  isColoured: boolean,
): string[] {
  const paint = painter(isColoured);
  const count = times > 1 ? paint('dim', ` (${times} times)`) : '';
  return [
    `${paint('yellow', 'advice')} ${paint('bold', name)}${count}: ${escapeControls(message)}`,
    `  ${paint('cyan', 'fix')}: ${escapeControls(fix)}`,
  ];
}

export function printAdvice(advice: Parameters<typeof adviceLines>[0], terminal: Terminal): void {
  for (const line of adviceLines(advice, terminal.isColoured)) terminal.out(line);
}

import { withOwnCommand } from '../../core/own-command.js';
import { escapeControls } from '../terminal/escape.js';
import { painter } from '../terminal/painter.js';

interface LinkShown {
  readonly name: string;
  readonly state: 'ok' | 'waiting' | 'broken' | 'unknown' | 'skipped';
  readonly first: boolean;
  readonly summary: string;
  readonly at: string | null;
  readonly evidence: Readonly<Record<string, string>>;
  readonly fix: { readonly action: string; readonly command?: string; readonly route?: string; readonly body?: object } | null;
}

/** The steps of a message, as the admin API returns them. */
export interface Chain {
  readonly first: number | null;
  readonly links: readonly LinkShown[];
}

const looks = { ok: 'green', waiting: 'yellow', broken: 'red', unknown: 'yellow', skipped: 'dim' } as const;

/** The steps in order, the first broken one with an arrow; evidence and fixes of those that did not happen. */
export function chainLines({ first, links }: Chain, isColoured: boolean): string[] {
  const paint = painter(isColoured);
  const lines = links.flatMap(({ name, state, summary, at, evidence, fix, first: isFirst }) => [
    `${isFirst ? '>' : ' '} ${paint(looks[state], state.padEnd(7))} ${paint('bold', name.padEnd(8))} ${escapeControls(summary)}`,
    `  ${paint('dim', [...(at === null ? [] : [`at ${at}`]), ...Object.entries(evidence).map(([key, value]) => `${key} ${escapeControls(value)}`)].join('  '))}`,
    ...(fix
      ? [
          `  ${paint('cyan', 'fix')}: ${[
            withOwnCommand(fix.action),
            fix.command && withOwnCommand(fix.command),
            fix.route && [fix.route, ...(fix.body ? [JSON.stringify(fix.body)] : [])].join(' '),
          ]
            .filter((part) => part !== undefined)
            .map(escapeControls)
            .join('  |  ')}`,
        ]
      : []),
  ]);
  return first === null ? [...lines, 'Every step happened.'] : lines;
}

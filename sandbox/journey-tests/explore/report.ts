import { escapeControls } from '../../terminal/escape.js';
import type { Paint } from '../../terminal/painter.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import type { Explored } from './explorer.js';
import type { Finding } from './findings.js';

const NAMES: Readonly<Record<Finding['kind'], string>> = {
  failure: 'failure',
  endless_loop: 'endless loop',
  dead_end: 'dead end',
  unresolved_expression: 'unresolved expression',
  unreachable_card: 'unreachable card',
  card_not_reached: 'card not reached',
  no_reply: 'no reply',
};

/** The findings of a search, with the answers that lead to each. */
export function findingLines(journey: JourneyUnderTest, findings: readonly Finding[], paint: Paint): string[] {
  return findings.flatMap(({ severity, kind, card, file = journey.file, at, message, walk }) => [
    `  ${paint(severity === 'error' ? 'red' : 'yellow', severity.padEnd(7))}  ${paint('bold', NAMES[kind])} at '${card}'  ${file}:${at.line}:${at.column}`,
    `           ${escapeControls(message)}`,
    ...(walk && walk.length > 0 ? [`           ${paint('dim', 'after')} ${escapeControls(walk.join(' > '))}`] : []),
  ]);
}

export function summaryLine({ turns, isCut }: Explored, findings: readonly Finding[]): string {
  const count = (severity: Finding['severity']): number => findings.filter((finding) => finding.severity === severity).length;
  const cut = isCut ? '; the budget ended the search, raise it with --budget' : '';
  return `${turns} turns, ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}${cut}`;
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

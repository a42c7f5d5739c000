import { type Paint, painter } from '../../terminal/painter.js';
import { type Row, type TerminalLooks, tableLines } from '../../terminal/table.js';
import type { CoveredPart, JourneyCoverage } from './parts.js';

const KINDS = ['card', 'block', 'exit', 'option', 'trigger', 'expression'] as const;

/** Covered parts of each kind, and all. A card is covered if one of its blocks is; cards do not count in the total. */
export interface CoverageCounts {
  readonly counts: Readonly<Record<(typeof KINDS)[number], readonly [covered: number, all: number]>>;
  /** The covered share of all parts, from 0 to 100. */
  readonly percent: number;
}

export function countsOf(parts: readonly CoveredPart[]): CoverageCounts {
  const of = (kind: CoveredPart['kind']): readonly [number, number] => {
    const all = parts.filter((part) => part.kind === kind);
    return [all.filter(({ count }) => count > 0).length, all.length];
  };
  const blocks = parts.filter(({ kind }) => kind === 'block');
  const cards = new Set(blocks.map(({ card }) => card));
  const run = new Set(blocks.filter(({ count }) => count > 0).map(({ card }) => card));
  const covered = parts.filter(({ count }) => count > 0).length;
  return {
    counts: {
      card: [run.size, cards.size],
      block: of('block'),
      exit: of('exit'),
      option: of('option'),
      trigger: of('trigger'),
      expression: of('expression'),
    },
    percent: parts.length === 0 ? 100 : (100 * covered) / parts.length,
  };
}

const MAX_EXITS = 20;

/** Whether tests or walks took the exits, and the flag that prints all of them. */
interface Counting {
  readonly by: 'test' | 'walk';
  readonly allWith: string;
}

const BY_TESTS: Counting = { by: 'test', allWith: '--reporter json' };

/** The table of coverage, and the exits that no test took. */
export function coverageLines(journeys: readonly JourneyCoverage[], looks: TerminalLooks, { by, allWith }: Counting = BY_TESTS): string[] {
  const rows = [
    titleRow,
    ...journeys.map(({ file, parts }) => rowOf(file, parts)),
    ...(journeys.length > 1
      ? [
          rowOf(
            'all journeys',
            journeys.flatMap(({ parts }) => parts),
          ),
        ]
      : []),
  ];
  const paint = painter(looks.isColoured);
  return ['', ...tableLines(rows, looks, '  '), ...journeys.flatMap((journey) => exitLines(journey, paint, { by, allWith }))];
}

/** In a narrow terminal, the name of the file is cut. */
const numberCell = (text: string) => ({ text, isNumber: true, isKey: true });

const titleRow: Row = [
  { text: 'coverage', style: 'dim' },
  ...[...KINDS.map((kind) => `${kind}s`), 'all'].map((title) => ({ ...numberCell(title), style: 'dim' as const })),
];

function rowOf(name: string, parts: readonly CoveredPart[]): Row {
  const { counts, percent } = countsOf(parts);
  const shares = KINDS.map((kind) => (counts[kind][1] === 0 ? '-' : `${counts[kind][0]}/${counts[kind][1]}`));
  return [name, ...[...shares, `${Math.floor(percent)} %`].map(numberCell)];
}

/** The exits of decisions: a block with one exit takes it whenever it runs. Those that a test comes closest to are first. */
function exitLines({ file, parts }: JourneyCoverage, paint: Paint, { by, allWith }: Counting): string[] {
  const ran = new Set(parts.filter(({ kind, count }) => kind === 'block' && count > 0).map(({ block }) => block));
  const all = parts.filter(({ kind }) => kind === 'exit');
  const missed = all.filter(({ count, block }) => count === 0 && all.filter((other) => other.block === block).length > 1);
  if (missed.length === 0) return [];
  const exits = [...missed.filter(({ block }) => ran.has(block)), ...missed.filter(({ block }) => !ran.has(block))];
  const shown = exits.slice(0, MAX_EXITS).map(({ at, card, name, reach }) => {
    return `    ${file}:${at.line}:${at.column}  ${card} ${paint('dim', '->')} ${name}${reach === undefined ? '' : `  ${paint('dim', reach)}`}`;
  });
  const more = exits.length > MAX_EXITS ? [`    and ${exits.length - MAX_EXITS} more; all of them: ${allWith}`] : [];
  return ['', `  exits of ${file} that no ${by} takes, and how to reach them:`, ...shown, ...more];
}

import type { JourneyCoverage } from './parts.js';

/** Coverage in the format of LCOV: all parts as lines, cards as functions, exits, options and triggers as branches. */
export function lcovOf(journeys: readonly JourneyCoverage[], test = 'posthorn'): string {
  return journeys
    .map(({ file, parts, cards }) =>
      [`TN:${test}`, `SF:${file}`, ...cardLines(parts, cards), ...branchLines(parts), ...lineLines(parts), 'end_of_record', ''].join('\n'),
    )
    .join('');
}

type Parts = JourneyCoverage['parts'];

/** A card of a definition as JSON begins at its first block. */
function cardLines(parts: Parts, places: JourneyCoverage['cards']): string[] {
  const cards = new Map<string, { line: number; count: number }>();
  for (const { kind, card, at, count } of parts) {
    if (kind !== 'block') continue;
    const known = cards.get(card);
    cards.set(card, { line: Math.min(known?.line ?? at.line, at.line), count: Math.max(known?.count ?? 0, count) });
  }
  const named = [...cards].map(([card, about]) => ({
    ...about,
    line: places.get(card)?.line ?? about.line,
    card: card.replace(/[\s,]+/g, ' '),
  }));
  return [
    ...named.map(({ card, line }) => `FN:${line},${card}`),
    ...named.map(({ card, count }) => `FNDA:${count},${card}`),
    `FNF:${named.length}`,
    `FNH:${named.filter(({ count }) => count > 0).length}`,
  ];
}

function branchLines(parts: Parts): string[] {
  const blocks = new Map<string, number>();
  const branches = parts.filter(({ kind }) => kind === 'exit' || kind === 'option' || kind === 'trigger');
  const ran = new Set(parts.filter(({ kind, count }) => kind === 'block' && count > 0).map(({ block }) => block));
  const next = new Map<number, number>();
  const lines = branches.map(({ block, at, count }) => {
    const number = blocks.get(block) ?? blocks.size;
    blocks.set(block, number);
    const branch = next.get(number) ?? 0;
    next.set(number, branch + 1);
    // The format has - for a branch whose block never ran.
    return `BRDA:${at.line},${number},${branch},${count > 0 || ran.has(block) ? count : '-'}`;
  });
  return [...lines, `BRF:${branches.length}`, `BRH:${branches.filter(({ count }) => count > 0).length}`];
}

/** A line with several parts has the highest count, so that a line is covered as soon as one part ran: branches show the rest. */
function lineLines(parts: Parts): string[] {
  const lines = new Map<number, number>();
  for (const { at, count } of parts) lines.set(at.line, Math.max(lines.get(at.line) ?? 0, count));
  const sorted = [...lines].sort(([a], [b]) => a - b);
  return [
    ...sorted.map(([line, count]) => `DA:${line},${count}`),
    `LF:${sorted.length}`,
    `LH:${sorted.filter(([, count]) => count > 0).length}`,
  ];
}

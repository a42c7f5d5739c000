import { graphOf } from '#engine';
import { messageText } from '../../../plugins/simulation/response/transcript.js';
import { durationText, type FilePosition } from '../format/index.js';
import type { Action } from '../record/written-steps.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { placeIn } from '../run/run-test.js';
import { TurnView } from '../run/turn-view.js';
import { type Explored, stepsOf, type Walk } from './explorer.js';

/** A finding of a search. Errors fail the run; warnings may be intended. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly kind: 'failure' | 'endless_loop' | 'dead_end' | 'unresolved_expression' | 'unreachable_card' | 'card_not_reached' | 'no_reply';
  readonly card: string;
  /** The file of a called journey; absent for the explored one. */
  readonly file?: string;
  readonly at: FilePosition;
  readonly message: string;
  /** The answers that lead there; absent if none does. */
  readonly walk?: readonly string[];
}

/** Codes of failures that a turn without end causes. */
const LOOPS: ReadonlySet<string> = new Set(['step_limit', 'turn_limit', 'run_limit', 'depth_limit', 'effect_limit']);

/** The findings of a search, errors first, each in the order of the cards' lines. */
export function findingsOf(journey: JourneyUnderTest, explored: Explored): readonly Finding[] {
  const all = [
    ...failures(explored),
    ...unresolved(explored),
    ...loops(explored),
    ...unreached(journey, explored),
    ...withoutReply(explored),
  ].map(({ file, ...finding }): Finding => ({ ...finding, ...(file !== undefined && file !== journey.file && { file }) }));
  const unique = [
    ...new Map(
      all.map((finding) => [
        `${finding.kind} ${finding.file} ${finding.card} ${finding.at.line}:${finding.at.column} ${finding.message}`,
        finding,
      ]),
    ).values(),
  ];
  return unique.sort(
    (a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning') || a.at.line - b.at.line || a.at.column - b.at.column,
  );
}

function failures(explored: Explored): Finding[] {
  const seen = new Set<string>();
  return explored.walks.flatMap((walk): Finding[] => {
    const { failure } = walk.turn;
    const block = lastPlace(walk)?.block;
    if (!failure || seen.has(`${block} ${failure.code}`)) return [];
    seen.add(`${block} ${failure.code}`);
    const isLoop = LOOPS.has(failure.code);
    const message = isLoop
      ? `the turn does not end: ${failure.reason}`
      : `the journey fails: ${failure.code}: ${failure.reason}${failure.code === 'journey_not_found' ? '; give its file with --called ID=FILE' : ''}`;
    return [{ ...at(explored, walk), severity: 'error', kind: isLoop ? 'endless_loop' : 'failure', message }];
  });
}

/** Messages that show an expression instead of its value. */
function unresolved(explored: Explored): Finding[] {
  const seen = new Set<string>();
  return explored.walks.flatMap((walk) => {
    const { events } = walk.turn;
    return events.flatMap((event): Finding[] => {
      if (event.type !== 'warning') return [];
      const { at: place, expression, reason } = event;
      const key = `${place.block} ${expression}`;
      const isShown = events.some(
        (sent) => sent.type === 'message_out' && sent.at.block === place.block && messageText(sent.turn).includes(expression),
      );
      if (!isShown || seen.has(key)) return [];
      seen.add(key);
      const made = walk.assumptions.isMadeUp ? '; an earlier answer of a service was made up: give it with --mock' : '';
      return [
        {
          severity: walk.assumptions.isMadeUp ? 'warning' : 'error',
          kind: 'unresolved_expression',
          card: place.card,
          ...located(explored, place),
          message: `the text shows the expression '${expression}': ${reason}${made}`,
          walk: labelsOf(walk),
        },
      ];
    });
  });
}

/** Questions from which no answer leads on, and groups of questions that no answer leads out of. */
function loops(explored: Explored): Finding[] {
  const { walks, isCut } = explored;
  const next = new Map<string, Set<string>>();
  const first = new Map<string, Walk>();
  for (const { before, position } of walks) if (before) next.set(before.position, (next.get(before.position) ?? new Set()).add(position));
  for (const walk of walks) if (!first.has(walk.position)) first.set(walk.position, walk);
  const returning = [...next.keys()].filter((position) => [...next.get(position)!].every((to) => to === position || to === 'expired'));
  const dead = returning.filter((position) => !hasWays(walks, position));
  const stuck = dead.map((position): Finding => {
    const walk = first.get(position)!;
    const tried = new Set(walks.flatMap(({ before, action }) => (before?.position === position ? labelOf(action) : [])));
    const shown = [...tried].slice(0, 6).join(', ');
    return {
      ...at(explored, walk),
      severity: 'error',
      kind: 'dead_end',
      message: `no tried answer leads on from this question; tried: ${shown}`,
    };
  });
  // A search that was cut has not seen every way out.
  if (isCut) return stuck;
  const leads = new Set(['end', 'expired', ...dead]);
  for (let size = 0; size !== leads.size; ) {
    size = leads.size;
    for (const [position, to] of next) if ([...to].some((one) => one !== 'expired' && leads.has(one))) leads.add(position);
  }
  const closed = [...next.keys()].filter((position) => !leads.has(position));
  const [entrance] = closed;
  if (entrance === undefined) return stuck;
  const cards = [...new Set(closed.map((position) => `'${first.get(position)!.turn.card}'`))];
  const message = `no tried answer leads to an end from ${cards.slice(0, 6).join(', ')}${cards.length > 6 ? ' and others' : ''}`;
  return [...stuck, { ...at(explored, first.get(entrance)!), severity: 'warning', kind: 'endless_loop', message }];
}

/** Whether different answers to a question run different cards, as those of a menu do that is shown again after each. */
function hasWays(walks: readonly Walk[], position: string): boolean {
  const answered = walks.filter(({ before, action }) => before?.position === position && action.kind !== 'wait');
  const ways = answered.map(({ turn }) =>
    JSON.stringify([...new Set(turn.events.flatMap((one) => ('at' in one && one.at ? one.at.card : [])))]),
  );
  return new Set(ways).size > 1;
}

/** Cards that no exit leads to, and cards that no walk reached. */
function unreached({ container, ...journey }: JourneyUnderTest, { hits }: Explored): Finding[] {
  const isReached = (id: string): boolean => nodes.some((node) => node.id === id && node.blocks.some((uuid) => hits.blocks[uuid]));
  const { nodes, edges } = graphOf(container);
  const open = nodes.filter(({ isFirst }) => isFirst).map(({ id }) => id);
  const connected = new Set(open);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { from, to } of edges) {
      if (from !== id || to === undefined || connected.has(to)) continue;
      connected.add(to);
      open.push(to);
    }
  }
  return nodes.flatMap(({ id, label, blocks }): Finding[] => {
    if (blocks.some((uuid) => hits.blocks[uuid])) return [];
    const place = { card: label, at: placeIn({ container, ...journey }, blocks[0]!) };
    if (!connected.has(id))
      return [{ ...place, severity: 'error', kind: 'unreachable_card', message: `no exit leads to the card '${label}'` }];
    const ways = edges.filter(({ to, from }) => to === id && from !== id);
    // The cards behind a card that no walk reached follow from it.
    if (ways.length > 0 && !ways.some(({ from }) => isReached(from))) return [];
    const how = ways.map(
      (edge) => `from '${nodes.find((node) => node.id === edge.from)!.label}'${edge.label === '' ? '' : ` when ${edge.label}`}`,
    );
    const message = `no walk reached the card '${label}'${how.length === 0 ? '' : `; it is reached ${how.slice(0, 3).join(', or ')}`}`;
    return [{ ...place, severity: 'warning', kind: 'card_not_reached', message }];
  });
}

/** Answers to which the contact gets nothing back. */
function withoutReply(explored: Explored): Finding[] {
  const seen = new Set<string>();
  return explored.walks.flatMap((walk): Finding[] => {
    const { events, failure } = walk.turn;
    if (walk.action.kind === 'wait' || failure || events.some(({ type }) => type === 'message_out' || type === 'handed_over')) return [];
    const block = lastPlace(walk)?.block ?? '';
    if (seen.has(block)) return [];
    seen.add(block);
    return [{ ...at(explored, walk), severity: 'warning', kind: 'no_reply', message: 'the contact gets no reply' }];
  });
}

type BlockPlace = Pick<NonNullable<TurnView['last']>, 'journey' | 'block'>;

const lastPlace = ({ turn }: Walk): BlockPlace | undefined => new TurnView(turn).last;

/** The file and the place of a block, of the explored journey or of one that it called. */
function located({ journeys }: Explored, { journey, block }: BlockPlace): Pick<Finding, 'file' | 'at'> {
  const found = journeys.get(journey);
  return found ? { file: found.file, at: placeIn(found, block) } : { at: { line: 1, column: 1 } };
}

const at = (explored: Explored, walk: Walk): Pick<Finding, 'card' | 'file' | 'at' | 'walk'> => ({
  card: walk.turn.card,
  ...located(explored, lastPlace(walk) ?? { journey: '', block: '' }),
  walk: labelsOf(walk),
});

/** The answers of a walk, as a person would say them. */
export const labelsOf = (walk: Walk): string[] => stepsOf(walk).flatMap(({ action }) => (action.kind === 'start' ? [] : labelOf(action)));

export function labelOf(action: Action): string {
  switch (action.kind) {
    case 'start':
      return 'start';
    case 'say':
      return `"${action.text}"`;
    case 'tap':
    case 'choose':
      return action.label;
    case 'wait':
      return `${durationText(action.ms)} without an answer`;
    case 'send':
      return `[${Object.keys(action.message)[0]}]`;
  }
}

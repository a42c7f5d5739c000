import { type CardCounts, type GraphNode, leftWords } from './graph-data.js';
import { texts } from './texts.js';

const MAX_NAME = 200;

interface Props {
  readonly node: GraphNode;
  /** The number of open sessions. */
  readonly sessions: number;
  /** Whether a test reaches it; undefined if that is not shown or known. */
  readonly covered: boolean | undefined;
  readonly counts: CardCounts | undefined;
  readonly isCurrent: boolean;
  readonly isDim: boolean;
  readonly isFound: boolean;
  readonly isSelected: boolean;
  readonly isStop: boolean;
  /** Whether lines to other cards can be drawn from it. */
  readonly canConnect: boolean;
  readonly select: () => void;
  readonly edit: () => void;
  readonly move: (event: KeyboardEvent) => void;
  /** The pointer or the focus has come, or has left. */
  readonly near: (isNear: boolean) => void;
}

/** A card of a graph, or a collapsed section: a button with what it says, and its buttons as pills where the layout has placed them. */
export function Card({
  node,
  sessions,
  covered,
  counts,
  isCurrent,
  isDim,
  isFound,
  isSelected,
  isStop,
  canConnect,
  select,
  edit,
  move,
  near,
}: Props) {
  const { label, says, media, pills, x, y, width, height, is_first, waits } = node;
  // The meaning of its border and badges.
  const marks = marksOf(node, { sessions, covered, counts, isCurrent });
  const looks = {
    node: true,
    first: is_first,
    waits,
    section: isSection(node),
    current: isCurrent,
    dim: isDim,
    found: isFound,
    covered: covered === true,
    missed: covered === false,
    'has-pills': pills.length > 0,
  };
  return (
    <button
      type="button"
      class={Object.entries(looks)
        .flatMap(([look, applies]) => (applies ? look : []))
        .join(' ')}
      style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
      tabIndex={isStop ? 0 : -1}
      aria-pressed={isSelected}
      aria-label={[...nameOf(node), ...marks].filter(Boolean).join(', ')}
      title={[label.slice(0, MAX_NAME), ...media, says, ...node.options, ...marks].filter(Boolean).join('\n')}
      onClick={select}
      onDblClick={edit}
      onPointerEnter={() => near(true)}
      onPointerLeave={() => near(false)}
      onFocus={() => near(true)}
      onBlur={() => near(false)}
      onKeyDown={(event) => (event.key === 'F2' ? edit() : move(event))}
    >
      {covered !== undefined && <span class="node-mark">{covered ? '✓' : '✗'}</span>}
      <span class="node-text">
        <bdi class="node-name">
          {isSection(node) && '▸ '}
          {label.slice(0, MAX_NAME)}
        </bdi>{' '}
        {(says !== '' || media.length > 0) && (
          <bdi class="node-says">
            {media.map((kind) => (
              <span key={kind}>
                <span class="node-file">{kind}</span>{' '}
              </span>
            ))}
            {says}
          </bdi>
        )}
      </span>{' '}
      {pills.map((pill, i) => (
        <bdi
          key={i}
          class="node-pill"
          // The last one can stand for several.
          data-option={canConnect && (i < pills.length - 1 || pills.length === node.options.length) ? i : undefined}
          style={{ left: `${pill.x - x}px`, top: `${pill.y - y}px`, width: `${pill.width}px`, height: `${pill.height}px` }}
        >
          {pill.text}{' '}
        </bdi>
      ))}
      {canConnect && !isSection(node) && <span class="node-exit" data-option="" />}
      {sessions > 0 && <span class="node-count">{texts.hereNow(sessions)}</span>}
      {counts && counts.left > 0 && <span class="node-left">{leftWords(counts)}</span>}
    </button>
  );
}

/** Whether a node stands for a collapsed section. */
export const isSection = ({ id }: Pick<GraphNode, 'id'>): boolean => id.startsWith('\n');

type State = Pick<Props, 'sessions' | 'covered' | 'counts' | 'isCurrent'>;

/** In the words and order that are visible, for people who speak to their browser. */
const nameOf = ({ label, says, media, pills }: GraphNode): readonly string[] => [
  label.slice(0, MAX_NAME),
  [...media, says].filter(Boolean).join(' '),
  pills.map(({ text }) => text).join(', '),
];

function marksOf(node: GraphNode, { isCurrent, covered, sessions, counts }: State) {
  const { is_first, waits } = node;
  return [
    isSection(node) && texts.collapsedSection,
    is_first && texts.firstCard,
    waits && texts.waits,
    isCurrent && texts.isCurrent,
    sessions > 0 && texts.openSessions(sessions),
    counts && counts.left > 0 && leftWords(counts),
    covered === true && texts.reached,
    covered === false && texts.notReached,
  ];
}

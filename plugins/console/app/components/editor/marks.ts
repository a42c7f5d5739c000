import { type EditorState, type Extension, RangeSet } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter, hoverTooltip } from '@codemirror/view';
import type { Diagnostic } from './editor-props.js';
import { type Problem, problemsField, setProblems } from './problems.js';

/**
 * Marks problems in the text and beside its lines, and shows them where the pointer rests. `@codemirror/lint` would add 5 kB for a panel
 * and a schedule that the page does not use.
 * @param apply applies the fix of a problem; undefined in an editor that is read only
 */
export const problemMarks = (apply: ((found: Diagnostic) => void) | undefined): Extension => [
  problemsField,
  EditorView.decorations.compute([problemsField], (state) =>
    RangeSet.of(
      state
        .field(problemsField)
        .filter(({ from, to }) => from < to)
        .map(({ from, to, found }) => Decoration.mark({ class: `cm-problem cm-problem-${found.severity}` }).range(from, to)),
      true,
    ),
  ),
  gutter({
    class: 'cm-problem-gutter',
    lineMarker({ state }, { from, to }) {
      const here = problemsFrom(state, from, to);
      return here.length === 0 ? null : new ProblemMarker(worstOf(here), here.map(({ found }) => found.message).join('\n'));
    },
    lineMarkerChange: ({ transactions }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(setProblems))),
    initialSpacer: () => new ProblemMarker('hint', ''),
  }),
  hoverTooltip(({ state }, offset) => {
    const here = state.field(problemsField).filter(({ from, to }) => from <= offset && offset <= to);
    if (here.length === 0) return null;
    const pos = Math.min(...here.map(({ from }) => from));
    return { pos, end: Math.max(...here.map(({ to }) => to)), above: true, create: () => ({ dom: tooltip(here, apply) }) };
  }),
];

/** The problems that begin between two offsets. */
const problemsFrom = (state: EditorState, start: number, end: number): readonly Problem[] =>
  state.field(problemsField).filter(({ from }) => start <= from && from <= end);

const worstOf = (problems: readonly Problem[]): Diagnostic['severity'] =>
  (['error', 'warning'] as const).find((severity) => problems.some(({ found }) => found.severity === severity)) ?? 'hint';

class ProblemMarker extends GutterMarker {
  readonly severity: Diagnostic['severity'];
  readonly messages: string;

  constructor(severity: Diagnostic['severity'], messages: string) {
    super();
    this.severity = severity;
    this.messages = messages;
  }

  override eq({ severity, messages }: ProblemMarker): boolean {
    return severity === this.severity && messages === this.messages;
  }

  override toDOM(): Node {
    const mark = document.createElement('div');
    mark.className = `cm-problem-mark cm-problem-mark-${this.severity}`;
    mark.title = this.messages;
    return mark;
  }
}

function tooltip(problems: readonly Problem[], apply: ((found: Diagnostic) => void) | undefined): HTMLElement {
  const list = document.createElement('div');
  for (const { found } of problems) {
    const { severity, message, fix } = found;
    const entry = document.createElement('div');
    entry.className = `cm-diagnostic cm-diagnostic-${severity}`;
    entry.append(message);
    if (fix && apply) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'cm-diagnostic-fix';
      button.textContent = fix.label;
      button.onclick = () => apply(found);
      entry.append(button);
    }
    list.append(entry);
  }
  return list;
}

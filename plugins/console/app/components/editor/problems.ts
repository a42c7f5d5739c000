import { type Diagnostic as Marked, setDiagnostics } from '@codemirror/lint';
import type { ChangeDesc, EditorState, Text, TransactionSpec } from '@codemirror/state';
import type { Diagnostic } from './editor-props.js';
import { offsetOf, placeOf, rangeOf } from './places.js';

/** A problem with its offsets in the current text, which may have changed since it was checked. */
export interface Problem {
  readonly found: Diagnostic;
  readonly from: number;
  readonly to: number;
  readonly fix: { readonly from: number; readonly to: number } | undefined;
}

/** The problems of a text that was just checked, in the order of the text. */
export const problemsIn = (doc: Text, found: readonly Diagnostic[]): Problem[] =>
  found
    .map((one): Problem => {
      const { from, to } = rangeOf(doc, one);
      const { fix } = one;
      const start = fix?.from ? offsetOf(doc, fix.from) : from;
      return { found: one, from, to, fix: fix && { from: start, to: Math.max(start, fix.to ? offsetOf(doc, fix.to) : to) } };
    })
    .sort((a, b) => a.from - b.from);

/** The same problems after a change of the text, so that a fix applies where its problem has moved to. */
export const moved = (problems: readonly Problem[], changes: ChangeDesc): Problem[] =>
  problems.map(({ found, from, to, fix }) => ({
    found,
    from: changes.mapPos(from, 1),
    to: Math.max(changes.mapPos(from, 1), changes.mapPos(to, -1)),
    fix: fix && { from: changes.mapPos(fix.from, 1), to: Math.max(changes.mapPos(fix.from, 1), changes.mapPos(fix.to, -1)) },
  }));

/** Marks the problems in the editor. @param apply applies the fix of a problem; undefined in an editor that is read only */
export const marksOf = (
  state: EditorState,
  problems: readonly Problem[],
  apply: ((found: Diagnostic) => void) | undefined,
): TransactionSpec =>
  setDiagnostics(
    state,
    problems.map(({ found, from, to }): Marked => {
      const { severity, message, fix } = found;
      return { from, to, severity, message, ...(fix && apply && { actions: [{ name: fix.label, apply: () => apply(found) }] }) };
    }),
  );

/** The index of the next problem behind an offset, or before it, beginning again at the other end; -1 if there is none. */
export function nextOf(problems: readonly Problem[], offset: number, by: 1 | -1): number {
  if (problems.length === 0) return -1;
  const next = by === 1 ? problems.findIndex(({ from }) => from > offset) : problems.findLastIndex(({ from }) => from < offset);
  return next >= 0 ? next : by === 1 ? 0 : problems.length - 1;
}

/** A problem as it is shown below the editor. */
export interface ShownProblem {
  readonly found: Diagnostic;
  /** Counted from 1. */
  readonly n: number;
  readonly line: number;
  readonly column: number;
}

/** The first problem that contains an offset. */
export function problemAt(doc: Text, problems: readonly Problem[], offset: number): ShownProblem | undefined {
  const at = problems.findIndex(({ from, to }) => from <= offset && offset <= to);
  const problem = problems[at];
  return problem && { found: problem.found, n: at + 1, ...placeOf(doc, problem.from) };
}

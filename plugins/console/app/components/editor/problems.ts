import { type ChangeDesc, type EditorState, StateEffect, StateField, type Text } from '@codemirror/state';
import type { Diagnostic } from './editor-props.js';
import { offsetOf, placeOf, rangeOf } from './places.js';

/** A problem with its offsets in the current text, which may have changed since it was checked. */
export interface Problem {
  readonly found: Diagnostic;
  readonly from: number;
  readonly to: number;
  readonly fix: { readonly from: number; readonly to: number } | undefined;
}

/** Replaces the problems of an editor. */
export const setProblems = StateEffect.define<readonly Problem[]>();

/** The problems of an editor, sorted. They move with the text, so that a fix applies where its problem has moved to. */
export const problemsField = StateField.define<readonly Problem[]>({
  create: () => [],
  update(problems, { effects, changes, docChanged }) {
    const set = effects.find((effect) => effect.is(setProblems));
    return set ? (set.value as readonly Problem[]) : docChanged && problems.length > 0 ? moved(problems, changes) : problems;
  },
});

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

const moved = (problems: readonly Problem[], changes: ChangeDesc): Problem[] =>
  problems.map(({ found, fix, ...range }) => ({ found, ...movedRange(range, changes), fix: fix && movedRange(fix, changes) }));

function movedRange({ from, to }: { from: number; to: number }, changes: ChangeDesc): { from: number; to: number } {
  const start = changes.mapPos(from, 1);
  return { from: start, to: Math.max(start, changes.mapPos(to, -1)) };
}

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

/** The problem of an index, as it is shown. */
export function shownOf(state: EditorState, at: number): ShownProblem | undefined {
  const problem = state.field(problemsField)[at];
  return problem && { found: problem.found, n: at + 1, ...placeOf(state.doc, problem.from) };
}

/** The first problem that contains an offset. */
export const problemAt = (state: EditorState, offset: number): ShownProblem | undefined =>
  shownOf(
    state,
    state.field(problemsField).findIndex(({ from, to }) => from <= offset && offset <= to),
  );

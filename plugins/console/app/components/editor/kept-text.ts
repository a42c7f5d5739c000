import { history, historyField, isolateHistory, redo, undo } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import type { KeptText, TextChange } from './editor-props.js';

const FIELDS = { history: historyField };

interface Stored {
  readonly doc: string;
}

/** The line break that most lines of a text end with; CodeMirror's own text has line feeds only. */
export const lineBreakOf = (text: string): '\r\n' | '\n' =>
  2 * (text.match(/\r\n/g)?.length ?? 0) > (text.match(/\n/g)?.length ?? 0) ? '\r\n' : '\n';

/** The state of an editor of a text: with the steps that were kept, if they are those of this text. */
export function stateOf(text: string, extensions: Extension, kept?: KeptText): EditorState {
  const stored = kept?.stored as Stored | undefined;
  const isSame = stored !== undefined && stored.doc === text.replace(/\r\n?/g, '\n');
  return isSame ? EditorState.fromJSON(stored, { extensions }, FIELDS) : EditorState.create({ doc: text, extensions });
}

/** Keeps the text and the steps of an editor for the next one. */
export const keep = (kept: KeptText, state: EditorState): void => {
  kept.stored = state.toJSON(FIELDS);
};

/** Changes as one step of its own. Their offsets count a carriage return; those of CodeMirror do not. */
export function stepOf(state: EditorState, text: string, changes: readonly TextChange[]) {
  const offset = (at: number): number => at - (text.slice(0, at).match(/\r\n/g)?.length ?? 0);
  return state.update({
    changes: changes.map(({ from, to, insert }) => ({ from: offset(from), to: offset(to), insert: insert.replaceAll('\r\n', '\n') })),
    annotations: isolateHistory.of('full'),
    userEvent: 'input.canvas',
    scrollIntoView: true,
  });
}

/** Changes a text that no editor shows, as a step that its next editor can undo. Returns the text; undefined if there is nothing to undo. */
export function changeKept(kept: KeptText, text: string, change: readonly TextChange[] | 'undo' | 'redo'): string | undefined {
  let state = stateOf(text, history(), kept);
  if (change === 'undo' || change === 'redo') {
    const target = {
      state,
      dispatch: (step: { readonly state: EditorState }) => {
        state = step.state;
      },
    };
    if (!(change === 'undo' ? undo : redo)(target)) return undefined;
  } else state = stepOf(state, text, change).state;
  keep(kept, state);
  return state.doc.sliceString(0, undefined, lineBreakOf(text));
}

import { autocompletion, type CompletionContext, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { notebookCompletions } from '../../../../journeys/engine/notebook/editor/codemirror.js';
import type { Completions, EditorProps } from './editor-props.js';

/** Returns undefined when the page offers nothing. */
export type Complete = (text: string, offset: number) => Promise<Completions> | undefined;

/** Characters after which names and values are offered, although nothing of them is typed yet. */
const opens = { json: /["{.@]$/, notebook: /@(?:[A-Za-z_][\w.]*\.)?$/ };

/** Names and values while one types, and the closing halves of brackets and quotes. */
export const completions = (language: EditorProps['language'], complete: Complete): Extension => [
  closeBrackets(),
  autocompletion({
    override: [completionSource(language, complete)],
    icons: false,
  }),
  keymap.of(closeBracketsKeymap),
];

function completionSource(language: EditorProps['language'], complete: Complete) {
  const source = notebookCompletions(async (text, offset) => {
    // A failed call offers nothing: the user continues typing.
    const none = { from: offset, to: offset, options: [] };
    return complete(text, offset)?.catch(() => none) ?? none;
  });
  return ({ state, pos, explicit }: CompletionContext) => {
    const before = state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from);
    return source({ state, pos, explicit: explicit || opens[language].test(before) });
  };
}

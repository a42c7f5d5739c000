import { autocompletion, type CompletionContext, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import {
  history,
  historyKeymap,
  indentLess,
  indentMore,
  moveLineDown,
  moveLineUp,
  standardKeymap,
  toggleComment,
} from '@codemirror/commands';
import { bracketMatching, indentOnInput, LanguageSupport } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { notebookCompletions } from '../../../../journeys/engine/notebook/editor/codemirror.js';
import type { Completions, EditorProps } from './editor-props.js';
import { jsonLanguage } from './json-language.js';
import { notebookLanguage } from './notebook-language.js';
import { theme } from './theme.js';

const languages = { json: jsonLanguage, notebook: notebookLanguage };

/** Characters after which names and values are offered, although nothing of them is typed yet. */
const opens = { json: /["{.@]$/, notebook: /@(?:[A-Za-z_][\w.]*\.)?$/ };

/** Of CodeMirror's default keys, those that people know from other editors; the others would add 2 kB. */
const lineKeys: readonly KeyBinding[] = [
  { key: 'Alt-ArrowUp', run: moveLineUp },
  { key: 'Alt-ArrowDown', run: moveLineDown },
  { key: 'Mod-[', run: indentLess },
  { key: 'Mod-]', run: indentMore },
  { key: 'Mod-/', run: toggleComment },
];

interface Setup {
  readonly language: EditorProps['language'];
  readonly label: string;
  readonly isReadOnly: boolean;
  /** Returns undefined when the page offers nothing. */
  readonly complete: (text: string, offset: number) => Promise<Completions> | undefined;
}

/**
 * The extensions of an editor that its component does not change. Tab stays with the page, so that the keyboard can leave the editor. The
 * selection is that of the browser, which phones can drag: CodeMirror's own, with several cursors, would add 2 kB.
 */
export const setupOf = ({ language, label, isReadOnly, complete }: Setup): Extension => [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  autocompletion({
    override: [completionSource(language, complete)],
    icons: false,
  }),
  keymap.of([...closeBracketsKeymap, ...standardKeymap, ...lineKeys, ...historyKeymap, ...completionKeymap]),
  new LanguageSupport(languages[language]),
  // The prose of a notebook has lines of any length.
  language === 'notebook' ? EditorView.lineWrapping : [],
  EditorState.tabSize.of(2),
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({
    'aria-label': label,
    tabindex: '0',
    'aria-readonly': String(isReadOnly),
    spellcheck: 'false',
    autocapitalize: 'off',
  }),
  theme,
];

function completionSource(language: EditorProps['language'], complete: Setup['complete']) {
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

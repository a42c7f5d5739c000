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
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, LanguageSupport } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { notebookCompletions } from '../../../../../core/engine/notebook/editor/codemirror.js';
import type { Completions, EditorProps } from './editor-props.js';
import { folding } from './folding.js';
import { jsonLanguage } from './json-language.js';
import { notebookLanguage } from './notebook-language.js';
import { theme } from './theme.js';

const languages = { json: jsonLanguage, notebook: notebookLanguage };

/** Characters of JSON after which names and values are offered, although nothing of them is typed yet. */
const OPENS = /["{.]$/;

const findingPart = new Compartment();

/** The panel is loaded when it is first opened, because few users need it. */
function startFinding(editor: EditorView): boolean {
  void import('./finding.js').then(({ finding, openSearchPanel }) => {
    editor.dispatch({ effects: findingPart.reconfigure(finding) });
    openSearchPanel(editor);
  });
  return true;
}

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

/** The extensions of an editor that its component does not change. Tab stays with the page, so that the keyboard can leave the editor. */
export const setupOf = ({ language, label, isReadOnly, complete }: Setup): Extension => [
  lineNumbers(),
  foldGutter({
    markerDOM(isOpen) {
      const mark = document.createElement('span');
      mark.textContent = isOpen ? '▾' : '▸';
      return mark;
    },
  }),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  folding,
  findingPart.of(keymap.of([{ key: 'Mod-f', run: startFinding }])),
  autocompletion({
    override: [completionSource(language, complete)],
    icons: false,
  }),
  keymap.of([...closeBracketsKeymap, ...standardKeymap, ...lineKeys, ...historyKeymap, ...foldKeymap, ...completionKeymap]),
  new LanguageSupport(languages[language]),
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
    // A failed call offers nothing: the user goes on typing.
    const none = { from: offset, to: offset, options: [] };
    return complete(text, offset)?.catch(() => none) ?? none;
  });
  return ({ state, pos, explicit }: CompletionContext) => {
    const before = state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from);
    return source({ state, pos, explicit: explicit || (language === 'json' && OPENS.test(before)) });
  };
}

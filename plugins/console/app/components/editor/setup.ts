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
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { announce } from '../../data/announce.js';
import type { Complete } from './completions.js';
import type { EditorProps } from './editor-props.js';
import { jsonLanguage } from './json-language.js';
import { notebookLanguage } from './notebook-language.js';
import { texts } from './texts.js';
import { theme } from './theme.js';

const languages = { json: jsonLanguage, notebook: notebookLanguage };

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
  readonly complete: Complete;
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
  highlightActiveLine(),
  isReadOnly ? [] : whenFocused(language, complete),
  keymap.of([...standardKeymap, ...lineKeys, ...historyKeymap]),
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

/** Completions are a tenth of the editor's script, and readers of a text need none: they are loaded when the editor first has the focus. */
function whenFocused(language: EditorProps['language'], complete: Complete): Extension {
  const place = new Compartment();
  let isAsked = false;
  const load = async (view: EditorView): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    try {
      const { completions } = await import('./completions.js');
      if (view.dom.isConnected) view.dispatch({ effects: place.reconfigure(completions(language, complete)) });
    } catch {
      isAsked = false;
      announce(texts.noCompletions);
    }
  };
  return [place.of([]), EditorView.domEventHandlers({ focus: (_, view) => void load(view) })];
}

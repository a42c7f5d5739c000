import { redo, undo } from '@codemirror/commands';
import type { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../data/announce.js';
import { useShortcuts } from '../../data/shortcuts.js';
import editorSheet from '../../styles/editor.page.css';
import { lazyPart } from '../lazy-part.js';
import { addSheet } from '../page-sheet.js';
import type { Diagnostic, EditorControls, EditorProps } from './editor-props.js';
import { keep, lineBreakOf, stateOf, stepOf } from './kept-text.js';
import { problemMarks } from './marks.js';
import { offsetOf, placeOf, rangeOf, scrollTo } from './places.js';
import { ProblemLine } from './problem-line.js';
import { nextOf, type Problem, problemAt, problemsField, problemsIn, type ShownProblem, setProblems, shownOf } from './problems.js';
import { type Found, finderOf, type Search, searchField, selectedMatch } from './search.js';
import { setupOf } from './setup.js';
import { texts } from './texts.js';

addSheet(editorSheet);

const FindBar = lazyPart(() => import('./find-bar.js'));
/** A selection of up to this many characters becomes the search. */
const MAX_SOUGHT = 100;

/**
 * The editor, in a shadow tree: there CodeMirror uses constructed style sheets, and the policy of the console allows no `style` elements.
 * `F8` goes to the next problem, `Shift+F8` to the previous one, `Ctrl+.` applies the fix of the problem at the cursor, and `Ctrl+F` finds.
 */
export default function CodeEditor(props: EditorProps) {
  const { value, language, label, isReadOnly = false, diagnostics } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const newest = useRef(props);
  newest.current = props;
  /** The text that the page knows. */
  const known = useRef(value);
  const problems = useSignal<readonly Problem[]>([]);
  const shown = useSignal<ShownProblem | undefined>(undefined);
  /** The state of the find bar, once it was opened. */
  const finding = useSignal<{ readonly found: Found; readonly selected: number; readonly asked: number } | undefined>(undefined);
  const [finder] = useState(() => finderOf(() => view.current));

  const showCurrent = (state: EditorState): void => {
    problems.value = state.field(problemsField);
    const next = problemAt(state, state.selection.main.from);
    const { n, found, line, column } = shown.value ?? {};
    if (next?.found !== found || next?.n !== n || next?.line !== line || next?.column !== column) shown.value = next;
  };
  const select = (editor: EditorView, anchor: number, head: number): void => {
    editor.dispatch({ selection: { anchor, head }, effects: scrollTo(anchor) });
    editor.focus();
  };
  const step = (by: 1 | -1): Diagnostic | undefined => {
    const editor = view.current;
    if (!editor) return undefined;
    const all = problems.value;
    // From a problem that begins at the cursor, to the one beside it, which may begin there, too.
    const isHere = shown.value !== undefined && all[shown.value.n - 1]?.from === editor.state.selection.main.from;
    const at = isHere ? (shown.value!.n - 1 + by + all.length) % all.length : nextOf(all, editor.state.selection.main.from, by);
    const problem = all[at];
    if (!problem) {
      announce(texts.noProblems);
      return undefined;
    }
    select(editor, problem.from, problem.to);
    shown.value = shownOf(editor.state, at);
    announce(texts.problemOf(at + 1, all.length, problem.found.message));
    return problem.found;
  };
  const find = (): boolean => {
    const { state } = view.current!;
    const { from, to } = state.selection.main;
    const { search } = state.field(searchField);
    const text = to - from > MAX_SOUGHT ? '' : state.sliceDoc(from, to);
    const before: Search = search ?? { text: '', isCased: false, isPattern: false };
    finding.value = { found: state.field(searchField), selected: -1, asked: (finding.value?.asked ?? 0) + 1 };
    finder.look({ ...before, ...(text !== '' && !text.includes('\n') && { text }) });
    return true;
  };
  const findNext = (by: 1 | -1): boolean => {
    if (finding.value?.found.search) finder.step(by);
    else find();
    return true;
  };
  const leaveSearch = (): void => {
    finder.look(undefined);
    view.current?.focus();
  };
  const fix = (found: Diagnostic | undefined): boolean => {
    const editor = view.current;
    const range = problems.value.find((problem) => problem.found === found)?.fix;
    if (!editor || !found?.fix || !range || isReadOnly) return false;
    const { insert, label: done } = found.fix;
    const rest = problems.value.filter((problem) => problem.found !== found);
    editor.dispatch({ effects: setProblems.of(rest) });
    editor.dispatch({
      changes: { ...range, insert },
      selection: { anchor: range.from + insert.length },
      scrollIntoView: true,
      userEvent: 'input.complete',
    });
    announce(texts.done(done));
    editor.focus();
    return true;
  };

  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: stateOf(
        newest.current.value,
        [
          keymap.of([
            { key: 'F8', run: () => step(1) !== undefined, shift: () => step(-1) !== undefined },
            { key: 'Mod-.', run: () => fix(shown.value?.found) },
            { key: 'Mod-f', run: find },
            ...['F3', 'Mod-g'].map((key) => ({ key, run: () => findNext(1), shift: () => findNext(-1) })),
          ]),
          searchField,
          setupOf({ language, label, isReadOnly, complete: (text, offset) => newest.current.complete?.(text, offset) }),
          problemMarks(isReadOnly ? undefined : fix),
          EditorView.updateListener.of(({ state, docChanged, selectionSet, transactions }) => {
            const isChecked = transactions.some(({ effects }) => effects.some((effect) => effect.is(setProblems)));
            if (docChanged) {
              const text = state.doc.sliceString(0, undefined, lineBreakOf(known.current));
              if (text !== known.current) {
                known.current = text;
                newest.current.onChange?.(text);
              }
            }
            if (docChanged || selectionSet || isChecked) showCurrent(state);
            if (finding.value) {
              const found = state.field(searchField);
              finding.value = { ...finding.value, found, selected: selectedMatch(state, found) };
            }
            if (docChanged || selectionSet) newest.current.onCursor?.(placeOf(state.doc, state.selection.main.head));
          }),
        ],
        newest.current.kept,
      ),
    });
    view.current = editor;
    known.current = newest.current.value;
    const controls: EditorControls = {
      goTo(place, end) {
        const { from, to } = rangeOf(editor.state.doc, { ...place, ...(end && { end }) });
        select(editor, from, to);
      },
      step,
      replace(text) {
        const { line } = placeOf(editor.state.doc, editor.state.selection.main.head);
        editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, userEvent: 'input' });
        editor.dispatch({ selection: { anchor: offsetOf(editor.state.doc, { line, column: 1 }) }, scrollIntoView: true });
      },
      change(change) {
        if (change === 'undo' || change === 'redo') return (change === 'undo' ? undo : redo)(editor);
        editor.dispatch(stepOf(editor.state, known.current, change));
        return true;
      },
      focus: () => editor.focus(),
    };
    newest.current.controls?.(controls);
    return () => {
      newest.current.controls?.(undefined);
      if (newest.current.kept) keep(newest.current.kept, editor.state);
      view.current = undefined;
      editor.destroy();
    };
  }, [language, label, isReadOnly]);

  useLayoutEffect(() => {
    if (value === known.current) return;
    known.current = value;
    view.current!.dispatch({ changes: { from: 0, to: view.current!.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    if (diagnostics) view.current!.dispatch({ effects: setProblems.of(problemsIn(view.current!.state.doc, diagnostics)) });
  }, [diagnostics, language, label, isReadOnly]);

  useShortcuts({ F8: ({ shiftKey }) => void step(shiftKey ? -1 : 1) });

  return (
    <div class="editor">
      {finding.value?.found.search && <FindBar {...finding.value} finder={finder} isReadOnly={isReadOnly} leave={leaveSearch} />}
      {/* Keys belong to the editor, which the page cannot see inside. */}
      <div ref={host} class="editor-host" data-owns-keys />
      <ProblemLine shown={shown.value} problems={problems.value.map(({ found }) => found)} isReadOnly={isReadOnly} step={step} fix={fix} />
    </div>
  );
}

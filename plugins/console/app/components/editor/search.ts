import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import { scrollTo } from './places.js';

/** The entry of the find bar. */
export interface Search {
  readonly text: string;
  readonly isCased: boolean;
  /** Whether the text is a regular expression. */
  readonly isPattern: boolean;
}

interface Match {
  readonly from: number;
  readonly to: number;
}

export interface Found {
  /** Undefined while the bar is closed. */
  readonly search: Search | undefined;
  readonly matches: readonly Match[];
  /** Whether there are more matches, which are neither counted nor marked. */
  readonly isCut: boolean;
  /** Whether the text of the search cannot be read as a regular expression. */
  readonly isBroken: boolean;
}

const MAX_MATCHES = 10_000;
const NOTHING: Found = { search: undefined, matches: [], isCut: false, isBroken: false };

/** Replaces the search of an editor; undefined ends it. */
const setSearch = StateEffect.define<Search | undefined>();

/** The matches of the search in the current text, which it marks. */
export const searchField = StateField.define<Found>({
  create: () => NOTHING,
  update(found, { effects, docChanged, newDoc }) {
    const set = effects.find((effect) => effect.is(setSearch));
    const search = set ? (set.value as Search | undefined) : found.search;
    if (!set && !(docChanged && search)) return found;
    return search === undefined ? NOTHING : foundIn(newDoc.toString(), search);
  },
  provide: (field) => [
    // The selection is invisible while the find bar has the focus.
    EditorView.decorations.compute([field, 'selection'], (state) => {
      const found = state.field(field);
      const match = found.matches[selectedMatch(state, found)];
      return match ? Decoration.set(selectedMark.range(match.from, match.to)) : Decoration.none;
    }),
    EditorView.decorations.from(field, ({ matches }) => Decoration.set(matches.map(({ from, to }) => mark.range(from, to)))),
  ],
});

const mark = Decoration.mark({ class: 'cm-match' });
const selectedMark = Decoration.mark({ class: 'cm-match-selected' });

function foundIn(text: string, search: Search): Found {
  const pattern = patternOf(search, 'gm');
  if (!pattern) return { ...NOTHING, search, isBroken: search.text !== '' };
  const matches: Match[] = [];
  for (const { index, 0: matched } of text.matchAll(pattern)) {
    if (matched === '') continue;
    if (matches.length === MAX_MATCHES) return { search, matches, isCut: true, isBroken: false };
    matches.push({ from: index, to: index + matched.length });
  }
  return { search, matches, isCut: false, isBroken: false };
}

/** Undefined for a search without a text, or whose text cannot be read as a regular expression. */
function patternOf({ text, isCased, isPattern }: Search, flags: string): RegExp | undefined {
  if (text === '') return undefined;
  try {
    return new RegExp(isPattern ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), isCased ? flags : `${flags}i`);
  } catch {
    return undefined;
  }
}

/** The methods of the find bar. */
export interface Finder {
  /** Begins or changes the search; undefined ends it. */
  look(search: Search | undefined): void;
  /** Selects the next match behind the selection, or the previous one, beginning again at the other end. */
  step(by: 1 | -1): void;
  /** Replaces the selected match and selects the next one; if no match is selected, selects one. */
  replace(text: string): void;
  replaceAll(text: string): void;
}

export function finderOf(editor: () => EditorView | undefined): Finder {
  const find = (then: (editor: EditorView, found: Found) => void): void => {
    const view = editor();
    if (view) then(view, view.state.field(searchField));
  };
  const finder: Finder = {
    look: (search) => find((view) => view.dispatch({ effects: setSearch.of(search) })),
    step: (by) =>
      find((view, { matches }) => {
        const { from, to } = view.state.selection.main;
        const next = by === 1 ? matches.find((one) => one.from >= to) : matches.findLast((one) => one.to <= from);
        const match = next ?? matches.at(by === 1 ? 0 : -1);
        if (!match) return;
        view.dispatch({ selection: { anchor: match.from, head: match.to }, effects: scrollTo(match.from) });
      }),
    replace: (text) =>
      find((view, found) => {
        const match = found.matches[selectedMatch(view.state, found)];
        if (match) view.dispatch({ changes: { ...match, insert: insertOf(view, found, match, text) }, userEvent: 'input.replace' });
        finder.step(1);
      }),
    replaceAll: (text) =>
      find((view, found) => {
        const changes = found.matches.map((match) => ({ ...match, insert: insertOf(view, found, match, text) }));
        view.dispatch({ changes, userEvent: 'input.replace.all' });
      }),
  };
  return finder;
}

/** The index of the match that is selected; -1 if none is. */
export function selectedMatch({ selection }: EditorState, { matches }: Found): number {
  const { from, to } = selection.main;
  return matches.findIndex((match) => match.from === from && match.to === to);
}

/** The replacement of a match, with the groups of a regular expression for `$1` and the like. */
function insertOf({ state }: EditorView, { search }: Found, { from }: Match, text: string): string {
  const pattern = search?.isPattern && patternOf(search, 'my');
  if (!pattern) return text;
  pattern.lastIndex = from;
  const groups = pattern.exec(state.doc.toString());
  return text.replace(/\$(\d|&)/g, (_, group: string) => groups?.[group === '&' ? 0 : Number(group)] ?? '');
}

/**
 * The language of notebooks for CodeMirror 6, without importing CodeMirror: `StreamLanguage.define(stackMode(language))` for the code of
 * `stack` fences, and a completion source for the whole notebook. `language.json` in this folder is the argument.
 */

/** The words of the language, as `language.json` lists them, separated by spaces. */
export interface LanguageData {
  readonly keywords: string;
  readonly constants: string;
  readonly operators: string;
  /** Words of calls in cards, such as `text`. */
  readonly items: string;
  /** Functions of expressions. */
  readonly functions: string;
  /** Options of card heads. */
  readonly options: string;
}

/** The part of CodeMirror's `StringStream` that the mode uses. */
export interface Stream {
  match(pattern: RegExp, consume?: boolean): RegExpMatchArray | boolean | null;
  next(): unknown;
  eatSpace(): boolean;
  eol(): boolean;
  sol(): boolean;
  skipToEnd(): void;
}

/** The open quotes of a text that continues on the next line, if any. */
interface ModeState {
  quotes: '"' | "'" | '"""' | undefined;
}

/** A CodeMirror `StreamParser`. */
export interface StackMode {
  readonly name: 'stack';
  readonly languageData: {
    readonly commentTokens: { readonly line: string };
    readonly closeBrackets: { readonly brackets: readonly string[] };
    readonly indentOnInput: RegExp;
  };
  startState(): ModeState;
  copyState(state: ModeState): ModeState;
  token(stream: Stream, state: ModeState): string | null;
}

const NAME = /^[A-Za-z_]\w*/;
const TEMPLATE = /^@(?:@|[A-Za-z_]\w*(?:\.\w+|\[\w+\])*)/;

const wordsOf = (list: string): string[] => list.split(' ');

/** Highlights the code of notebooks. Tokens are named as CodeMirror's `StreamLanguage` expects them. */
export function stackMode(language: LanguageData): StackMode {
  const kinds = new Map<string, string>([
    ...wordsOf(language.functions).map((name) => [name, 'variableName.function'] as const),
    ...wordsOf(language.keywords).map((name) => [name, 'keyword'] as const),
    ...wordsOf(language.operators).map((name) => [name, 'operatorKeyword'] as const),
    ...wordsOf(language.constants).map((name) => [name, 'atom'] as const),
    ...wordsOf(language.items).map((name) => [name, 'variableName.standard'] as const),
  ]);
  const calls = new Set([...wordsOf(language.functions), ...wordsOf(language.items)]);
  const options = new Set(wordsOf(language.options));

  const word = (stream: Stream, name: string): string => {
    if (stream.match(/^:(?=\s|$)/, false)) return options.has(name) ? 'keyword' : 'propertyName';
    const isCall = Boolean(stream.match(/^\(/, false));
    if (calls.has(name)) return isCall ? kinds.get(name)! : 'variableName';
    return kinds.get(name) ?? 'variableName';
  };

  return {
    name: 'stack',
    languageData: {
      commentTokens: { line: '#' },
      closeBrackets: { brackets: ['(', '[', '"', "'"] },
      indentOnInput: /^\s*(?:end|else)$/,
    },
    startState: () => ({ quotes: undefined }),
    copyState: ({ quotes }) => ({ quotes }),
    token(stream, state) {
      if (state.quotes) return insideText(stream, state, state.quotes);
      if (stream.eatSpace()) return null;
      if (stream.match(/^#.*/)) return 'comment';
      const quotes = stream.match(/^(?:"""[ \t]*$|"|')/);
      if (quotes && quotes !== true) {
        state.quotes = quotes[0].startsWith('"""') ? '"""' : (quotes[0] as '"' | "'");
        return 'string';
      }
      if (stream.match(/^\d{4}-\d{2}-\d{2}(?:T[\d:]+Z?)?/)) return 'literal';
      if (stream.match(/^\d[\d_]*(?:\.\d+)?/)) return 'number';
      const name = stream.match(NAME);
      if (name && name !== true) return word(stream, name[0]);
      if (stream.match(/^(?:==|!=|<>|<=|>=|[-+*/%^&=<>])/)) return 'operator';
      stream.next();
      return null;
    },
  };
}

/** A text up to its end, or to the end of the line. Names after `@` are marked. */
function insideText(stream: Stream, state: ModeState, quotes: NonNullable<ModeState['quotes']>): string {
  if (quotes === '"""' && stream.sol() && stream.match(/^[ \t]*"""/)) {
    state.quotes = undefined;
    return 'string';
  }
  if (stream.match(TEMPLATE)) return 'variableName.special';
  while (!stream.eol()) {
    if (stream.match(/^@(?=[A-Za-z_@])/, false)) return 'string';
    if (quotes !== '"""' && stream.match(quotes === '"' ? /^\\"/ : /^\\'/)) continue;
    if (stream.next() === quotes) {
      state.quotes = undefined;
      return 'string';
    }
  }
  return 'string';
}

/** Completes a notebook at an offset: `completionsAt`, or a call of the admin API that runs it. */
export type Complete = (text: string, offset: number) => Answer | Promise<Answer>;

interface Answer {
  readonly from: number;
  readonly to: number;
  readonly options: readonly {
    readonly label: string;
    readonly kind: string;
    readonly detail: string;
    readonly insert?: string | undefined;
    readonly select?: { readonly from: number; readonly to: number } | undefined;
  }[];
}

/** The part of CodeMirror's `EditorView` that the source uses. */
interface View {
  readonly state: { readonly doc: { lineAt(offset: number): { readonly text: string } } };
  dispatch(change: {
    readonly changes: { readonly from: number; readonly to: number; readonly insert: string };
    readonly selection: { readonly anchor: number; readonly head: number };
    readonly scrollIntoView: true;
    readonly userEvent: string;
  }): void;
}

/** The part of CodeMirror's `CompletionContext` that the source uses. */
export interface Asked {
  readonly state: { readonly doc: { toString(): string } };
  readonly pos: number;
  readonly explicit: boolean;
}

/** The icons of CodeMirror for the kinds of completions. */
const ICONS: Readonly<Record<string, string>> = {
  card: 'class',
  item: 'function',
  function: 'function',
  variable: 'variable',
  field: 'property',
  parameter: 'property',
  option: 'property',
  keyword: 'keyword',
  text: 'text',
};

/** Inserts a text, its lines indented as the one it begins in, and selects a range of its first line. */
const inserted =
  (insert: string, select: { readonly from: number; readonly to: number }) =>
  (view: View, _: unknown, from: number, to: number): void => {
    const [indent = ''] = /^[ \t]*/.exec(view.state.doc.lineAt(from).text) ?? [];
    view.dispatch({
      changes: { from, to, insert: insert.replaceAll('\n', `\n${indent}`) },
      selection: { anchor: from + select.from, head: from + select.to },
      scrollIntoView: true,
      userEvent: 'input.complete',
    });
  };

/** A CodeMirror `CompletionSource` for notebooks. While nothing is typed it offers completions only on request. */
export const notebookCompletions =
  (complete: Complete) =>
  async ({ state, pos, explicit }: Asked) => {
    const { from, to, options } = await complete(state.doc.toString(), pos);
    if (options.length === 0 || (from === to && !explicit)) return null;
    return {
      from,
      to,
      options: options.map(({ label, kind, detail, insert, select }) => ({
        label,
        type: ICONS[kind] ?? 'text',
        detail,
        ...(insert !== undefined && { apply: select ? inserted(insert, select) : insert }),
      })),
    };
  };

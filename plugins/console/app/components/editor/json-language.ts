import { StreamLanguage, type StreamParser } from '@codemirror/language';

interface JsonState {
  /** How many objects and lists are open. */
  readonly depth: number;
}

const TOKENS: readonly (readonly [RegExp, string | null])[] = [
  [/^"(?:[^"\\]|\\.)*"(?=\s*:)/, 'propertyName'],
  [/^"(?:[^"\\]|\\.)*(?:"|$)/, 'string'],
  [/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/, 'number'],
  [/^(?:true|false)\b/, 'bool'],
  [/^null\b/, 'null'],
  [/^[,:]/, null],
];

/** JSON, also with errors. `@codemirror/lang-json` would make the editor 10 kB larger for the same look: the server finds the errors. */
const jsonMode: StreamParser<{ current: JsonState }> = {
  name: 'json',
  languageData: { closeBrackets: { brackets: ['[', '{', '"'] }, indentOnInput: /^\s*[}\]]$/ },
  startState: () => ({ current: { depth: 0 } }),
  copyState: ({ current }) => ({ current }),
  indent: ({ current }, after, { unit }) => Math.max(0, current.depth - (/^[}\]]/.test(after) ? 1 : 0)) * unit,
  token(stream, state) {
    if (stream.eatSpace()) return null;
    for (const [pattern, kind] of TOKENS) if (stream.match(pattern)) return kind;
    const bracket = stream.next();
    if (bracket === '{' || bracket === '[') state.current = { depth: state.current.depth + 1 };
    else if (bracket === '}' || bracket === ']') state.current = { depth: Math.max(0, state.current.depth - 1) };
    else return 'invalid';
    return 'bracket';
  },
};

export const jsonLanguage = StreamLanguage.define(jsonMode);

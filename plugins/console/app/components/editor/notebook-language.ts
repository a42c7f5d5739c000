import { StreamLanguage, type StreamParser, type StringStream } from '@codemirror/language';
import { stackMode } from '../../../../journeys/engine/notebook/editor/codemirror.js';
import words from '../../../../journeys/engine/notebook/editor/language.json' with { type: 'json' };

const code = stackMode(words);

interface NotebookState {
  /** A notebook that begins with code has no prose. */
  readonly place: 'start' | 'prose' | 'comment' | 'code' | 'stack' | 'other';
  /** The characters that close the fence. */
  readonly marks: string;
  readonly code: ReturnType<typeof code.startState>;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*(\w*)/;
const FIRST_WORD = /^(?:card|stack|trigger|interaction_timeout)\b/;

/** Highlights a notebook: code as CodeMirror's mode of the language does, and the headings, comments and fences of the Markdown around it. */
const notebookMode: StreamParser<{ current: NotebookState }> = {
  ...code,
  name: 'notebook',
  startState: () => ({ current: { place: 'start', marks: '', code: code.startState() } }),
  copyState: ({ current }) => ({ current: { ...current, code: code.copyState(current.code) } }),
  token(stream, state) {
    const { place, marks } = state.current;
    const move = (next: Partial<NotebookState>): void => {
      state.current = { ...state.current, ...next };
    };
    if (place === 'stack' || place === 'other') {
      if (stream.sol() && closes(stream, marks)) {
        move({ place: 'prose', code: code.startState() });
        return 'meta';
      }
      if (place === 'stack') return code.token(stream, state.current.code);
      stream.skipToEnd();
      return 'monospace';
    }
    if (place === 'code') return code.token(stream, state.current.code);
    if (place === 'comment') return comment(stream, move);
    if (place === 'start' && stream.sol() && stream.match(FIRST_WORD, false)) {
      move({ place: 'code' });
      return code.token(stream, state.current.code);
    }
    const fence = stream.sol() && stream.match(FENCE);
    if (fence && fence !== true) {
      stream.skipToEnd();
      move({ place: fence[2] === 'stack' ? 'stack' : 'other', marks: fence[1]! });
      return 'meta';
    }
    if (stream.match(/^\s*<!--/)) return comment(stream, move);
    if (stream.sol() && stream.match(/^#.*/)) return 'heading';
    if (place === 'start' && !stream.match(/^\s*$/, false)) move({ place: 'prose' });
    stream.skipToEnd();
    return null;
  },
};

function comment(stream: StringStream, move: (next: Partial<NotebookState>) => void): string {
  const isClosed = stream.match(/^.*?-->/);
  if (!isClosed) stream.skipToEnd();
  move({ place: isClosed ? 'prose' : 'comment' });
  return 'comment';
}

function closes(stream: StringStream, marks: string): boolean {
  const end = stream.match(/^ {0,3}(`{3,}|~{3,})[ \t]*$/, false);
  if (!end || end === true || !end[1]!.startsWith(marks)) return false;
  stream.skipToEnd();
  return true;
}

export const notebookLanguage = StreamLanguage.define(notebookMode);

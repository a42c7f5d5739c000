import { functions } from '../expression/functions/index.js';
import type { NotebookCode } from './codes.js';
import type { Findings } from './findings.js';
import { Frame, type FrameKind } from './frame.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import type { TokenKind, Tokens } from './tokens.js';
import { words } from './words.js';

/** Expected next: an operand; an operand or a closing bracket; an operator or the like; nothing (done or failed). */
export type State = 'operand' | 'inside' | 'follow' | 'end' | 'fault';

/** Functions of other players that we do not have. They compile, so that such notebooks can be read; lint reports them. */
const elsewhere: ReadonlySet<string> = new Set(['ai_assistant', 'ai_add_message', 'ai_chat_completion']);

/** Closing bracket by kind of frame. */
export const closers: Partial<Record<FrameKind, TokenKind>> = { group: ')', call: ')', list: ']', index: ']' };

/** State of the expression reader: position, open brackets, canonical text so far. */
export class ExpressionState {
  readonly tokens: Tokens;
  at = 0;
  to = 0;
  /** Statements may be an `if`, and end before a line that starts with `-` or `&`. */
  isStatement = false;
  frames: Frame[] = [];
  private readonly findings: Findings;

  constructor(tokens: Tokens, findings: Findings) {
    this.tokens = tokens;
    this.findings = findings;
  }

  begin(from: number, to: number, isStatement: boolean): void {
    this.at = from;
    this.to = to;
    this.isStatement = isStatement;
    this.frames = [new Frame('top', from)];
  }

  get top(): Frame {
    return this.frames.at(-1)!;
  }

  kindAt(i: number): TokenKind {
    return i < this.to ? this.tokens.kinds[i]! : 'fence';
  }

  /** Appends a token to the canonical text. */
  take(text: string, state: State = 'follow'): State {
    this.top.append(text);
    this.at++;
    return state;
  }

  /** Opens a bracket. `i` is the bracket, or for a call its name. */
  open(kind: 'group' | 'list' | 'call' | 'index', i: number, name = ''): State {
    const bracket = kind === 'call' ? i + 1 : i;
    if (this.tokens.matches[bracket]! < 0) return this.unclosed(bracket);
    this.at = bracket + 1;
    return this.push(new Frame(kind, bracket, name), kind === 'group' || kind === 'index' ? 'operand' : 'inside');
  }

  push(frame: Frame, state: State): State {
    const most = NOTEBOOK_LIMITS.depth;
    if (this.frames.length > most) return this.fault('too_deep', frame.at, `at most ${most} brackets inside one another expected`);
    this.frames.push(frame);
    return state;
  }

  /** Closes the top frame and appends its text to the frame around it. */
  pop(): Frame {
    const frame = this.frames.pop()!;
    if (frame.kind === 'group') this.top.group(frame.closed());
    else this.top.append(frame.closed());
    return frame;
  }

  /** Closes prefix `not`s: they end with their operand. */
  endNots(): void {
    while (this.top.kind === 'not') this.pop();
  }

  isCall(i: number): boolean {
    return this.kindAt(i + 1) === '(' && this.tokens.isGlued(i + 1);
  }

  /** Whether an `if` may begin here. */
  beginsValue(): boolean {
    const { kind, stage, isEmpty } = this.top;
    return this.isStatement && isEmpty && (kind === 'top' || (kind === 'if' && stage !== 'condition'));
  }

  /** Whether the token starts a new statement although it could continue the expression. */
  isNewLine(i: number, kind: TokenKind): boolean {
    if (!this.isStatement || (kind !== '-' && kind !== '&') || !this.tokens.breaks[i]) return false;
    return this.frames.every((frame) => closers[frame.kind] === undefined);
  }

  missing(i: number): State {
    const before = i > this.frames[0]!.at ? ` after ${this.tokens.shown(i - 1)}` : '';
    return this.unexpected(i, `an expression expected${before}`, 'an expression', 'missing_operand');
  }

  /** Reports an unexpected token, unless it belongs to an unclosed text, which is reported already. */
  unexpected(i: number, message: string, expected: string, code: NotebookCode = 'unexpected'): State {
    return this.tokens.kinds[i] === 'lost' ? 'fault' : this.fault(code, i, `${message}, found ${this.tokens.shown(i)}`, expected);
  }

  private fault(code: NotebookCode, i: number, message: string, expected?: string): State {
    this.findings.error(code, this.tokens.starts[i]!, this.tokens.ends[i]!, message, { expected });
    return 'fault';
  }

  /** Reports an unclosed bracket where it opens, unless an unclosed text on its line swallowed the end. */
  unclosed(bracket: number): State {
    const { kinds, breaks } = this.tokens;
    let i = bracket + 1;
    while (i < kinds.length && !breaks[i] && kinds[i] !== 'lost') i++;
    const closing = kinds[bracket] === '(' ? ')' : ']';
    return kinds[i] === 'lost'
      ? 'fault'
      : this.fault('unclosed_bracket', bracket, `'${closing}' expected: this bracket is never closed`, closing);
  }

  /** Checks name and arity of a call. */
  checkCall({ name, at, items }: Frame): void {
    const definition = functions.get(name.toLowerCase());
    if (!definition) {
      if (elsewhere.has(name)) return;
      // After `name =` an item is possible, too.
      const isAssigned = this.tokens.kinds[at - 2] === '=';
      const known = isAssigned ? [...words.keys(), ...functions.keys()] : functions.keys();
      const hint = { expected: 'a function', nearest: this.findings.nearest(name, known) };
      this.findings.error(
        'unknown_function',
        this.tokens.starts[at - 1]!,
        this.tokens.ends[at - 1]!,
        `there is no function '${name}'`,
        hint,
      );
    } else if (items.length < definition.minArguments || items.length > definition.maxArguments) {
      this.fault('wrong_arity', at - 1, `${definition.signature} expected, found ${items.length} arguments`, definition.signature);
    }
  }
}

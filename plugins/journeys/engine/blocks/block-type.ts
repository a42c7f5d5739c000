import type { Input, Json, JsonObject, Turn } from '#core/basics';
import type { AnswerLocale } from '../answers/locale.js';
import type { Block, Flow } from '../compile.js';
import type { TemplatePart } from '../contact-text.js';
import type { Effect, EffectResult } from '../effect.js';
import type { Evaluated } from '../expression/expression.js';
import type { CodeOf } from '../lint/codes.js';
import type { Rendered } from '../resources.js';
import type { JourneyEvent } from '../session.js';
import type { Settings } from './settings.js';

/**
 * The behaviour of a block type. A run enters a block; when the block waits or needs an effect, the engine calls it again with the
 * answer or result. A block type has no state of its own: everything it stores is in the run.
 */
export interface BlockType {
  readonly enter: (run: Run) => Outcome;
  /** The config keys that the block reads. Lint warns about all others. */
  readonly settings: Settings;
  /** Handles input of the contact. By default the block continues to wait. */
  readonly answer?: (run: Run, input: Input) => Outcome;
  /** Whether a run waits here for an answer, for types where that depends on the config. */
  readonly waits?: (config: JsonObject) => boolean;
  /** Handles the end of the requested time. By default the session expires, unless the block has a time-out exit. */
  readonly elapsed?: (run: Run) => Outcome;
  /** Handles the result of an effect. By default a failed effect fails the block, and any other result continues. */
  readonly performed?: (run: Run, result: EffectResult) => Outcome;
  /** Handles the return of a called flow. By default the block continues without a value. */
  readonly returned?: (run: Run, child: JsonObject) => Outcome;
  /** The names of exits that the block itself chooses, without a test. */
  readonly picks?: (config: JsonObject) => readonly string[];
  readonly resources?: (config: JsonObject) => readonly string[];
  /** Reports problems of a block that show without running it. */
  readonly check?: (block: Block, report: Report) => void;
}

export type Outcome =
  /**
   * Leaves by the exit with this uuid, or by the first exit whose test is true. The value is stored in a variable with the block's
   * name, and in `block.value`; `details` are further properties of `block`. `isTyped`: whether the value has text of the contact; by
   * default an answer that is an object has.
   */
  | {
      readonly kind: 'continue';
      readonly value?: Json;
      readonly details?: JsonObject;
      readonly exit?: string;
      readonly isTyped?: boolean;
    }
  /** Continues at a block without taking an exit. */
  | { readonly kind: 'jump'; readonly value: Json; readonly exit: string; readonly to: string; readonly isTyped?: boolean }
  /** Waits for the contact, at most `timeoutIn` seconds. */
  | { readonly kind: 'wait'; readonly timeoutIn?: number }
  /** The answer is invalid: repeats the question up to `on_invalid.max_attempts` times, then leaves by the default exit. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Requests an effect; `performed` gets its result. */
  | { readonly kind: 'effect'; readonly effect: Effect }
  /** Calls a flow, which returns to this block. `answers`: the arguments that are texts of the contact. `marked`: those that contain such text, with its marks. */
  | {
      readonly kind: 'call';
      readonly target: CallTarget;
      readonly args: JsonObject;
      readonly answers: readonly string[];
      readonly marked: readonly (readonly [name: string, marks: Json])[];
    }
  /** Returns to the block that called this flow; ends the session if none did. */
  | { readonly kind: 'return' }
  /** Ends the session. */
  | { readonly kind: 'end' }
  /** Leaves by the error exit of this block or of a calling block. If there is no error exit, the session fails. */
  | { readonly kind: 'fail'; readonly code: string; readonly reason: string };

export type CallTarget = { readonly flow: string } | { readonly journey: string; readonly revision: string };

/** An event as a block emits it; the run adds where in the journey it happened. */
export type BlockEvent = JourneyEvent extends infer E ? (E extends { readonly at: unknown } ? Omit<E, 'at'> : never) : never;

/** A block in a step of a session: what its handlers read and do. */
export interface Run {
  /** The block, with its exits. */
  readonly block: Block;
  /** The flow of the block. */
  readonly flow: Flow;
  /** The settings of the block as they are written, with their expressions. */
  readonly config: JsonObject;
  /** A random number, `0 <= n < 1`; the same sequence in every repetition of the step. */
  readonly random: () => number;
  /** The time of the step, in ISO 8601. */
  readonly now: string;
  /** The time zone of times without one. */
  readonly timeZone: string;
  /** How the contact writes numbers and dates. */
  readonly locale: AnswerLocale;
  /** The uuid of the session. */
  readonly session: string;
  /** Renders a template as text of at most `limit` characters. `local` has names that only this template sees. */
  text(template: string, limit?: number, local?: JsonObject): string;
  /** Renders the parts of a template, with the text of the contact marked (`contact-text.ts`). */
  parts(template: string, local?: JsonObject): readonly TemplatePart[];
  /**
   * Evaluates a template: the typed value when it is a single expression, else a text. Values that are not text are returned as they are.
   */
  resolve(template: Json): Json;
  /** Evaluates an expression. `local` has names that only this expression sees. */
  value(expression: string, local?: JsonObject): Json;
  /** Cuts a text to the limit, with a warning. */
  cut(text: string, limit: number): string;
  /** Whether an expression is true. */
  holds(expression: string, local?: JsonObject): boolean;
  /** Like `value`, but returns the warnings to the caller instead of emitting them. */
  tryValue(expression: string): Evaluated<Json>;
  /** A resource in the contact's language. */
  resource(uuid: Json | undefined): readonly Rendered[];
  /** The text of a resource, for comparing it with an answer. Unlike `resource`, it emits no warnings. */
  label(uuid: Json | undefined): string;
  /** Sends messages to the contact, in order, when the turn is committed. */
  send(turns: readonly Turn[], how?: SendOptions): void;
  /** Adds an event to the trace of the turn. */
  emit(event: BlockEvent): void;
  /** The uuid of the exit that the tests choose. */
  chooseExit(): string | undefined;
  /** Sets a variable of the flow. */
  setVariable(name: string, value: Json): void;
  /** Whether a value is a text of the contact: the answer to this block, or the value of the last expression if that copies an answer. */
  isAnswer(value: Json): boolean;
  /** Whether a label prints text of the contact. */
  hasTypedLabel(uuid: Json | undefined): boolean;
  /** Whether a part of the value of an expression can be text of the contact. */
  isTyped(expression: string): boolean;
  /** The marks of a value (`storedMarks`), if the last expression had it and it contains text of the contact. */
  marksOf(value: Json): Json | undefined;
  /** Sets a field of the contact, when the turn is committed. */
  setContactField(key: string, value: Json): void;
  /** Writes a result of the journey, under the block's name. */
  writeResult(value: Json, label?: string): void;
  /** The block's memory in this call of its flow; undefined at first. */
  readonly memory: Json | undefined;
  /** Replaces `memory`. */
  setMemory(memory: Json): void;
  /** Like `memory`, for the whole session: the session's memory survives the end of the flow. */
  readonly sessionMemory: Json | undefined;
  /** Replaces `sessionMemory`. */
  setSessionMemory(memory: Json): void;
  /** Whether another flow of this container has this uuid. */
  hasFlow(uuid: string): boolean;
}

/** Options of `run.send`. */
export interface SendOptions {
  /** Whether the last message waits for an answer. */
  readonly waiting?: boolean;
  /** The texts of the options among which the contact chooses. */
  readonly options?: readonly string[];
  /** Additional config for connectors that render the message themselves from the block. */
  readonly details?: JsonObject;
}

/** Collects the problems of a block. Paths are relative to the block. */
export interface Report {
  /** The flow of the block. */
  readonly flow: Flow;
  /** Reports an error, which prevents publishing to production. `code` is `invalid_setting` by default. */
  error(path: string, message: string, code?: CodeOf<'error'>): void;
  /** Reports a warning. */
  warning(path: string, message: string, code?: CodeOf<'warning'>): void;
  /** Requires a resource that exists; warns when it lacks a language of the flow. */
  resource(path: string, uuid: Json | undefined): void;
  /** Like `resource`, with texts of at most `maxLength` characters. */
  label(path: string, uuid: Json | undefined, maxLength: number): void;
  /** Reports the mistakes of an expression. */
  expression(path: string, source: Json | undefined): void;
  /** Reports the mistakes of the expressions in a template. */
  template(path: string, source: Json | undefined): void;
}

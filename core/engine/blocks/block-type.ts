import type { Json, JsonObject } from '../../json.js';
import type { Input } from '../../turns/input.js';
import type { Turn } from '../../turns/turn.js';
import type { Block, Flow } from '../compile.js';
import type { Effect, EffectResult } from '../effect.js';
import type { Evaluated } from '../expression/expression.js';
import type { CodeOf } from '../lint/codes.js';
import type { Rendered } from '../resources.js';
import type { JourneyEvent } from '../session.js';
import type { Settings } from './settings.js';

/**
 * What a type of block does. It is entered; when it waited or asked for an effect, it is called again with what came of it.
 * A block keeps nothing but what it puts into the run.
 */
export interface BlockType {
  readonly enter: (run: Run) => Outcome;
  /** What it reads of its config; lint warns of everything else in it. */
  readonly settings: Settings;
  /** The contact sent something. Without it the block goes on waiting. */
  readonly answer?: (run: Run, input: Input) => Outcome;
  /** Whether a run waits here for an answer, where that is up to the config. */
  readonly waits?: (config: JsonObject) => boolean;
  /** The time the block asked for is over. Without it the session is over, unless the block has a time-out exit. */
  readonly elapsed?: (run: Run) => Outcome;
  /** The effect was performed. Without it a failed effect fails the block. */
  readonly performed?: (run: Run, result: EffectResult) => Outcome;
  /** The called flow is over. Without it the block goes on, without a value. */
  readonly returned?: (run: Run, child: JsonObject) => Outcome;
  /** Names of the exits that it picks itself, without a test. */
  readonly picks?: (config: JsonObject) => readonly string[];
  /** Uuids of the resources its config refers to. */
  readonly resources?: (config: JsonObject) => readonly string[];
  /** What is wrong with a block before it ever runs. */
  readonly check?: (block: Block, report: Report) => void;
}

/** What comes of a call. */
export type Outcome =
  /**
   * Leaves by the named exit, else by the first whose test is true. A value becomes a variable with the block's name; what
   * else there is to say of it is beside it in `block`.
   */
  | { readonly kind: 'continue'; readonly value?: Json; readonly beside?: JsonObject; readonly exit?: string }
  /** Goes on at a block to which no exit leads. */
  | { readonly kind: 'jump'; readonly value: Json; readonly exit: string; readonly to: string }
  | { readonly kind: 'wait'; readonly timeoutIn?: number }
  /** The answer is none: asked again as often as `on_invalid` says, then left by the default exit. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'effect'; readonly effect: Effect }
  | { readonly kind: 'call'; readonly target: CallTarget; readonly args: JsonObject }
  /** The flow is over; who called it goes on. */
  | { readonly kind: 'return' }
  /** The whole run is over. */
  | { readonly kind: 'end' }
  /** Leaves by the error exit of this block or of a block that called, else the session fails. */
  | { readonly kind: 'fail'; readonly code: string; readonly reason: string };

export type CallTarget = { readonly flow: string } | { readonly journey: string; readonly revision: string };

/** An event, as a block gives it: where it happened is added. */
export type BlockEvent = JourneyEvent extends infer E ? (E extends { readonly at: unknown } ? Omit<E, 'at'> : never) : never;

/** All a block has of the world while it runs. */
export interface Run {
  readonly block: Block;
  readonly flow: Flow;
  readonly config: JsonObject;
  /** A number by chance, from 0 up to but not 1; the same in every repetition of the step. */
  readonly random: () => number;
  /** The moment of the step, ISO 8601. */
  readonly now: string;
  /** Where times without a zone are from. */
  readonly timeZone: string;
  /** The run's own identity, the same from its first turn to its last. */
  readonly session: string;
  /** A template as text, of so many characters at most. */
  text(template: string, limit?: number, local?: JsonObject): string;
  /** A template that is a single block as its value; others as text. What is no text is itself. */
  resolve(template: Json): Json;
  /** The value of an expression, with names that only this expression knows. */
  value(expression: string, local?: JsonObject): Json;
  holds(expression: string, local?: JsonObject): boolean;
  /** As `value`, but what is wrong is for the caller to judge, not a warning. */
  attempt(expression: string): Evaluated<Json>;
  /** A resource in the contact's language, as a list of texts and media. */
  resource(uuid: Json | undefined): readonly Rendered[];
  /** The text of a resource, without warnings: for comparing, where `resource` is for sending. */
  label(uuid: Json | undefined): string;
  /** Sends turns in this order. Only the last of them waits for input, if any does. */
  send(turns: readonly Turn[], how?: Sending): void;
  emit(event: BlockEvent): void;
  /** The uuid of the exit that the tests choose. */
  chooseExit(): string | undefined;
  setVariable(name: string, value: Json): void;
  setContactField(key: string, value: Json): void;
  /** Puts a result out under the block's name. */
  writeResult(value: Json, label?: string): void;
  /** What this block has kept for itself in this run; undefined at first. */
  readonly memory: Json | undefined;
  keep(memory: Json): void;
  /** As `memory`, but for the whole session, however often the flow of the block is called. */
  readonly remembered: Json | undefined;
  remember(memory: Json): void;
  /** Whether another flow of this container has this uuid. */
  hasFlow(uuid: string): boolean;
}

export interface Sending {
  /** The last of the messages waits for an answer. */
  readonly waiting?: boolean;
  /** Labels of what it offers. */
  readonly options?: readonly string[];
  /** What the config of the block does not say, for those who show the message their own way. */
  readonly details?: JsonObject;
}

/** Where the checks of a block tell what they found. Paths are within the block. */
export interface Report {
  readonly flow: Flow;
  /** The code is `invalid_setting` if not given. */
  error(path: string, message: string, code?: CodeOf<'error'>): void;
  warning(path: string, message: string, code?: CodeOf<'warning'>): void;
  /** A resource must exist, with a value in every language. */
  resource(path: string, uuid: Json | undefined): void;
  /** As `resource`, with texts of at most so many characters. */
  label(path: string, uuid: Json | undefined, longest: number): void;
  expression(path: string, source: Json | undefined): void;
  template(path: string, source: Json | undefined): void;
}

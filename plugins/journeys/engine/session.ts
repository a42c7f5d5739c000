import type { Input, Json, JsonObject, StepDetails, Turn } from '#core/basics';
import type { Effect, EffectResult, HttpCall } from './effect.js';
import type { SharedDefinition } from './shared-definition.js';

/**
 * The engine is a pure function. Its input is the definitions, a session and a signal; its output is the next session, events, and what the
 * caller has to do next. The channel payload, the webhook event, the simulation response and the trace of a turn all derive from the events.
 */

/**
 * A conversation with a journey, pinned to the revisions it started on. Plain JSON; outside a worker, an opaque string. `v` is the
 * version of this format: increase it when a release changes the shape (`isKnownVersion`).
 */
export interface Session {
  readonly v: 1;
  readonly uuid: string;
  /** `active` while an effect is in progress. */
  readonly status: 'active' | 'waiting' | 'ended' | 'failed';
  /** The call stack, outermost flow first. The last frame is running. */
  readonly stack: readonly Frame[];
  readonly contact: JsonObject;
  /** The rest of the root context: chat, event, global, number, organisation, config. */
  readonly globals: JsonObject;
  /** Present while a question is open: the number of invalid answers to it. */
  readonly wait?: { readonly attempts: number };
  /** The contact's answer, while an effect that it caused is in progress. */
  readonly response?: string;
  /** Blocks entered or resumed in the current turn. */
  readonly steps: number;
  readonly turns: number;
  /** Flows and journeys called so far. */
  readonly runs: number;
  /** Block memory for the whole session, by `journey/block`. Unlike the memory of a frame it survives the end of a flow. */
  readonly memory?: JsonObject;
}

export interface Frame {
  readonly journey: string;
  readonly revision: string;
  readonly flow: string;
  readonly block: string;
  readonly vars: JsonObject;
  /** Answers and results, by block name. */
  readonly results: JsonObject;
  /** `block` in expressions, set by the latest block that has a value: `{value, response?, error?}`. */
  readonly answer?: JsonObject;
  /** Names whose values are texts of the contact: variables, and `block` for `answer`. */
  readonly answers?: readonly string[];
  /**
   * Where values contain text of the contact, as `marked-values.ts` stores it: by the name of the variable, as `parent.NAME` for an argument,
   * and as `child.NAME`.
   */
  readonly marked?: JsonObject;
  /** The arguments of the call. `parent` also has the variables of the calling frame. */
  readonly args?: JsonObject;
  /** `parent` of the outermost flow, when the session was started with one. */
  readonly parent?: JsonObject;
  /** `child` in expressions: the variables of the flow or journey that returned last. */
  readonly child?: JsonObject;
  /** Block memory for this frame, by block uuid. */
  readonly memory?: JsonObject;
}

/** Continues a session: its start, an input of the contact, the result of an effect, or the end of a wait. */
export type Signal =
  | {
      readonly kind: 'start';
      readonly session: string;
      readonly journey: string;
      readonly revision: string;
      readonly contact: JsonObject;
      readonly globals: JsonObject;
      /** The message that started the session. It is not an answer to the first question. */
      readonly input?: Input;
      readonly parent?: JsonObject;
      readonly child?: JsonObject;
    }
  | { readonly kind: 'input'; readonly input: Input; readonly contact?: JsonObject }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'result'; readonly value: EffectResult };

/** The caller's next action after a step: wait for input, finish, or perform an effect. */
export type Next =
  | {
      readonly kind: 'wait';
      /** Seconds without input after which the session expires. */
      readonly expiresIn: number;
      /** Seconds after which a `timeout` signal is due. */
      readonly timeoutIn?: number;
    }
  | { readonly kind: 'end'; readonly failure?: { readonly code: string; readonly reason: string } }
  | { readonly kind: 'effect'; readonly effect: Effect };

/** Where in a journey an event happened. */
export interface JourneyPosition {
  readonly journey: string;
  readonly flow: string;
  readonly block: string;
  readonly name: string;
  readonly type: string;
  readonly card: string;
  /** Where the block begins in its notebook, from 1; columns count characters. Absent for journeys written as JSON. */
  readonly line?: number;
  readonly column?: number;
}

/** One entry in the log of a step. Events are in the order in which they happened. */
export type JourneyEvent =
  | {
      readonly type: 'message_out';
      readonly at: JourneyPosition;
      readonly turn: Turn;
      readonly waiting: boolean;
      readonly step: StepDetails;
      readonly options: readonly string[];
    }
  | { readonly type: 'wait'; readonly at: JourneyPosition }
  | { readonly type: 'input_received'; readonly at: JourneyPosition; readonly text: string; readonly kind: string }
  | {
      readonly type: 'input_invalid';
      readonly at: JourneyPosition;
      readonly text: string;
      readonly reason: string;
      readonly attempt: number;
    }
  | { readonly type: 'input_ignored'; readonly text: string; readonly reason: string }
  /** `uuid` names the exit; absent for a choice that was computed at run time. */
  | {
      readonly type: 'exit_taken';
      readonly at: JourneyPosition;
      readonly exit: string;
      readonly uuid?: string;
      readonly to: string | null;
      readonly test?: string;
    }
  | { readonly type: 'variable_set'; readonly at: JourneyPosition; readonly name: string; readonly value: Json }
  | { readonly type: 'result_written'; readonly at: JourneyPosition; readonly name: string; readonly value: Json; readonly label?: string }
  | { readonly type: 'contact_field_set'; readonly at: JourneyPosition; readonly key: string; readonly old: Json; readonly new: Json }
  | { readonly type: 'journey_entered'; readonly at: JourneyPosition; readonly journey: string; readonly flow: string }
  | { readonly type: 'journey_returned'; readonly at: JourneyPosition; readonly journey: string; readonly flow: string }
  | { readonly type: 'http_call'; readonly at: JourneyPosition; readonly call: HttpCall }
  | { readonly type: 'skill_call'; readonly at: JourneyPosition; readonly name: string; readonly arguments: Json; readonly output: Json }
  | {
      readonly type: 'ai_call';
      readonly at: JourneyPosition;
      readonly connection: string;
      readonly model: string;
      readonly outcome: string;
      readonly tokens: { readonly input: number; readonly output: number };
      readonly elapsedMs: number;
      /** The key of its recording. */
      readonly recording?: string;
    }
  | { readonly type: 'action_routed'; readonly at: JourneyPosition; readonly action: string }
  | {
      readonly type: 'group_changed';
      readonly at: JourneyPosition;
      readonly group: string;
      readonly name: string;
      readonly member: boolean;
    }
  /** A label for the message that the journey responds to. */
  | { readonly type: 'label_added'; readonly at: JourneyPosition; readonly label: string }
  | { readonly type: 'handed_over'; readonly at: JourneyPosition; readonly queue: string | null; readonly note: string }
  /** A journey will start for the contact at `moment` (ISO 8601) or later. */
  | { readonly type: 'scheduled'; readonly at: JourneyPosition; readonly journey: string; readonly moment: string }
  | { readonly type: 'schedule_cancelled'; readonly at: JourneyPosition; readonly journey: string }
  | { readonly type: 'ended'; readonly at: JourneyPosition; readonly reason: string }
  | { readonly type: 'expired'; readonly at: JourneyPosition }
  | { readonly type: 'log'; readonly at: JourneyPosition; readonly text: string }
  | { readonly type: 'warning'; readonly at: JourneyPosition; readonly expression: string; readonly reason: string }
  | { readonly type: 'failure'; readonly at?: JourneyPosition; readonly code: string; readonly reason: string };

/** The inputs of a step that are not part of the session. The same environment, session and signal give the same events. */
export interface Environment {
  /** ISO 8601. */
  readonly now: string;
  readonly timeZone: string;
  /**
   * The country in which contacts write telephone numbers and dates: ISO 3166-1 alpha-2, such as `ZA`. By default that of the contact's
   * telephone number, or of the number that the contact writes to.
   */
  readonly country?: string;
  /** Seeds the random numbers of the step. */
  readonly seed: string;
}

/** Definitions by revision. Every step gets all that its session is pinned to: it costs nothing to share them, and a worker may be new. */
export type Definitions = Readonly<Record<string, SharedDefinition>>;

export interface StepInput {
  readonly definitions: Definitions;
  /** The session that the previous step returned; null with a `start` signal. */
  readonly session: string | null;
  readonly signal: Signal;
  readonly environment: Environment;
  readonly report?: ReportOptions;
}

/** Selects the parts of a step's report that the caller reads. By default it gets all events, and no context. */
export interface ReportOptions {
  /** Returns only events of these types, and messages with an empty `step`: most of a report traces how the messages came about. */
  readonly events?: readonly JourneyEvent['type'][];
  /** Adds `context`, so that the caller need not parse the session. */
  readonly context?: boolean;
}

export interface StepOutput extends StepReport {
  readonly session: string;
}

/** The events of a step, the next action, and the state of the session. */
export interface StepReport {
  readonly events: readonly JourneyEvent[];
  readonly next: Next;
  /** The parts of the session that callers need; they never parse the session itself. */
  readonly head: SessionHead;
  /** The context as clients see it, if the caller requested it. */
  readonly context?: JsonObject;
}

/** A `StepOutput` whose report is text (`reportText`). */
export interface StepText {
  readonly session: string;
  readonly report: string;
}

export interface SessionHead {
  readonly status: Session['status'];
  /** The revisions of the session's frames. The next step needs the definitions of these revisions. */
  readonly revisions: readonly string[];
  /** The contact's fields, including changes by the journey. */
  readonly contact: JsonObject;
  readonly card: string;
  readonly block: string | null;
  readonly turns: number;
}

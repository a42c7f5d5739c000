import type { Json, JsonObject } from '../json.js';
import type { Input, StepDetails } from '../turns/input.js';
import type { Turn } from '../turns/turn.js';
import type { Effect, EffectResult, HttpCall } from './effect.js';

/**
 * The engine is a pure step: definitions, a session and a signal in; a session, events and what comes next out. It has no
 * clock, network, store or chance of its own. A turn is a list of events, and everything outward (the channel payload, the
 * webhook event, the simulation response, the trace) is a projection of that list.
 */

/**
 * A conversation with a journey, pinned to the revisions it started on. Plain JSON; outside a worker it is an opaque
 * string. `v` is the version of this shape.
 */
export interface Session {
  readonly v: 1;
  readonly uuid: string;
  /** `active` while an effect is being performed. */
  readonly status: 'active' | 'waiting' | 'ended' | 'failed';
  /** The called flows, outermost first. The last one runs. */
  readonly stack: readonly Frame[];
  readonly contact: JsonObject;
  /** The rest of the root context: chat, event, global, number, organisation, config. */
  readonly globals: JsonObject;
  /** Present while it waits for the contact: how often the present question was answered in vain. */
  readonly wait?: { readonly attempts: number };
  /** What the contact answered, while an effect that the answer asked for is being performed. */
  readonly response?: string;
  /** Blocks entered and resumed in the present turn. */
  readonly steps: number;
  readonly turns: number;
  /** Flows and journeys called so far. */
  readonly runs: number;
  /** What blocks remember for as long as the session lives, by journey and block: frames come and go. */
  readonly memory?: JsonObject;
}

export interface Frame {
  readonly journey: string;
  readonly revision: string;
  readonly flow: string;
  readonly block: string;
  readonly vars: JsonObject;
  /** What blocks learned or put out, by block name. */
  readonly results: JsonObject;
  /** The latest block that has a value: `{value, response?, error?}`. */
  readonly answer?: JsonObject;
  /** What the caller gave. The rest of `parent` is the variables of the frame below. */
  readonly args?: JsonObject;
  /** `parent` of the outermost flow, when the session was started with one. */
  readonly parent?: JsonObject;
  /** The variables of the flow or journey that returned last. */
  readonly child?: JsonObject;
  /** What blocks keep for themselves, by block uuid. */
  readonly memory?: JsonObject;
}

/** Why the engine is called. */
export type Signal =
  | {
      readonly kind: 'start';
      readonly session: string;
      readonly journey: string;
      readonly revision: string;
      readonly contact: JsonObject;
      readonly globals: JsonObject;
      /** The message that started it. It does not answer the first question. */
      readonly input?: Input;
      readonly parent?: JsonObject;
      readonly child?: JsonObject;
    }
  | { readonly kind: 'input'; readonly input: Input; readonly contact?: JsonObject }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'result'; readonly value: EffectResult };

/** What comes next. */
export type Next =
  | {
      readonly kind: 'wait';
      /** Seconds of silence after which the session is over. */
      readonly expiresIn: number;
      /** Seconds after which a `timeout` signal is due. */
      readonly timeoutIn?: number;
    }
  | { readonly kind: 'end'; readonly failure?: { readonly code: string; readonly reason: string } }
  | { readonly kind: 'effect'; readonly effect: Effect };

/** Where in a journey an event happened. */
export interface Place {
  readonly journey: string;
  readonly flow: string;
  readonly block: string;
  readonly name: string;
  readonly type: string;
  readonly card: string;
}

/** Something a journey did, in order: what it said, was told, decided and wrote. */
export type JourneyEvent =
  | {
      readonly type: 'message_out';
      readonly at: Place;
      readonly turn: Turn;
      readonly waiting: boolean;
      readonly step: StepDetails;
      readonly options: readonly string[];
    }
  | { readonly type: 'wait'; readonly at: Place }
  | { readonly type: 'input_received'; readonly at: Place; readonly text: string; readonly kind: string }
  | { readonly type: 'input_invalid'; readonly at: Place; readonly text: string; readonly reason: string; readonly attempt: number }
  | { readonly type: 'input_ignored'; readonly text: string; readonly reason: string }
  | { readonly type: 'exit_taken'; readonly at: Place; readonly exit: string; readonly to: string | null; readonly test?: string }
  | { readonly type: 'variable_set'; readonly at: Place; readonly name: string; readonly value: Json }
  | { readonly type: 'result_written'; readonly at: Place; readonly name: string; readonly value: Json; readonly label?: string }
  | { readonly type: 'contact_field_set'; readonly at: Place; readonly key: string; readonly old: Json; readonly new: Json }
  | { readonly type: 'journey_entered'; readonly at: Place; readonly journey: string; readonly flow: string }
  | { readonly type: 'journey_returned'; readonly at: Place; readonly journey: string; readonly flow: string }
  | { readonly type: 'http_call'; readonly at: Place; readonly call: HttpCall }
  | { readonly type: 'skill_call'; readonly at: Place; readonly name: string; readonly arguments: Json; readonly output: Json }
  /** A model was asked: how it went, what it cost. */
  | {
      readonly type: 'ai_call';
      readonly at: Place;
      readonly connection: string;
      readonly model: string;
      readonly outcome: string;
      readonly tokens: { readonly input: number; readonly output: number };
      readonly elapsedMs: number;
    }
  | { readonly type: 'action_routed'; readonly at: Place; readonly action: string }
  | {
      readonly type: 'group_changed';
      readonly at: Place;
      readonly group: string;
      readonly name: string;
      readonly member: boolean;
    }
  /** A label for the message that is answered. */
  | { readonly type: 'label_added'; readonly at: Place; readonly label: string }
  /** A person is to go on. */
  | { readonly type: 'handed_over'; readonly at: Place; readonly queue: string | null; readonly note: string }
  /** A journey is to start for the contact, not before a moment. */
  | { readonly type: 'scheduled'; readonly at: Place; readonly journey: string; readonly moment: string }
  | { readonly type: 'schedule_cancelled'; readonly at: Place; readonly journey: string }
  | { readonly type: 'ended'; readonly at: Place; readonly reason: string }
  | { readonly type: 'expired'; readonly at: Place }
  | { readonly type: 'log'; readonly at: Place; readonly text: string }
  | { readonly type: 'warning'; readonly at: Place; readonly expression: string; readonly reason: string }
  | { readonly type: 'failure'; readonly at?: Place; readonly code: string; readonly reason: string };

/** What the environment gives to a step. The same environment and the same signal give the same events. */
export interface Environment {
  /** ISO 8601. */
  readonly now: string;
  readonly timeZone: string;
  /** Where telephone numbers without a country are from: two capital letters. */
  readonly country?: string;
  /** Seeds whatever chance the step needs. */
  readonly seed: string;
}

/** A revision's container as UTF-8 JSON, shared with the workers instead of copied; compiled once per worker and revision. */
export type Definitions = Readonly<Record<string, SharedArrayBuffer>>;

/** One step as it crosses threads. */
export interface StepInput {
  readonly definitions: Definitions;
  /** The session as it was returned last; null with a `start` signal. */
  readonly session: string | null;
  readonly signal: Signal;
  readonly environment: Environment;
}

export interface StepOutput {
  readonly session: string;
  readonly events: readonly JourneyEvent[];
  readonly next: Next;
  /** What the outside may know of the session without reading it. */
  readonly head: SessionHead;
}

export interface SessionHead {
  readonly status: Session['status'];
  /** The revisions its frames are pinned to: what the next step needs definitions of. */
  readonly revisions: readonly string[];
  /** The contact's fields as the journey left them. */
  readonly contact: JsonObject;
  readonly card: string;
  readonly block: string | null;
  readonly turns: number;
}

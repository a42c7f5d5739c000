import type { Json, JsonObject } from '../json.js';
import type { ModelCall, ModelMessage, ModelTool } from '../ports/model.js';

/** A text in which secrets stand by their names. Only whoever performs the effect puts their values in. */
export type Written = string | readonly (string | { readonly secret: string })[];

/** A request over HTTP. It happens after the turn, and nobody waits for it, when it is `deferred`. */
export interface HttpEffect {
  readonly kind: 'http';
  readonly method: string;
  readonly url: Written;
  /** Added to what the URL has. */
  readonly query: readonly (readonly [name: string, value: Written])[];
  readonly headers: readonly (readonly [name: string, value: Written])[];
  readonly body: Written | null;
  readonly timeoutMs: number;
  /** How long a good answer to the same GET may be used again; 0 for never. */
  readonly cacheMs: number;
  /** How often it is tried again, and after which statuses and errors (`timeout`, `unreachable`). */
  readonly retry: { readonly max: number; readonly on: readonly (number | string)[] };
  readonly deferred: boolean;
}

/** A code skill is called. */
export interface SkillEffect {
  readonly kind: 'skill';
  readonly skill: string;
  readonly arguments: JsonObject;
}

/** A stored content card is to be shown. */
export interface ContentEffect {
  readonly kind: 'content';
  readonly content: string;
}

/** A template is to be sent; the number must have it. */
export interface TemplateEffect {
  readonly kind: 'template';
  readonly name: string;
  readonly language: string;
}

/** Another journey of the number is to be called: which revision of it, and its definition. */
export interface JourneyEffect {
  readonly kind: 'journey';
  readonly journey: string;
}

/** A language model is asked for the next message. */
export interface ModelEffect {
  readonly kind: 'model';
  /** The stored connection; its token is known outside only. */
  readonly connection: string;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** Something only the world outside can do; its result comes back as a `result` signal. */
export type Effect = JourneyEffect | HttpEffect | SkillEffect | ContentEffect | TemplateEffect | ModelEffect;

/** A request as it was sent, without secrets (Resources, "Journey simulation", `http_calls`). */
export interface HttpCall {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The body read as JSON, when it is. */
  readonly json: Json;
  readonly query: Readonly<Record<string, string>>;
  /** What the names in the pattern of a mock stood for. */
  readonly params: Readonly<Record<string, string>>;
  /** Null when nothing came back. */
  readonly status: number | null;
  readonly mocked: boolean;
  readonly failures: readonly string[];
}

/** What an endpoint answered, as journeys see it. */
export interface HttpAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null when it cannot be read. */
  readonly body: string | null;
}

/** A card as it is stored; texts are templates. Links of its media can be followed as they are, because they are sent as text. */
export interface ContentCard {
  readonly uuid: string;
  readonly name: string;
  readonly text: string;
  readonly media: readonly { readonly type: string; readonly link: string; readonly caption?: string }[];
}

/** What came of an effect, by its kind. `deferred`: it is done later, and the journey goes on without its answer. */
export type EffectResult =
  | { readonly kind: 'journey'; readonly journey: string; readonly revision: string; readonly definition: SharedArrayBuffer }
  /**
   * Without an answer, `error` says in a word what went wrong: `timeout`, `unreachable`, `blocked_address`, `too_large`, …; with one
   * whose body cannot be read, `encoded`.
   */
  | { readonly kind: 'http'; readonly call: HttpCall; readonly answer: HttpAnswer | null; readonly error?: string }
  | {
      readonly kind: 'skill';
      readonly output: Json;
      readonly success: boolean;
      readonly error?: string;
      /** What the skill asked of the network, in order. */
      readonly calls: readonly HttpCall[];
    }
  | { readonly kind: 'content'; readonly card: ContentCard }
  /** The template can be sent; the warning says why it could not in a real conversation, where that makes no difference. */
  | { readonly kind: 'template'; readonly warning?: string }
  | {
      readonly kind: 'model';
      /** What was asked, as far as anybody may know. */
      readonly connection: { readonly uuid: string; readonly name: string; readonly vendor: string; readonly model: string };
      readonly text: string;
      readonly calls: readonly ModelCall[];
      readonly tokens: { readonly input: number; readonly output: number };
      readonly elapsedMs: number;
    }
  /** It is done when the turn is kept, and this is what will be asked. */
  | { readonly kind: 'deferred'; readonly call: HttpCall }
  | { readonly kind: 'failed'; readonly code: string; readonly reason: string };

import type { Json, JsonObject } from '#core/basics';
import type { ModelCall, ModelMessage, ModelTool } from '#core/ports';
import type { SharedDefinition } from './shared-definition.js';

/** A text that names its secrets. Only the performer of the effect inserts their values, so that sessions and events never contain them. */
export type SecretTemplate = string | readonly (string | { readonly secret: string })[];

/** An HTTP request. A `deferred` one is sent after the turn; the journey continues without its response. */
export interface HttpEffect {
  readonly kind: 'http';
  readonly method: string;
  readonly url: SecretTemplate;
  /** Added to the query of the URL. */
  readonly query: readonly (readonly [name: string, value: SecretTemplate])[];
  readonly headers: readonly (readonly [name: string, value: SecretTemplate])[];
  readonly body: SecretTemplate | null;
  readonly timeoutMs: number;
  /** Milliseconds for which a successful response to the same GET may be reused; 0 for never. */
  readonly cacheMs: number;
  /** The maximum number of retries, and the statuses and errors (`timeout`, `unreachable`) that are retried. */
  readonly retry: { readonly max: number; readonly on: readonly (number | string)[] };
  readonly deferred: boolean;
}

/** A call of a code skill, by its uuid or name. */
export interface SkillEffect {
  readonly kind: 'skill';
  readonly skill: string;
  readonly arguments: JsonObject;
}

/** Finds a content card, by its uuid or name. */
export interface ContentEffect {
  readonly kind: 'content';
  readonly content: string;
}

/** Checks that the number has a template before the message is sent. */
export interface TemplateEffect {
  readonly kind: 'template';
  readonly name: string;
  readonly language: string;
}

/** Finds another journey of the number, to call it. The result contains the journey's revision and definition. */
export interface JourneyEffect {
  readonly kind: 'journey';
  readonly journey: string;
}

/** A request to a language model. */
export interface ModelEffect {
  readonly kind: 'model';
  /** The stored connection, by uuid or name. Its token never enters the engine. */
  readonly connection: string;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** An action that a block type of a plugin requests; the plugin performs it. The kind begins with the name of the plugin: `weather.forecast`. */
export interface PluginEffect {
  readonly kind: `${string}.${string}`;
  readonly [setting: string]: Json;
}

/** An action outside the engine. The caller performs it and passes its result as a `result` signal. */
export type Effect = JourneyEffect | HttpEffect | SkillEffect | ContentEffect | TemplateEffect | ModelEffect | PluginEffect;

/** A request as it was sent, without secrets (Resources, "Journey simulation", `http_calls`). */
export interface HttpCall {
  readonly method: string;
  /** Including the query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The body parsed as JSON; null when the body is not JSON. */
  readonly json: Json;
  readonly query: Readonly<Record<string, string>>;
  /** The values that matched the parameters in a mock's URL pattern. */
  readonly params: Readonly<Record<string, string>>;
  readonly status: number | null;
  readonly mocked: boolean;
  readonly failures: readonly string[];
}

/** The response to an HTTP request of a journey. */
export interface HttpAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null when the body cannot be read. */
  readonly body: string | null;
}

/** A stored card. Texts are templates. Media links are sent as text, so they must be URLs that a contact can open. */
export interface ContentCard {
  readonly uuid: string;
  readonly name: string;
  readonly text: string;
  readonly media: readonly { readonly type: string; readonly link: string; readonly caption?: string }[];
}

/** The result of an effect, which the block that requested it gets; a failed one has a code. */
export type EffectResult =
  /** The journey to call. */
  | { readonly kind: 'journey'; readonly journey: string; readonly revision: string; readonly definition: SharedDefinition }
  /**
   * The request and its response. `answer` is null without a usable response; `error` is then a code: `timeout`, `unreachable`, `blocked_address`,
   * `too_large`, …. With a response whose body is compressed, `error` is `encoded`.
   */
  | { readonly kind: 'http'; readonly call: HttpCall; readonly answer: HttpAnswer | null; readonly error?: string }
  /** The output of a skill, and the requests that it sent. */
  | {
      readonly kind: 'skill';
      readonly output: Json;
      readonly success: boolean;
      readonly error?: string;
      readonly calls: readonly HttpCall[];
    }
  /** The content card. */
  | { readonly kind: 'content'; readonly card: ContentCard }
  /** The template can be sent. In a simulation, `warning` says why a real conversation could not send it. */
  | { readonly kind: 'template'; readonly warning?: string }
  /** The response of a language model. */
  | {
      readonly kind: 'model';
      /** The connection that was used, without its token. */
      readonly connection: { readonly uuid: string; readonly name: string; readonly vendor: string; readonly model: string };
      readonly text: string;
      readonly calls: readonly ModelCall[];
      readonly tokens: { readonly input: number; readonly output: number };
      readonly elapsedMs: number;
      /** The key of the recording, if the connection recorded the call. */
      readonly recording?: string;
    }
  /** The request will be sent when the turn is stored; the journey continues without its response. */
  | { readonly kind: 'deferred'; readonly call: HttpCall }
  /** The result of an effect of a plugin. */
  | { readonly kind: 'plugin'; readonly value: Json }
  /** The effect failed. */
  | { readonly kind: 'failed'; readonly code: string; readonly reason: string };

import type { Json, JsonObject } from '#core';

/** The contents of a test file, as written in YAML. `schema.ts` checks files against this shape. */
export interface TestDocument extends Shared {
  /** A file beside the test, or the name or uuid of a journey. Default: the file named like the test. */
  readonly journey?: string;
  /** `working`: the file. Other revisions are read from the running sandbox. */
  readonly revision?: Revision;
  readonly defaults?: Settings;
  readonly tests: readonly DocumentTest[];
}

export const revisions = ['working', 'staging', 'production'] as const;
export type Revision = (typeof revisions)[number];

interface Shared {
  readonly $schema?: string;
}

/** Settings of one test, or of all tests of a file (`defaults`). */
export interface Settings {
  readonly contact?: JsonObject;
  readonly parent?: JsonObject;
  readonly child?: JsonObject;
  readonly http_mocks?: readonly Json[];
  readonly fail_unmocked_http_calls?: boolean;
  /** The environment variable that has the value of each secret. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly skills?: Readonly<Record<string, SkillMock>>;
  readonly models?: Readonly<Record<string, JsonObject>>;
  readonly cards?: Readonly<Record<string, { readonly text: string; readonly media?: readonly JsonObject[] }>>;
  /** Other journeys that the journey calls, by the id in the call: their files, or with a `revision` their names or uuids. */
  readonly journeys?: Readonly<Record<string, string>>;
  /** ISO 8601: the time of the first step. */
  readonly clock?: string;
  readonly time_zone?: string;
  readonly country?: string;
  readonly seed?: string;
  readonly tags?: readonly string[];
}

/** A code skill of a test: its output, the error with which it fails, or its code. */
export type SkillMock = { readonly output: Json } | { readonly error: string } | { readonly file: string };

export interface DocumentTest extends Settings {
  readonly name: string;
  readonly journey?: string;
  readonly revision?: Revision;
  readonly only?: boolean;
  /** The reason. */
  readonly skip?: string;
  /** The rows of a table: the test runs once for each, with `{{column}}` replaced. */
  readonly each?: readonly JsonObject[];
  readonly steps: readonly DocumentStep[];
}

/** A step: `start`, or an object with one action and what it is expected to cause, or with only one of them. */
export type DocumentStep = 'start' | DocumentAction;

export interface DocumentAction {
  readonly start?: null;
  readonly say?: string;
  readonly tap?: string;
  readonly choose?: string;
  readonly send?: string | SentMessage;
  readonly wait?: string;
  /** The same as `wait`. */
  readonly advance?: string;
  /** Adds mocks from here on. */
  readonly http_mocks?: readonly Json[];
  readonly expect?: Expectation;
}

export const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaType = (typeof mediaTypes)[number];

/** A message of the contact. It has one kind of content. */
export type SentMessage = {
  readonly text?: string;
  readonly location?: JsonObject;
  /** The answers of a form. */
  readonly form?: JsonObject;
  /** A message in the format of the network, with its `type`. */
  readonly message?: JsonObject;
  /** `last`: a reply to the newest message of the journey. */
  readonly context?: 'last';
} & { readonly [K in MediaType]?: string | JsonObject };

/** The expected results of the last action. Values are compared with matchers: see `matcher.ts`. */
export interface Expectation {
  readonly text?: Json;
  readonly options?: Json;
  readonly card?: Json;
  readonly state?: State;
  readonly context?: JsonObject;
  readonly contact?: JsonObject;
  readonly actions?: Json;
  readonly http_calls?: Json;
  readonly skill_calls?: Json;
  /** The messages as a channel receives them, key for key. */
  readonly turns?: Json;
  readonly warnings?: Json;
  /** The code of the error with which the journey failed. Without it, a journey that fails makes the test fail. */
  readonly error?: Json;
  /** Compares the transcript of the test so far with the stored one. */
  readonly snapshot?: boolean;
}

export const states = ['waiting_for_input', 'end', 'expired'] as const;
export type State = (typeof states)[number];

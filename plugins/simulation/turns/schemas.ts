import { anyString, anyValue, array, boolean, integer, named, nullable, object, oneOf, record, string } from '#core';
import { withKeywords } from '#core/schemas';
import { revisionNames } from '../../journeys/plugin.js';
import { callSchema, debugFields, MOCK_LIMITS, mockSchema } from '../schemas.js';

// Request and response of the admin route that runs simulated turns.

const MAX_TEXT = 65_536;
const MAX_WAIT_MS = 366 * 24 * 60 * 60 * 1000;

const tokens = object({ input: integer(), output: integer() });
const modelCall = object({ id: anyString(), name: anyString(), arguments: anyString() });

export const modelReplySchema = object({ text: anyString(), calls: array(modelCall) }, { tokens });

/** A script as `rules`, or recorded replies as `recordings`, as connections have them. */
const simulatedModel = object(
  {},
  {
    rules: array(record(anyValue())).max(200),
    strict: boolean(),
    fallback: anyString(),
    recordings: array(object({ key: string(), request: anyString(), reply: anyValue() })).max(1_000),
  },
);

export const modelsSchema = record(simulatedModel);

export const turnRequestSchema = object(
  {},
  {
    /** The turn to continue; any earlier turn can be continued, also more than once. Without it, a simulation starts. */
    after: string(),
    /** The message of the contact. At the start, the message that starts the journey, which is no answer to its first question. */
    input: withKeywords(anyString().max(MAX_TEXT), { minLength: 1 }),
    /** In place of `input`: time that passes. Time-outs run when they are due. */
    wait_ms: integer().min(1).max(MAX_WAIT_MS),
    /** At the start; the default is the draft. */
    revision: oneOf('draft', ...revisionNames),
    /** At the start: fields of the contact. Null clears a field. */
    contact: record(anyValue()),
    parent: record(anyValue()),
    child: record(anyValue()),
    /** Replaces the mocks; those that stay keep their state. Without it, the mocks are those of the turn that is continued. */
    http_mocks: withKeywords(array(mockSchema), { maxItems: MOCK_LIMITS.count }),
    /** Whether requests without a mock fail instead of being sent. Default: as in the turn that is continued; at the start, true. */
    fail_unmocked_http_calls: boolean(),
    /** Which model responds to AI agents, by connection as the journey names it; `*` is for all others. */
    models: modelsSchema,
    /** Replies to the first model calls of this turn, such as the reply of an earlier call with changes. */
    model_replies: array(modelReplySchema).max(100),
  },
).example({ input: 'hi', http_mocks: [{ url: 'https://shop.test/*', response: { body: { state: 'sent' } } }] });

const tracedCall = named(
  'TracedHttpCall',
  callSchema.append({
    /** The mock that responded, counted from 1. */
    mock: nullable(integer()).required(),
    /** The mock that comes closest of those that did not respond, and why it did not. */
    nearest: nullable(anyString()).required(),
    answer: nullable(object({ status: integer(), headers: record(anyString()), body: nullable(anyString()) })).required(),
  }),
);

export const modelCallSchema = object(
  {
    /** As the journey names it. */
    connection: anyString(),
    answered_by: oneOf('connection', 'script', 'recordings', 'given'),
    model: anyString(),
    messages: array(record(anyValue())),
    tools: array(object({ name: anyString(), description: anyString(), parameters: record(anyValue()) })),
    reply: nullable(object({ text: anyString(), calls: array(modelCall), tokens })),
    failure: nullable(object({ code: string(), reason: anyString() })),
    elapsed_ms: integer(),
  },
  { temperature: anyValue(), max_tokens: integer() },
);

export const turnSchema = object({
  id: string(),
  after: nullable(string()),
  revision: oneOf('draft', ...revisionNames),
  /** The time in the simulation. It passes with `wait_ms` only. */
  at: string(),
  state: oneOf('waiting_for_input', 'end', 'expired'),
  /** Why the journey failed. */
  failure: nullable(object({ code: string(), reason: anyString() })),
  /** Milliseconds until the question times out. */
  timeout_in_ms: nullable(integer()),
  /** Milliseconds until the wait for an answer ends. */
  expires_in_ms: nullable(integer()),
  message: anyString(),
  card: anyString(),
  options: array(anyString()),
  skill_calls: array(object({ name: string(), arguments: anyValue(), output: anyValue() })),
  actions: array(string()),
  http_calls: array(tracedCall),
  model_calls: array(modelCallSchema),
  contact: record(anyValue()),
  context: record(anyValue()),
  /** The changes of the context; at the start, all of it was added. */
  changes: array(
    object({ path: array(anyString()), change: oneOf('added', 'changed', 'removed') }, { before: anyValue(), after: anyValue() }),
  ),
  events: debugFields.events,
  path: debugFields.path,
  warnings: debugFields.warnings,
  messages: debugFields.messages,
  elapsed_ms: integer(),
});

import { anyString, anyValue, array, boolean, integer, named, nullable, object, oneOf, record, string, stringUpTo } from '#core';
import { withKeywords } from '#core/schemas';

// Request and response of the simulation route (Resources and Endpoints, "Journey simulation").

const ID_LENGTHS = { min: 6, max: 64 } as const;

/** Limits of the mocks of one simulation: their count, characters of a pattern, bytes of one body and of all bodies. */
export const MOCK_LIMITS = { count: 200, pattern: 2_048, body: 1024 * 1024, bodies: 8 * 1024 * 1024 } as const;

const orNull = (type: string) => [type, 'null'];
/** Documents for OpenAPI what `readMocks` accepts. */
export const mockSchema = named(
  'HttpMock',
  withKeywords(anyValue(), {
    type: 'object',
    required: ['url'],
    properties: {
      method: { type: orNull('string'), pattern: '^[A-Za-z]{1,20}$' },
      url: { type: 'string', minLength: 1, maxLength: MOCK_LIMITS.pattern },
      response: {
        type: orNull('object'),
        properties: {
          status: { type: orNull('integer'), minimum: 100, maximum: 599 },
          headers: { type: orNull('object'), additionalProperties: { type: orNull('string') } },
          body: {},
        },
      },
      // These belong inside `response`; null counts as absent.
      status: { type: 'null' },
      headers: { type: 'null' },
      body: { type: 'null' },
    },
  }),
);

/** The order of the keys matters: fields are checked in this order, and the response names the first invalid one. */
export const requestSchema = named(
  'SimulationRequest',
  object(
    { simulation_id: stringUpTo(ID_LENGTHS.max, ID_LENGTHS.min) },
    {
      revision: oneOf('production', 'staging'),
      parent: record(anyValue()),
      child: record(anyValue()),
      /** Checked by `readMocks`, so that errors name the position. */
      http_mocks: withKeywords(array(mockSchema), { maxItems: MOCK_LIMITS.count }),
      contact: record(anyValue()),
      fail_unmocked_http_calls: boolean(),
      /** Our extension: adds `debugFields` to the response. */
      debug: boolean(),
      /** Checked later: only a running simulation requires it. */
      input: withKeywords(anyValue(), { type: orNull('string'), minLength: 1 }),
    },
  ),
);

export const callSchema = named(
  'SimulatedHttpCall',
  object({
    method: string(),
    url: string(),
    headers: record(anyString()),
    body: nullable(anyString()),
    json: nullable(anyValue()),
    query: record(anyString()),
    params: record(anyString()),
    status: nullable(integer()),
    mocked: boolean(),
    failures: array(string()),
  }),
);

/** Where the block begins in its notebook. */
const place = { line: integer(), column: integer() };

/** Fields that `debug` adds to those of the interface. */
export const debugFields = {
  /** The events of the engine, in order. */
  events: array(record(anyValue())),
  path: array(object({ block: string(), card: anyString(), exit: anyString(), to: nullable(string()) }, place)),
  warnings: array(object({ block: string(), expression: anyString(), reason: anyString() }, place)),
  /** The messages as a channel driver would receive them. */
  messages: array(record(anyValue())),
  elapsed_ms: integer(),
  /** The responses to requests that had no mock and were sent, without secrets. */
  http_answers: array(
    object({ method: string(), url: string(), status: integer(), headers: record(anyString()), body: nullable(anyString()) }),
  ),
};

export const responseSchema = named(
  'SimulationResponse',
  object(
    {
      simulation_id: string(),
      state: oneOf('waiting_for_input', 'end'),
      message: anyString(),
      card: anyString(),
      options: array(anyString()),
      skill_calls: array(object({ name: string(), arguments: anyValue(), output: anyValue() })),
      actions: array(string()),
      http_calls: array(callSchema),
      contact: record(anyValue()),
      context: record(anyValue()),
    },
    debugFields,
  ),
);

export const errorSchema = named('SimulationErrors', object({ errors: array(string()) }));

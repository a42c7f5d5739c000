import { anyString, anyValue, array, boolean, integer, nullable, object, oneOf, record, string, stringUpTo } from '#core';
import { withKeywords } from '#core/areas';

/** Request and response of the one route (Resources and Endpoints, "Journey simulation"). */

const ID_LENGTHS = { min: 6, max: 64 } as const;

/** Of the mocks of one simulation: how many, characters of a pattern, bytes of a body and of all bodies. */
export const MOCK_LIMITS = { count: 200, pattern: 2_048, body: 1024 * 1024, bodies: 8 * 1024 * 1024 } as const;

const orNull = (type: string) => [type, 'null'];
/** What `readMocks` takes. */
const mock = withKeywords(anyValue(), {
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
    // They belong into the response.
    status: { type: 'null' },
    headers: { type: 'null' },
    body: { type: 'null' },
  },
});

/** Keys stand in the order in which they are checked: the first that does not fit is the one that is answered. */
export const requestSchema = object(
  { simulation_id: stringUpTo(ID_LENGTHS.max, ID_LENGTHS.min) },
  {
    revision: oneOf('production', 'staging'),
    parent: record(anyValue()),
    child: record(anyValue()),
    /** Checked one by one afterwards, so that what is wrong is said with its position. */
    http_mocks: withKeywords(array(mock), { maxItems: MOCK_LIMITS.count }),
    contact: record(anyValue()),
    fail_unmocked_http_calls: boolean(),
    /** Ours: the response then also says how it came about. */
    debug: boolean(),
    /** Looked at when it is known whether there is a session to give it to. */
    input: withKeywords(anyValue(), { type: orNull('string'), minLength: 1 }),
  },
);

const call = object({
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
});

/** Beside the fields of the interface, when a request says `debug`. */
const debugFields = {
  /** What happened, in order, as the engine tells it. */
  events: array(record(anyValue())),
  /** The exits that were taken. */
  path: array(object({ block: string(), card: anyString(), exit: anyString(), to: nullable(string()) })),
  warnings: array(object({ block: string(), expression: anyString(), reason: anyString() })),
  /** The turns as a channel would be given them. */
  messages: array(record(anyValue())),
  elapsed_ms: integer(),
};

export const responseSchema = object(
  {
    simulation_id: string(),
    state: oneOf('waiting_for_input', 'end'),
    message: anyString(),
    card: anyString(),
    options: array(anyString()),
    skill_calls: array(object({ name: string(), arguments: anyValue(), output: anyValue() })),
    actions: array(string()),
    http_calls: array(call),
    contact: record(anyValue()),
    context: record(anyValue()),
  },
  debugFields,
);

export const errorSchema = object({ errors: array(string()) });

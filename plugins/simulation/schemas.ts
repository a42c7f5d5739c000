import { anyText, anything, dictionary, fields, flag, list, nullable, oneOf, text, textUpTo, whole } from '#core';
import { withKeywords } from '#core/areas';

/** Request and response of the one route (Resources and Endpoints, "Journey simulation"). */

const ID_LENGTHS = { min: 6, max: 64 } as const;

/** Of the mocks of one simulation: how many, characters of a pattern, bytes of a body and of all bodies. */
export const MOCK_LIMITS = { count: 200, pattern: 2_048, body: 1024 * 1024, bodies: 8 * 1024 * 1024 } as const;

const orNull = (type: string) => [type, 'null'];
/** What `readMocks` takes. */
const mock = withKeywords(anything(), {
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
export const requestSchema = fields(
  { simulation_id: textUpTo(ID_LENGTHS.max, ID_LENGTHS.min) },
  {
    revision: oneOf('production', 'staging'),
    parent: dictionary(anything()),
    child: dictionary(anything()),
    /** Checked one by one afterwards, so that what is wrong is said with its position. */
    http_mocks: withKeywords(list(mock), { maxItems: MOCK_LIMITS.count }),
    contact: dictionary(anything()),
    fail_unmocked_http_calls: flag(),
    /** Ours: the response then also says how it came about. */
    debug: flag(),
    /** Looked at when it is known whether there is a session to give it to. */
    input: withKeywords(anything(), { type: orNull('string'), minLength: 1 }),
  },
);

const call = fields({
  method: text(),
  url: text(),
  headers: dictionary(anyText()),
  body: nullable(anyText()),
  json: nullable(anything()),
  query: dictionary(anyText()),
  params: dictionary(anyText()),
  status: nullable(whole()),
  mocked: flag(),
  failures: list(text()),
});

/** Beside the fields of the interface, when a request says `debug`. */
const debugFields = {
  /** What happened, in order, as the engine tells it. */
  events: list(dictionary(anything())),
  /** The exits that were taken. */
  path: list(fields({ block: text(), card: anyText(), exit: anyText(), to: nullable(text()) })),
  warnings: list(fields({ block: text(), expression: anyText(), reason: anyText() })),
  /** The turns as a channel would be given them. */
  messages: list(dictionary(anything())),
  elapsed_ms: whole(),
};

export const responseSchema = fields(
  {
    simulation_id: text(),
    state: oneOf('waiting_for_input', 'end'),
    message: anyText(),
    card: anyText(),
    options: list(anyText()),
    skill_calls: list(fields({ name: text(), arguments: anything(), output: anything() })),
    actions: list(text()),
    http_calls: list(call),
    contact: dictionary(anything()),
    context: dictionary(anything()),
  },
  debugFields,
);

export const errorSchema = fields({ errors: list(text()) });

import Joi from 'joi';
import { anyText, anything, dictionary, fields, flag, list, nullable, oneOf, text, whole } from '#core';

/** Request and response of the one route (Resources and Endpoints, "Journey simulation"). */

const ID_LENGTHS = { min: 6, max: 64 } as const;

/** Keys stand in the order in which they are checked: the first that does not fit is the one that is answered. */
export const requestSchema = fields(
  { simulation_id: text().min(ID_LENGTHS.min).max(ID_LENGTHS.max) },
  {
    revision: oneOf('production', 'staging'),
    parent: dictionary(anything()),
    child: dictionary(anything()),
    http_mocks: list(Joi.object().unknown()),
    contact: dictionary(anything()),
    fail_unmocked_http_calls: flag(),
    /** Looked at when it is known whether there is a session to give it to. */
    input: anything(),
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

export const responseSchema = fields({
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
});

export const errorSchema = fields({ errors: list(text()) });

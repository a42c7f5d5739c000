import { type ErrorShape, InvalidRequest, type Problem } from '#core';
import { badRequestSchema, requiredFields } from './schemas.js';

/** The object that contains each field of a new channel in error bodies. */
const objectOfNewChannel: Readonly<Record<string, string>> = {
  backend_type: 'number',
  number_type: 'number',
  from_addr: 'number',
  name: 'number',
  endpoint: 'webhook',
};

const BLANK = "can't be blank";
const INVALID = 'is invalid';
const blankRules = new Set(['any.required', 'any.null', 'string.empty', 'string.pattern.filled']);

export const channelErrors: ErrorShape = {
  render(error) {
    if (!(error instanceof InvalidRequest)) return undefined;
    return { status: 400, body: { message: 'Bad Request', errors: byObject(error) } };
  },
  schemas: { 400: badRequestSchema },
};

/** `{ status: { id: ["is invalid"] } }`. Deeper fields are named with dots: `text.body`. */
function byObject({ problems, message }: InvalidRequest): Record<string, Record<string, string[]>> {
  const errors: Record<string, Record<string, string[]>> = {};
  const add = (object: string, field: string, text: string): void => {
    errors[object] ??= {};
    // A blank field breaks other rules too; "can't be blank" is enough.
    if (errors[object][field]?.[0] !== BLANK) errors[object][field] = [text];
  };
  for (const problem of problems) {
    const [first, ...rest] = problem.path.map(String);
    const required = first === undefined ? undefined : requiredFields[first];
    if (first === undefined) add('body', 'base', INVALID);
    else if (rest.length > 0) add(first, rest.join('.'), problemText(problem));
    else if (required) for (const field of required) add(first, field, BLANK);
    else add(objectOfNewChannel[first] ?? 'body', first, problemText(problem));
  }
  if (problems.length === 0) add('body', 'base', message);
  return errors;
}

const problemText = ({ rule }: Problem): string => (blankRules.has(rule) ? BLANK : INVALID);

/** The error for a field that is invalid for a reason outside of the schema, such as an address that is already in use. */
export const invalidField = (object: string, field: string, cause?: string): InvalidRequest => {
  const error = new InvalidRequest([{ path: [object, field], rule: 'any.invalid', message: `${object}.${field} ${INVALID}` }]);
  return cause === undefined ? error : Object.assign(error, { code: cause });
};

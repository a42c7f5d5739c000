import type { ErrorShape } from '../contract/plugin.js';
import type { RateBucket, Route, RouteAuth } from '../contract/route.js';
import { numberKinds } from '../messaging/number.js';
import { type Lane, lanes, type Shares } from '../ports/queue.js';
import { isDescribed } from '../shape.js';

// Each says what is wrong with one thing that a plugin contributes, in words that follow "it contributes ..."; undefined when nothing is.

type Given = Readonly<Record<string, unknown>>;

/** By type, so that none is forgotten when there are more. */
const routeWords: Readonly<Record<keyof Route, true>> = {
  method: true,
  path: true,
  summary: true,
  auth: true,
  numbers: true,
  bucket: true,
  bucketOf: true,
  makesDeliveries: true,
  keepsNothing: true,
  maxBytes: true,
  body: true,
  request: true,
  responses: true,
  errors: true,
  errorPage: true,
  handler: true,
};
const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const auths: Readonly<Record<RouteAuth, true>> = { bearer: true, optional: true, none: true };
const buckets: Readonly<Record<RateBucket, true>> = { general: true, text: true, media: true, none: true };

export function faultOfRoute(given: unknown): string | undefined {
  const { method, path, summary, responses, handler, ...rest } = asGiven(given);
  const isInteger = [method, path, summary].every((word) => typeof word === 'string') && typeof handler === 'function';
  if (!isInteger) return 'is no route: one has method, path, summary, responses and handler';
  const fault =
    faultOfWords({ method, path, ...rest }) ??
    (isRecord(responses) ? faultOfSchemas(responses, asGiven(rest.request)) : 'declares no responses');
  return fault && `${method} ${path} ${fault}`;
}

function faultOfWords({
  method,
  path,
  auth,
  bucket,
  body,
  numbers,
  makesDeliveries,
  keepsNothing,
  maxBytes,
  errors,
  request,
  ...rest
}: Given): string | undefined {
  const isOneOf = (value: unknown, words: readonly string[]) => value === undefined || words.includes(value as string);
  const wrong = (name: string, words: readonly string[]) => `has a wrong ${name}: there are ${words.join(', ')}`;
  if (!isOneOf(method, methods)) return wrong('method', methods);
  if (!(path as string).startsWith('/')) return 'has a path that does not begin with /';
  if (!isOneOf(auth, Object.keys(auths))) return wrong('auth', Object.keys(auths));
  if (!isOneOf(bucket, Object.keys(buckets))) return wrong('bucket', Object.keys(buckets));
  if (!isOneOf(body, ['json', 'bytes'])) return wrong('body', ['json', 'bytes']);
  if (numbers !== undefined && !(Array.isArray(numbers) && numbers.every((kind) => numberKinds.includes(kind))))
    return wrong('list of numbers', numberKinds);
  for (const [name, given] of Object.entries({ makesDeliveries, keepsNothing }))
    if (given !== undefined && typeof given !== 'boolean') return `has ${name} that is not true or false`;
  if (request !== undefined && !isRecord(request)) return 'has a request that is no object of schemas';
  if (maxBytes !== undefined && !isSome(maxBytes)) return 'has maxBytes that are no number of bytes';
  if (errors !== undefined && !(Array.isArray(errors) && errors.every(isWhole))) return 'has errors that are no list of statuses';
  for (const name of ['bucketOf', 'errorPage']) if (!isFunction(rest[name], true)) return `has ${name} that is no function`;
  const unread = Object.keys(rest).find((name) => !Object.hasOwn(routeWords, name));
  return unread === undefined ? undefined : `has '${unread}', which nobody reads; there are ${Object.keys(routeWords).join(', ')}`;
}

/** Also those of another joi: hapi would check by them, and nobody could describe them. */
function faultOfSchemas(responses: Given, request: Given): string | undefined {
  for (const name of Object.keys(request))
    if (!['params', 'query', 'payload'].includes(name)) return `has request.${name}, which nobody reads; there are params, query, payload`;
  const schemas = Object.entries({ ...prefixed('request', request), ...prefixed('responses', responses) });
  const other = schemas.find(
    ([, schema]) => schema !== undefined && typeof asGiven(schema).contentType !== 'string' && !isDescribed(schema),
  );
  return other && `has ${other[0]} that is no schema of the joi that posthorn uses (18)`;
}

const prefixed = (prefix: string, given: Given) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [`${prefix}.${name}`, value]));

export function faultOfErrors({ render, schemas }: ErrorShape): string | undefined {
  if (typeof render !== 'function') return 'has no render';
  return isRecord(schemas) ? faultOfSchemas(schemas, {}) : 'has no schemas: the body of every status that it renders';
}

export function faultOfConsumer(given: unknown): string | undefined {
  const { queue, handle, concurrency, maxAttempts, shares, laneOf, logged, onFailed } = asGiven(given);
  const { name } = asGiven(queue);
  if (typeof name !== 'string' || name === '' || typeof handle !== 'function') return 'is no consumer, as `consume` makes it';
  if (!isSome(concurrency)) return `of queue ${name} has a concurrency that is no whole number from 1`;
  if (maxAttempts !== undefined && !isSome(maxAttempts)) return `of queue ${name} has a maxAttempts that is not an integer from 1`;
  for (const [key, hook] of Object.entries({ laneOf, logged, onFailed }))
    if (!isFunction(hook, true)) return `of queue ${name} has ${key} that is no function`;
  return shares === undefined || areShares(shares)
    ? undefined
    : `of queue ${name} has shares that are no numbers from 1 for ${lanes.join(', ')}`;
}

function areShares(given: unknown): boolean {
  const { lane, group } = asGiven(given) as Shares;
  return [lane, group].every((share) => share === undefined || lanes.every((name: Lane) => share[name] >= 1));
}

export function faultOfSubscription(given: unknown): string | undefined {
  const { event, phase, handle } = asGiven(given);
  const isSubscription =
    typeof asGiven(event).name === 'string' && typeof handle === 'function' && (phase === 'afterCommit' || phase === 'beforeCommit');
  return isSubscription ? undefined : 'is no subscription, as `on` and `beforeCommit` make it';
}

export function faultOfChannel(given: unknown): string | undefined {
  const { type, deliver, carries, answerFault } = asGiven(given);
  if (typeof type !== 'string' || type === '' || typeof deliver !== 'function') return 'is no channel: one has type and deliver';
  if (carries !== undefined && carries !== 'turns' && carries !== 'everything') return 'carries something else than turns or everything';
  return isFunction(answerFault, true) ? undefined : 'has answerFault that is no function';
}

export function faultOfView(given: unknown): string | undefined {
  const { name, load } = asGiven(given);
  return typeof name === 'string' && name !== '' && typeof load === 'function' ? undefined : 'is no view: one has name and load';
}

export const faultOfCheck = (given: unknown): string | undefined => (isFunction(given) ? undefined : 'is no function');

export const faultOfRoot = (given: unknown): string | undefined =>
  typeof given === 'string' && given.startsWith('/') ? undefined : 'is no path';

export const faultOfEvent = (given: unknown): string | undefined =>
  typeof asGiven(given).name === 'string' && asGiven(given).name !== '' ? undefined : 'is no event, as `event` declares it';

export const faultOfTask = (given: unknown): string | undefined =>
  asGiven(given).module instanceof URL && typeof asGiven(given).name === 'string' ? undefined : 'is no task, as `task` declares it';

const isRecord = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value);
const asGiven = (value: unknown): Given => (typeof value === 'object' && value !== null ? (value as Given) : {});
const isFunction = (value: unknown, isOptional = false): boolean => typeof value === 'function' || (isOptional && value === undefined);
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const isSome = (value: unknown): boolean => isWhole(value) || value === Number.POSITIVE_INFINITY;

import type Joi from 'joi';
import { flagsOf, ownCommands, type PluginCommand } from '../../contract/command.js';
import { pagePlaces } from '../../contract/page.js';
import { ANY_OPERATOR, PERMISSION_NAME } from '../../contract/permission.js';
import type { ErrorShape, Plugin } from '../../contract/plugin.js';
import type { RateBucket, Route, RouteAuth } from '../../contract/route.js';
import { PLUGIN_SUBSCRIPTION, subscriptionKindSchema, subscriptionKinds } from '../../dialect.js';
import { isObject } from '../../json.js';
import { numberKinds } from '../../messaging/number.js';
import { type Lane, lanes, type Shares } from '../../ports/queue.js';
import { isDescribed } from '../../shape.js';

// Each function checks one contribution of a plugin. It returns undefined, or a problem: the predicate of a sentence whose subject is
// the place of the contribution (`routes[0] …`).

type UnknownRecord = Readonly<Record<string, unknown>>;

/** The type makes an entry for a new key of `Route` mandatory. */
const routeKeys: Readonly<Record<keyof Route, true>> = {
  method: true,
  path: true,
  summary: true,
  auth: true,
  numbers: true,
  bucket: true,
  bucketOf: true,
  makesDeliveries: true,
  keepsNothing: true,
  needsNoStore: true,
  ignoresFaults: true,
  permission: true,
  morePermissions: true,
  recorded: true,
  replacesStore: true,
  accounts: true,
  needsAdminKey: true,
  shards: true,
  origins: true,
  admit: true,
  arrivalMs: true,
  maxBytes: true,
  body: true,
  files: true,
  exactIntegers: true,
  text: true,
  request: true,
  responses: true,
  errors: true,
  errorPage: true,
  handler: true,
};
const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const auths: Readonly<Record<RouteAuth, true>> = { bearer: true, optional: true, none: true };
const buckets: Readonly<Record<RateBucket, true>> = { general: true, text: true, media: true, none: true };

export function faultOfRoute(value: unknown): string | undefined {
  const { method, path, summary, responses, handler, ...rest } = asRecord(value);
  const isRoute = [method, path, summary].every((text) => typeof text === 'string') && typeof handler === 'function';
  if (!isRoute) return 'is not a route: it needs method, path, summary, responses and handler';
  const fault =
    faultOfKeys({ method, path, ...rest }) ??
    (isRecord(responses) ? faultOfSchemas(responses, asRecord(rest.request)) : 'declares no responses');
  return fault && `${method} ${path} ${fault}`;
}

function faultOfKeys({
  method,
  path,
  auth,
  bucket,
  body,
  text,
  numbers,
  makesDeliveries,
  keepsNothing,
  needsNoStore,
  permission,
  needsAdminKey,
  exactIntegers,
  maxBytes,
  errors,
  request,
  ...rest
}: UnknownRecord): string | undefined {
  const isOneOf = (value: unknown, values: readonly string[]) => value === undefined || values.includes(value as string);
  const wrong = (name: string, values: readonly string[]) => `has an invalid ${name}: use ${values.join(', ')}`;
  if (!isOneOf(method, methods)) return wrong('method', methods);
  if (!(path as string).startsWith('/')) return "has an invalid path: it must begin with '/'";
  if (!isOneOf(auth, Object.keys(auths))) return wrong('auth', Object.keys(auths));
  if (!isOneOf(bucket, Object.keys(buckets))) return wrong('bucket', Object.keys(buckets));
  if (!isOneOf(body, ['json', 'bytes'])) return wrong('body', ['json', 'bytes']);
  if (text !== undefined && !(isRecord(text) && typeof text.contentType === 'string' && typeof text.field === 'string'))
    return 'has an invalid text: use an object with contentType and field';
  if (numbers !== undefined && !(Array.isArray(numbers) && numbers.every((kind) => numberKinds.includes(kind))))
    return wrong('list of numbers', numberKinds);
  for (const [name, value] of Object.entries({ makesDeliveries, keepsNothing, needsNoStore, needsAdminKey, exactIntegers }))
    if (value !== undefined && typeof value !== 'boolean') return `has an invalid ${name}: use true or false`;
  if (permission !== undefined && !(permission === ANY_OPERATOR || PERMISSION_NAME.test(String(permission))))
    return 'has an invalid permission: use a name such as webhooks.pause';
  if (rest.accounts !== undefined && rest.accounts !== 'none' && rest.accounts !== 'filtered' && !isRecord(rest.accounts))
    return 'has invalid accounts: use none, filtered, or an object with records';
  if (request !== undefined && !isRecord(request)) return 'has an invalid request: use an object with the schemas params, query or payload';
  if (maxBytes !== undefined && !isPositiveOrInfinite(maxBytes)) return 'has an invalid maxBytes: use a positive number of bytes';
  if (errors !== undefined && !(Array.isArray(errors) && errors.every(isPositiveInteger)))
    return 'has invalid errors: use a list of HTTP statuses';
  if (rest.arrivalMs !== undefined && !isPositiveInteger(rest.arrivalMs)) return 'has an invalid arrivalMs: use a number of milliseconds';
  if (rest.origins !== undefined && auth !== 'none') return "has origins without auth: 'none'";
  for (const name of ['bucketOf', 'errorPage', 'origins', 'admit'])
    if (!isFunction(rest[name], true)) return `has an invalid ${name}: use a function`;
  const unknown = Object.keys(rest).find((name) => !Object.hasOwn(routeKeys, name));
  return unknown === undefined ? undefined : `has the unknown key '${unknown}'; known keys are ${Object.keys(routeKeys).join(', ')}`;
}

/** Refuses schemas of another joi version: hapi would accept them, but the OpenAPI document cannot describe them. */
function faultOfSchemas(responses: UnknownRecord, request: UnknownRecord): string | undefined {
  for (const name of Object.keys(request))
    if (!['params', 'query', 'payload'].includes(name)) return `has the unknown key request.${name}; known keys are params, query, payload`;
  const schemas = Object.entries({ ...prefixed('request', request), ...prefixed('responses', responses) });
  const other = schemas.find(
    ([, schema]) => schema !== undefined && typeof asRecord(schema).contentType !== 'string' && !isDescribed(schema),
  );
  return other && `has an invalid ${other[0]}: use a schema of joi 18, the version that posthorn uses`;
}

const prefixed = (prefix: string, record: UnknownRecord) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [`${prefix}.${name}`, value]));

export function faultOfErrors({ render, schemas }: ErrorShape): string | undefined {
  if (typeof render !== 'function') return 'has no render';
  return isRecord(schemas) ? faultOfSchemas(schemas, {}) : 'has no schemas: the body of every status that it renders';
}

export function faultOfConsumer(value: unknown): string | undefined {
  const { queue, handle, concurrency, maxAttempts, shares, laneOf, logged, onFailed } = asRecord(value);
  const { name } = asRecord(queue);
  if (typeof name !== 'string' || name === '' || typeof handle !== 'function') return 'is not a consumer, as `consume` returns it';
  if (!isPositiveOrInfinite(concurrency)) return `of queue ${name} has an invalid concurrency: use an integer of at least 1`;
  if (maxAttempts !== undefined && !isPositiveOrInfinite(maxAttempts))
    return `of queue ${name} has an invalid maxAttempts: use an integer of at least 1`;
  for (const [key, hook] of Object.entries({ laneOf, logged, onFailed }))
    if (!isFunction(hook, true)) return `of queue ${name} has an invalid ${key}: use a function`;
  return shares === undefined || areShares(shares)
    ? undefined
    : `of queue ${name} has invalid shares: use a number of at least 1 for each of ${lanes.join(', ')}`;
}

function areShares(value: unknown): boolean {
  const { lane, group } = asRecord(value) as Shares;
  return [lane, group].every((share) => share === undefined || lanes.every((name: Lane) => share[name] >= 1));
}

export function faultOfSubscription(value: unknown): string | undefined {
  const { event, phase, handle } = asRecord(value);
  const isSubscription =
    typeof asRecord(event).name === 'string' && typeof handle === 'function' && (phase === 'afterCommit' || phase === 'beforeCommit');
  return isSubscription ? undefined : 'is not a subscription, as `on` and `beforeCommit` return it';
}

export function faultOfChannel(value: unknown): string | undefined {
  const { type, deliver, supports, answerFault, connection } = asRecord(value);
  if (typeof type !== 'string' || type === '' || typeof deliver !== 'function') return 'is not a channel driver: it needs type and deliver';
  if (supports !== undefined && supports !== 'turns' && supports !== 'everything') return 'has an invalid supports: use turns, everything';
  if (!isFunction(answerFault, true)) return 'has an invalid answerFault: use a function';
  return connection === undefined ? undefined : faultOfConnection(asRecord(connection));
}

interface ObjectTerms {
  readonly keys?: readonly { readonly key: string; readonly schema: Joi.Schema }[] | null;
}

/** The schemas of the keys of an object; empty for other schemas. `describe()` of joi takes a hundred times longer: it checks what it made. */
export const schemasByKey = (schema: Joi.Schema): ReadonlyMap<string, Joi.Schema> =>
  new Map(((schema.$_terms as ObjectTerms).keys ?? []).map(({ key, schema }) => [key, schema]));

function faultOfConnection({ schema, secrets, check, connected, disconnected, view }: UnknownRecord): string | undefined {
  if (!isDescribed(schema) || (schema as { type?: string }).type !== 'object')
    return 'has an invalid connection.schema: use an object schema of joi 18, the version that posthorn uses';
  const keys = schemasByKey(schema as Joi.ObjectSchema);
  const isText = (key: string): boolean => keys.get(key)?.type === 'string';
  if (!isListOfStrings(secrets) || !secrets.every(isText)) return 'has invalid connection.secrets: list keys of the schema that are text';
  if (!isFunction(check)) return 'has no connection.check';
  const hook = Object.entries({ connected, disconnected, view }).find(([, one]) => !isFunction(one, true));
  return hook && `has an invalid connection.${hook[0]}: use a function`;
}

export function faultOfLoop(value: unknown): string | undefined {
  const { name, type, run } = asRecord(value);
  const isLoop = [name, type].every((text) => typeof text === 'string' && text !== '') && isFunction(run);
  return isLoop ? undefined : 'is not a loop: it needs name, type and run';
}

export function faultOfSender(value: unknown): string | undefined {
  const { name, destination, request, read, policy = {} } = asRecord(value);
  if (typeof name !== 'string' || name === '' || !isFunction(destination) || !isFunction(request))
    return 'is not a sender: it needs name, destination and request';
  if (!isRecord(policy)) return `named ${name} has an invalid policy: use an object`;
  return isFunction(read, true) ? undefined : `named ${name} has an invalid read: use a function`;
}

const SUBSCRIPTIONS = `use ${subscriptionKinds.join(', ')}, or that of a plugin`;
const isSubscription = (value: unknown): boolean => subscriptionKindSchema().validate(value).error === undefined;

export function faultOfWebhookSubscription(value: unknown, plugin: string): string | undefined {
  const { name, summary, body, on } = asRecord(value);
  if (typeof name !== 'string' || typeof summary !== 'string' || !isFunction(on))
    return 'is not a subscription: it needs name, summary, body and on';
  if (!PLUGIN_SUBSCRIPTION.test(name) || !name.startsWith(`${plugin}.`))
    return `must be named '${plugin}.<name>' in lower case, not '${name}'`;
  return isDescribed(body) ? undefined : `named ${name} has an invalid body: use a schema of joi 18, the version that posthorn uses`;
}

export function faultOfPayloadField(value: unknown): string | undefined {
  const { subscription, summary, schema, value: of } = asRecord(value);
  if (typeof summary !== 'string' || !isFunction(of)) return 'is not a field of payloads: it needs subscription, summary, schema and value';
  if (!isSubscription(subscription)) return `has an invalid subscription: ${SUBSCRIPTIONS}`;
  return isDescribed(schema) ? undefined : 'has an invalid schema: use a schema of joi 18, the version that posthorn uses';
}

export function faultOfPayload(value: unknown): string | undefined {
  const { name, summary, subscription, query, body, answers = {} } = asRecord(value);
  if (typeof name !== 'string' || name === '' || typeof summary !== 'string') return 'is not a payload: it needs name, summary and body';
  if (subscription !== undefined && !isSubscription(subscription)) return `named ${name} has an invalid subscription: ${SUBSCRIPTIONS}`;
  if (!isRecord(answers)) return `named ${name} has invalid answers: use an object`;
  const bodies = Object.fromEntries(Object.entries(answers).map(([status, answer]) => [`${status}.body`, asRecord(answer).body]));
  const other = Object.entries({ body, ...prefixed('answers', bodies), query })
    .filter(([part, schema]) => part === 'body' || schema !== undefined)
    .find(([, schema]) => !isDescribed(schema));
  return other && `named ${name} has an invalid ${other[0]}: use a schema of joi 18, the version that posthorn uses`;
}

export function faultOfView(value: unknown): string | undefined {
  const { name, load } = asRecord(value);
  return typeof name === 'string' && name !== '' && typeof load === 'function' ? undefined : 'is not a view: it needs name and load';
}

export function faultOfExplanation(value: unknown): string | undefined {
  const { name, explain } = asRecord(value);
  const isOne = typeof name === 'string' && name !== '' && typeof explain === 'function';
  return isOne ? undefined : 'is not an explanation: it needs name and explain';
}

export function faultOfSearch(value: unknown): string | undefined {
  const { kind, permission, find, byId = find } = asRecord(value);
  const isOne = typeof kind === 'string' && NAME.test(kind) && typeof permission === 'string';
  return isOne && typeof find === 'function' && typeof byId === 'function'
    ? undefined
    : 'is not a search: it needs kind, in lower-case words joined with -, permission and find';
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** `CONTACT`, `[NOTE]`, `FILE...` or `[FILE...]` */
const ARGUMENT = /^(\[[A-Z][A-Z0-9-]*(\.\.\.)?\]|[A-Z][A-Z0-9-]*(\.\.\.)?)$/;
/** Flags that every command has. */
const COMMON_FLAGS = ['json', 'url', 'help', 'version'];

export function faultOfCommand(value: unknown, plugin: string): string | undefined {
  const { verb, summary, args = [], flags, run } = asRecord(value);
  if (typeof verb !== 'string' || !NAME.test(verb)) return 'is not a command: its verb must be lower-case words joined with -';
  if (typeof summary !== 'string' || summary.trim() === '' || !isFunction(run)) return 'is not a command: it needs summary and run';
  if ((ownCommands as readonly string[]).includes(plugin))
    return `cannot be called: 'posthorn ${plugin}' is a command of Posthorn; give the plugin another name`;
  if (!isListOfStrings(args) || !args.every((arg) => ARGUMENT.test(arg)))
    return 'must list its args in upper case, such as CONTACT, [NOTE] or FILE...';
  const isInOrder = args.every(
    (arg, i) => i === 0 || (!args[i - 1]!.includes('...') && (arg.startsWith('[') || !args[i - 1]!.startsWith('['))),
  );
  if (!isInOrder) return 'must list args that may be missing after the others, and one that repeats at the end';
  if (flags === undefined) return undefined;
  if (!isDescribed(flags) || (flags as { type?: string }).type !== 'object')
    return 'has invalid flags: use an object schema of joi 18, the version that posthorn uses';
  for (const { name, help } of flagsOf(value as PluginCommand)) {
    if (!NAME.test(name)) return `has the flag '${name}': use lower-case words joined with -`;
    if (COMMON_FLAGS.includes(name)) return `has the flag '${name}', which every command has: give it another name`;
    if (help === '') return `has no help for the flag '${name}': add .description('…') to its schema`;
  }
  return undefined;
}

/** `GET /night-mail/letters/{uuid}` */
const PAGE_CALL = /^(GET|POST|PUT|PATCH|DELETE) (\/([a-z0-9_-]+|\{[a-z_]+\}))+$/i;

export function faultOfPage(value: unknown): string | undefined {
  const { name, title, place = 'menu', calls = [], events = [], html } = asRecord(value);
  if (typeof name !== 'string' || !NAME.test(name)) return 'is not a page: its name must be lower-case words joined with -';
  if (typeof title !== 'string' || title.trim() === '' || !isFunction(html)) return 'is not a page: it needs title and html';
  if (!(pagePlaces as readonly unknown[]).includes(place)) return `has an unknown place; places are ${pagePlaces.join(', ')}`;
  if (!isListOfStrings(calls) || !calls.every((call) => PAGE_CALL.test(call)))
    return 'must list its calls as method and path below /admin/v1, such as GET /night-mail/letters/{uuid}';
  return isListOfStrings(events) && !events.includes('') ? undefined : 'must list its events as names';
}

export const faultOfCheck = (value: unknown): string | undefined => (isFunction(value) ? undefined : 'is not a function');

export const faultOfSendHook = (value: unknown): string | undefined =>
  isFunction(value) || (isObject(value) && isFunction(value.check) && Object.keys(value).length === 1)
    ? undefined
    : 'is not a function, and not an object { check } with a function';

export const faultOfRoot = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith('/') ? undefined : 'is not a path: it must begin with /';

export const faultOfNeed = (value: unknown): string | undefined =>
  typeof (isFunction(value) ? (value as Partial<Plugin>).manifest?.name : value) === 'string'
    ? undefined
    : 'is not a plugin: use its name, or the function that `definePlugin` returned';

export const faultOfName = (value: unknown): string | undefined => (typeof value === 'string' ? undefined : 'is not the name of a plugin');

/** `loyalty`, or `loyalty.<name>` */
export function faultOfService(value: unknown, plugin: string): string | undefined {
  const { name } = asRecord(value);
  if (typeof name !== 'string') return 'is not a service, as `service` returns it';
  const [owner, ...rest] = name.split('.');
  const isOwn = owner === plugin && rest.length <= 1 && rest.every((word) => NAME.test(word));
  return isOwn ? undefined : `is the service '${name}': a plugin offers services under its own name, '${plugin}' or '${plugin}.<name>'`;
}

export function faultOfOffer(value: unknown): string | undefined {
  const { service, implementation } = asRecord(value);
  const isOffer = typeof asRecord(service).name === 'string' && (isRecord(implementation) || isFunction(implementation));
  return isOffer ? undefined : 'is not an offer, as `offer(service, implementation)` returns it';
}

export const faultOfEvent = (value: unknown): string | undefined =>
  typeof asRecord(value).name === 'string' && asRecord(value).name !== '' ? undefined : 'is not an event, as `event` returns it';

export const faultOfTask = (value: unknown): string | undefined =>
  asRecord(value).module instanceof URL && typeof asRecord(value).name === 'string' ? undefined : 'is not a task, as `task` returns it';

const isListOfStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isRecord = (value: unknown): value is UnknownRecord => typeof value === 'object' && value !== null && !Array.isArray(value);
const asRecord = (value: unknown): UnknownRecord => (typeof value === 'object' && value !== null ? (value as UnknownRecord) : {});
const isFunction = (value: unknown, isOptional = false): boolean => typeof value === 'function' || (isOptional && value === undefined);
const isPositiveInteger = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const isPositiveOrInfinite = (value: unknown): boolean => isPositiveInteger(value) || value === Number.POSITIVE_INFINITY;

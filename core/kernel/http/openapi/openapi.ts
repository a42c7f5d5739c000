import type Joi from 'joi';
import { answersOf, type DeclaredAnswer } from '../../../contract/answers.js';
import { CAUSE_HEADER } from '../../../contract/cause.js';
import type { Payload } from '../../../contract/payload.js';
import type { ErrorShape } from '../../../contract/plugin.js';
import type { Route } from '../../../contract/route.js';
import type { Dialect } from '../../../dialect.js';
import { examplesOf, type JsonSchema } from '../../../shape.js';
import { contentOf } from './content.js';
import { errorExamples } from './errors.js';
import { requestSchemaOf } from './schema.js';
import { shared } from './shared.js';
import { type FieldsOf, webhooksOf } from './webhooks.js';

/** The routes of one area, which the OpenAPI document groups under one tag. */
export interface DescribedArea {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly errors: ErrorShape | undefined;
  /** The requests that the area sends to endpoints of customers. */
  readonly payloads: readonly Payload[];
}

export interface DescriptionOptions {
  readonly areas: readonly DescribedArea[];
  readonly title: string;
  readonly version: string;
  /** The base URL of the platform, including the route prefix. */
  readonly url: string;
  /** The path prefix of every route. */
  readonly below: string;
  /** Whether bodies with keys that no schema names are refused. */
  readonly strict: boolean;
  readonly dialect: Dialect;
  /** The fields that plugins add to the bodies of a subscription. */
  readonly fieldsOf?: FieldsOf;
  /** The security scheme of the calls. */
  readonly security: { readonly name: string; readonly description: string };
}

type Operation = Record<string, unknown>;

/** Describes routes as an OpenAPI 3.1 document, from the schemas that validate their requests and responses. */
export function describeApi({
  areas,
  title,
  version,
  url,
  below,
  strict,
  dialect,
  fieldsOf = () => [],
  security,
}: DescriptionOptions): object {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { name, routes, errors } of areas) {
    for (const route of routes) {
      // OpenAPI has no parameters that span several segments.
      const path = `${below}${route.path}`.replace(/\{(\w+)[?*]\}/g, '{$1}');
      paths[path] = {
        ...paths[path],
        [route.method.toLowerCase()]: operationOf(route, { path, area: name, errors, scheme: security.name, strict }),
      };
    }
  }
  const used = areas.filter(({ routes, payloads }) => routes.length > 0 || payloads.length > 0);
  const webhooks = webhooksOf(areas, dialect, fieldsOf);
  return shared({
    openapi: '3.1.0',
    info: { title, version, license: { name: 'MIT', identifier: 'MIT' } },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url }],
    tags: used.map(({ name }) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    components: {
      securitySchemes: { [security.name]: { type: 'http', scheme: 'bearer', description: security.description } },
    },
  });
}

interface DescribeOptions {
  readonly path: string;
  readonly area: string;
  readonly errors: ErrorShape | undefined;
  readonly scheme: string;
  readonly strict: boolean;
}

function operationOf(route: Route, { path, area, errors, scheme, strict }: DescribeOptions): Operation {
  const { method, summary, auth = 'bearer', permission, request = {} } = route;
  const parameters = [...pathParameters(path, request.params), ...queryParameters(request.query)];
  const isGuarded = auth !== 'none';
  return {
    operationId: operationId(method, path),
    summary,
    tags: [area],
    ...(permission !== undefined && { 'x-permission': permission }),
    security: isGuarded ? [{ [scheme]: [] }, ...(auth === 'optional' ? [{}] : [])] : [],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route, strict),
    responses: Object.fromEntries(
      [...answersOf(route, errors)].map(([status, answer]) => [String(status), responseOf(status, answer, route, { path, errors })]),
    ),
  };
}

const operationId = (method: string, path: string): string => {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const slash = path.endsWith('/') ? 'Slash' : '';
  return `${method.toLowerCase()}${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}${slash}`;
};

function pathParameters(path: string, params: Joi.ObjectSchema | undefined): object[] {
  const { properties = {} } = (params ? requestSchemaOf(params, { hasNulls: false }) : {}) as { properties?: Record<string, JsonSchema> };
  return [...path.matchAll(/\{(\w+)[?*]?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: properties[name!] ?? { type: 'string' },
  }));
}

function queryParameters(query: Joi.ObjectSchema | undefined): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = requestSchemaOf(query, { hasNulls: false }) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }));
}

function bodyOf({ method, body, files, text, request = {} }: Route, strict: boolean): object {
  if (method === 'GET' || (!request.payload && body !== 'bytes')) return {};
  if (!request.payload || body === 'bytes') {
    const parts = files && {
      schema: { type: 'object', properties: Object.fromEntries(files.map((name) => [name, BINARY])), required: files },
    };
    return { requestBody: { required: true, content: parts ? { 'multipart/form-data': parts } : { '*/*': { schema: BINARY } } } };
  }
  // A missing body is read as null.
  const required = request.payload.validate(null).error !== undefined;
  const describe = (schema: Joi.Schema): JsonSchema => requestSchemaOf(schema, { strict });
  const plain = text && { [text.contentType]: { schema: { type: 'string', description: `The text becomes ${text.field}.` } } };
  return { requestBody: { required, content: { 'application/json': contentOf([request.payload], { describe }), ...plain } } };
}

/** Bytes. OpenAPI 3.1 has no schema for them, but the generators of clients know this one of 3.0. */
const BINARY = { type: 'string', format: 'binary' };

/** A body that is not JSON. */
const otherContent = (contentType: string): object => ({
  [contentType]: contentType === 'application/json' ? {} : { schema: contentType.startsWith('text/') ? { type: 'string' } : BINARY },
});

function responseOf(
  status: number,
  answer: DeclaredAnswer,
  { method, numbers, request = {}, errorPage }: Route,
  { path, errors }: Pick<DescribeOptions, 'path' | 'errors'>,
): object {
  const headers = {
    'x-request-id': { description: 'The id of the request in the log', schema: { type: 'string' } },
    ...(status >= 400 && {
      [CAUSE_HEADER]: { description: 'Why the call is refused, as the page of causes lists it', schema: { type: 'string' } },
    }),
    ...((status === 429 || status >= 500) && {
      'retry-after': { description: 'Seconds to wait before a retry', schema: { type: 'string' } },
    }),
  };
  const description = descriptions[status] ?? (status < 400 ? 'OK' : 'Error');
  if ('contentType' in answer) return { description, headers, content: otherContent(answer.contentType) };
  const failing = { method, path, numbers, field: () => fieldOf(request) };
  const hasOwn = answer.some((schema) => Object.keys(examplesOf(schema)).length > 0);
  const more = status < 400 || hasOwn ? {} : errorExamples(status, failing, errors);
  const page = errorPage && status >= 400 ? otherContent('text/html') : {};
  return { description, headers, content: { 'application/json': contentOf(answer, { more }), ...page } };
}

/** The path of the first required field of the body, or of the query for a route without a body; undefined if no field is required. */
function fieldOf({ payload, query }: NonNullable<Route['request']>): string[] | undefined {
  const schema = payload ?? query;
  if (!schema) return undefined;
  const { required: [first] = [], properties = {} } = requestSchemaOf(schema) as {
    required?: readonly string[];
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  if (first === undefined) return undefined;
  const [inner] = (properties[first]?.required as readonly string[] | undefined) ?? [];
  return inner === undefined ? [first] : [first, inner];
}

const descriptions: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted; processed asynchronously',
  400: 'Invalid request; the response body says why',
  401: 'Missing or invalid token',
  403: 'Not allowed for this caller or this kind of number',
  404: 'Not found, or not visible to this caller',
  408: 'The body arrived too slowly; the connection is closed',
  409: 'Conflicts with the current state',
  413: 'The body is too large',
  415: 'Unsupported content type',
  416: 'Requested range not satisfiable',
  429: 'Rate limit exceeded; see Retry-After',
  500: 'Internal error; search the log for the request id',
  503: 'Temporarily unavailable; see Retry-After',
};

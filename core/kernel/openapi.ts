import type Joi from 'joi';
import { answersOf, type DeclaredAnswer } from '../contract/answers.js';
import type { ErrorShape } from '../contract/plugin.js';
import type { Route } from '../contract/route.js';
import { type JsonSchema, jsonSchemaOf } from '../shape.js';
import { exampleOf } from './openapi-example.js';
import { requestSchemaOf } from './openapi-request.js';
import { shared } from './openapi-shared.js';

/** Routes of one area, as the description of the API groups them. */
export interface DescribedArea {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly errors: ErrorShape | undefined;
}

export interface DescriptionOptions {
  readonly areas: readonly DescribedArea[];
  readonly title: string;
  readonly version: string;
  /** Where the platform is, with its prefix. */
  readonly url: string;
  /** Before the path of every route. */
  readonly below: string;
  /** Whether bodies with keys that no schema names are refused. */
  readonly strict: boolean;
  /** How a call says who makes it. */
  readonly security: { readonly name: string; readonly description: string };
}

type Operation = Record<string, unknown>;

/** An OpenAPI 3.1 document of routes, made from the schemas that requests and answers are checked with. */
export function describeApi({ areas, title, version, url, below, strict, security }: DescriptionOptions): object {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { name, routes, errors } of areas) {
    for (const route of routes) {
      const path = `${below}${route.path}`;
      paths[path] = {
        ...paths[path],
        [route.method.toLowerCase()]: operationOf(route, { path, area: name, errors, scheme: security.name, strict }),
      };
    }
  }
  const used = areas.filter(({ routes }) => routes.length > 0);
  return shared({
    openapi: '3.1.0',
    info: { title, version, license: { name: 'MIT', identifier: 'MIT' } },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url }],
    tags: used.map(({ name }) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
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
  const { method, summary, auth = 'bearer', request = {} } = route;
  const parameters = [...pathParameters(path, request.params), ...queryParameters(request.query)];
  const isGuarded = auth !== 'none';
  return {
    operationId: operationId(method, path),
    summary,
    tags: [area],
    security: isGuarded ? [{ [scheme]: [] }, ...(auth === 'optional' ? [{}] : [])] : [],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route, strict),
    responses: Object.fromEntries(
      [...answersOf(route, errors)].map(([status, answer]) => [String(status), responseOf(status, answer, route.errorPage !== undefined)]),
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

function bodyOf({ method, body, request = {} }: Route, strict: boolean): object {
  if (method === 'GET' || (!request.payload && body !== 'bytes')) return {};
  if (!request.payload || body === 'bytes') return { requestBody: { required: true, content: { '*/*': {} } } };
  const schema = requestSchemaOf(request.payload, { strict });
  // No body is read as null.
  const required = request.payload.validate(null).error !== undefined;
  return { requestBody: { required, content: { 'application/json': { schema, example: exampleOf(schema) } } } };
}

function responseOf(status: number, answer: DeclaredAnswer, hasPage: boolean): object {
  const headers = {
    'x-request-id': { description: 'What the request is called in the log', schema: { type: 'string' } },
    ...((status === 429 || status >= 500) && { 'retry-after': { description: 'Seconds', schema: { type: 'string' } } }),
  };
  const description = words[status] ?? (status < 400 ? 'Done' : 'Refused');
  if ('contentType' in answer) return { description, headers, content: { [answer.contentType]: {} } };
  const schemas = answer.map(jsonSchemaOf);
  const page = hasPage && status >= 400 ? { 'text/html': {} } : {};
  return {
    description,
    headers,
    content: { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } }, ...page },
  };
}

const words: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Taken, and done later',
  400: 'The request cannot be used as it is; the answer says why',
  401: 'No token, or one that is not valid',
  403: 'Not for this caller, or not for this kind of number',
  404: 'There is no such thing, or not for this caller',
  409: 'Not possible in the present state',
  413: 'The body is too large',
  415: 'The body is of a type that is not taken',
  416: 'The file has none of the bytes that were asked for',
  429: 'Too many calls; Retry-After says when to try again',
  500: 'Our own fault; the log has it under the id of the request',
  503: 'Not possible at the moment; Retry-After says when to try again',
};

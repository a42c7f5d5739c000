import { dereference, type Schema, validate } from '@cfworker/json-schema';
import type { Tap } from '#core/testing';
import { startPlatform } from '#core/testing';
import { everyPlugin } from '../../scripts/docs/everything.js';

/** An OpenAPI document, as far as tests look at it. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
type PathItem = Readonly<Record<string, Operation>>;
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>;
}
export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Documents = Readonly<Record<'api' | 'admin', OpenApi>>;

let received: Promise<Documents> | undefined;

/** The two documents of a platform with every plugin, as clients receive them. All tests of a process share them. */
export const bothDocuments = (t: Tap): Promise<Documents> => (received ??= receiveDocuments(t));

async function receiveDocuments(t: Tap): Promise<Documents> {
  const { call, admin } = await startPlatform(t, { plugins: await everyPlugin() });
  const [api, ofAdmin] = await Promise.all([call('GET', '/openapi.json'), admin('GET', '/openapi.json')]);
  return { api: api.body, admin: ofAdmin.body };
}

/** Every operation and webhook of a document, with a name for messages of tests. */
export const operationsOf = ({ paths, webhooks = {} }: OpenApi): (readonly [name: string, operation: Operation])[] =>
  Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );

/** Every JSON body of an operation: the request and each answer. */
export const bodiesOf = ({ requestBody, responses }: Operation): (readonly [name: string, body: MediaType])[] =>
  [['request', requestBody] as const, ...Object.entries(responses).map(([status, response]) => [status, response] as const)].flatMap(
    ([name, part]) => {
      const body = part?.content?.['application/json'];
      return body?.schema ? [[name, body] as const] : [];
    },
  );

/** The examples of a body, by their names. */
export const examplesOf = ({ example, examples = {} }: MediaType): Record<string, unknown> => ({
  ...(example !== undefined && { example }),
  ...Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value])),
});

/** The schemas of each document by their URIs. Indexing a document takes longer than a thousand validations. */
const indexes = new WeakMap<OpenApi, ReturnType<typeof dereference>>();
let indexed = 0;

/** Returns what is wrong with a value by a schema of the document; undefined when nothing is. */
export function faultBy(document: OpenApi, schema: Schema): (value: unknown) => string | undefined {
  const index = indexes.get(document) ?? dereference({ components: document.components } as Schema);
  indexes.set(document, index);
  dereference(schema, index, undefined, `/bodies/${++indexed}`);
  return (value) => {
    const { valid, errors } = validate(value, schema, '2020-12', index);
    return valid ? undefined : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join('; ');
  };
}

import t from 'tap';
import { bothDocuments, type OpenApi } from './documents.js';

/** Rules without which generators of clients fail, or make types that are hard to use. The long tests run three generators. */

/** Keywords whose values are data and contain no schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

type Node = Readonly<Record<string, unknown>>;
interface Place {
  readonly path: string;
  readonly schema: Node;
}

/** Every object of a document that may be a schema, with its place. */
function schemasIn(document: OpenApi): Place[] {
  const found: Place[] = [];
  const visit = (node: unknown, path: string, isProperties: boolean): void => {
    if (Array.isArray(node)) for (const [i, part] of node.entries()) visit(part, `${path}/${i}`, false);
    else if (typeof node === 'object' && node !== null) {
      if (!isProperties) found.push({ path, schema: node as Node });
      for (const [key, part] of Object.entries(node))
        if (isProperties || !DATA.has(key)) visit(part, `${path}/${key}`, !isProperties && key === 'properties');
    }
  };
  visit(document, '', false);
  return found;
}

const typesOf = ({ type }: Node): unknown[] => [type].flat();

const isNamed = (part: Node): boolean => '$ref' in part || typeof part.title === 'string' || part.type === 'null';

const rules: Readonly<Record<string, (schema: Node) => boolean>> = {
  'every part of an anyOf or oneOf has a name': ({ anyOf, oneOf }) =>
    [anyOf ?? [], oneOf ?? []].flat().every((part) => isNamed(part as Node)),
  'objects in an anyOf are schemas of their own': ({ anyOf }) =>
    !Array.isArray(anyOf) || anyOf.every((part: Node) => '$ref' in part || !typesOf(part).includes('object')),
  'no two members of an enum differ only in case': ({ enum: values }) => {
    const words = Array.isArray(values) ? values.map((value) => String(value).toLowerCase()) : [];
    return new Set(words).size === words.length;
  },
  'objects without declared members say that they take any': (schema) =>
    !typesOf(schema).includes('object') ||
    schema.properties !== undefined ||
    schema.patternProperties !== undefined ||
    (schema.additionalProperties !== undefined && JSON.stringify(schema.additionalProperties) !== '{}'),
  'named members fit the schema of all other members, or it has a place of its own': ({ properties, additionalProperties }) =>
    properties === undefined || typeof additionalProperties !== 'object',
};

for (const [rule, holds] of Object.entries(rules))
  t.test(rule, async (t) => {
    for (const [part, document] of Object.entries(await bothDocuments(t))) {
      const all = schemasIn(document);
      t.ok(all.length > 1_000, `${all.length} objects`);
      const broken = all
        .filter(({ schema }) => !holds(schema))
        .map(({ path, schema }) => `${path} ${JSON.stringify(schema).slice(0, 200)}`);
      t.strictSame(broken, [], part);
    }
  });

t.test('every rule finds what breaks it', async (t) => {
  const broken: Readonly<Record<string, Node>> = {
    'every part of an anyOf or oneOf has a name': { anyOf: [{ $ref: '#/a' }, { type: 'string' }] },
    'objects in an anyOf are schemas of their own': { anyOf: [{ title: 'A', type: ['object', 'null'], properties: {} }] },
    'no two members of an enum differ only in case': { enum: ['body', 'BODY'] },
    'objects without declared members say that they take any': { type: 'object' },
    'named members fit the schema of all other members, or it has a place of its own': {
      properties: {},
      additionalProperties: { type: 'string' },
    },
  };
  t.strictSame(Object.keys(broken), Object.keys(rules));
  for (const [rule, schema] of Object.entries(broken)) t.notOk(rules[rule]!(schema), rule);
});

t.test('bodies that are not JSON have a schema, and multipart bodies name their parts', async (t) => {
  const { api, admin } = await bothDocuments(t);
  for (const { paths } of [api, admin])
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { requestBody, responses }] of Object.entries(methods))
        for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)] as {
          content?: Record<string, { schema?: object }>;
        }[])
          for (const [type, { schema }] of Object.entries(content))
            t.ok(schema !== undefined || type === 'application/json', `${method} ${path} ${type}`);
  t.strictSame(api.paths['/v1/flows/{flow_id}/assets']?.post?.requestBody?.content, {
    'multipart/form-data': {
      schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] },
    },
  });
});

t.test('the fields that a listed flow always has are required', async (t) => {
  const { api } = await bothDocuments(t);
  t.match(api.components.schemas.Flow, { required: ['id', 'name', 'status'] });
});

import t from 'tap';
import { array, integer, named, object, oneOf, route, string } from '#core';
import { dialectOf } from '../../core/dialect.js';
import { describeApi } from '../../core/kernel/http/openapi/openapi.js';
import { bothDocuments, type OpenApi, operationsOf } from './documents.js';

/** Matches names other than words in PascalCase; generated names end with a number. */
const madeNames = ({ components }: OpenApi): string[] => Object.keys(components.schemas).filter((name) => !/^([A-Z][a-z]+)+$/.test(name));

t.test('every schema has a declared name in PascalCase, and none a number', async (t) => {
  for (const [part, document] of Object.entries(await bothDocuments(t))) {
    t.ok(Object.keys(document.components.schemas).length > 60, part);
    t.strictSame(madeNames(document), [], part);
  }
});

t.test('document and sticker have schemas of their own, in both directions', async (t) => {
  const { api } = await bothDocuments(t);
  const { ReceivedMessage, ConnectorMessage, NewMessage, SentEvent } = api.components.schemas;
  for (const type of ['Document', 'Sticker']) {
    for (const [schema, name] of [
      [ReceivedMessage, `Received${type}`],
      [ConnectorMessage, `Connector${type}`],
      [NewMessage, `${type}Content`],
      [SentEvent, `Sent${type}`],
    ] as const) {
      t.ok(name in api.components.schemas, name);
      t.ok(JSON.stringify(schema).includes(`"#/components/schemas/${name}"`), `${name} is referred to`);
    }
  }
});

const documentWith = (responses: Parameters<typeof route>[0]['responses'], payload = object({})): OpenApi => {
  const described = route({ method: 'POST', path: '/a', summary: 'A', request: { payload }, responses, handler: () => null });
  return describeApi({
    areas: [{ name: 'a', routes: [described], errors: undefined, payloads: [] }],
    ...{ title: 'A', version: '1', url: 'http://a.test', below: '', strict: false, dialect: dialectOf() },
    security: { name: 'token', description: 'a token' },
  }) as OpenApi;
};

t.test('two different schemas of one name are found: the second gets a number', (t) => {
  const [one, other] = [named('Thing', object({ a: string() })), named('Thing', object({ b: integer() }))];
  t.strictSame(madeNames(documentWith({ 200: one })), []);
  t.strictSame(madeNames(documentWith({ 200: object({ one, other }) })), ['Thing2']);
  t.end();
});

t.test('a schema is written once wherever it occurs, and null beside it', (t) => {
  const thing = named('Thing', object({ a: string() }));
  const document = documentWith({ 200: object({ one: thing, many: array(thing), none: thing.allow(null) }) });
  const reference = { $ref: '#/components/schemas/Thing' };
  const [[, { responses }]] = operationsOf(document) as [ReturnType<typeof operationsOf>[0]];
  t.match(responses['200']?.content?.['application/json']?.schema, {
    properties: { one: reference, many: { items: reference }, none: { anyOf: [reference, { type: 'null' }] } },
  });
  t.strictSame(Object.keys(document.components.schemas), ['Errors', 'NotSupported', 'Thing']);
  t.end();
});

t.test('a schema whose requests may have nulls for absent fields has a second name there', (t) => {
  const thing = named('Thing', object({ a: string() }, { b: string() }));
  const { components } = documentWith({ 200: object({ thing }) }, object({ thing }));
  t.match(components.schemas.Thing, { additionalProperties: false, properties: { b: { type: 'string' } } });
  t.match(components.schemas.ThingInput, { properties: { b: { type: ['string', 'null'] } } });
  t.end();
});

t.test('a property named like a keyword of JSON Schema is described like any other', (t) => {
  const inner = named('Inner', object({ kind: oneOf('a') }));
  const { components } = documentWith({ 200: named('Outer', object({ default: inner, examples: array(inner) })) });
  t.match(components.schemas.Outer, {
    properties: { default: { $ref: '#/components/schemas/Inner' }, examples: { items: { $ref: /Inner$/ } } },
  });
  t.end();
});

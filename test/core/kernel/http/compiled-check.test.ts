import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import Joi from 'joi';
import t from 'tap';
import { anyOf, anyString, array, httpUrl, integer, nullable, object, oneOf, record, string, stringUpTo } from '#core';
import { compiledCheck } from '../../../../core/kernel/http/compiled-check.js';
import { bodySchemaOf } from '../../../../core/kernel/http/request-schemas.js';
import { everything } from '../../../../scripts/docs/everything.js';
import { fitting } from '../../../../scripts/fuzz/fitting.js';
import { type Json, mutated, mutations } from '../../../../scripts/fuzz/mutations.js';
import { runs } from '../../../forms.js';

const PREFERENCES: Joi.ValidationOptions = { convert: false, stripUnknown: { objects: true }, allowUnknown: true };

const compiled = (schema: Joi.Schema) => compiledCheck(schema.prefs(PREFERENCES));

t.test('a compiled check takes valid values that joi leaves as they are, and no others', async (t) => {
  // biome-ignore lint/suspicious/noThenProperty: the word of joi's own interface
  const whenText = Joi.when('type', { is: 'text', then: object({ body: string() }).required(), otherwise: Joi.any().strip() });
  const schema = object(
    { type: oneOf('text', 'none'), count: integer().min(1).max(3) },
    { text: whenText, name: nullable(stringUpTo(3)), list: array(anyOf(integer(), string())).max(2), more: record(anyString()) },
  );
  const check = compiledCheck(schema.prefs(PREFERENCES))!;
  const base = { type: 'none', count: 1 };
  const cases: [value: unknown, isTaken: boolean][] = [
    [base, true],
    [{ ...base, name: null, list: [1, 'a'], more: { a: '' } }, true],
    [{ type: 'text', count: 3, text: { body: 'hi' } }, true],
    [{ ...base, name: 'abc' }, true],
    [{ ...base, name: 'abcd' }, false],
    [{ ...base, name: '' }, false],
    [{ ...base, count: 1.5 }, false],
    [{ ...base, count: 4 }, false],
    [{ ...base, count: '1' }, false],
    [{ ...base, unknown: 1 }, false],
    [{ ...base, text: { body: 'stripped by joi' } }, false],
    [{ type: 'text', count: 1 }, false],
    [{ type: 'text', count: 1, text: { body: '' } }, false],
    [{ ...base, list: [1, 2, 3] }, false],
    [{ ...base, list: [null] }, false],
    [{ ...base, more: { a: 1 } }, false],
    [{ count: 1 }, false],
    [null, false],
    [[base], false],
    ['text', false],
  ];
  for (const [value, isTaken] of cases) t.equal(check(value), isTaken, JSON.stringify(value));
});

t.test('limits of characters count code points, so short ids and emoji need no joi', async (t) => {
  const check = compiled(object({ id: stringUpTo(6, 3) }))!;
  const face = '\u{1F600}';
  const cases = {
    ab: false,
    abc: true,
    abcdef: true,
    abcdefg: false,
    [face.repeat(2)]: false,
    [face.repeat(6)]: true,
    [face.repeat(7)]: false,
  };
  for (const [id, isTaken] of Object.entries(cases)) t.equal(check({ id }), isTaken, id);
});

t.test('a condition that joi meets only after a conversion is not missed', async (t) => {
  // biome-ignore lint/suspicious/noThenProperty: the word of joi's own interface
  const body = Joi.when('type', { is: oneOf('text').insensitive(), then: string().required(), otherwise: Joi.any() });
  const schema = object({ type: string() }, { body });
  const check = compiledCheck(schema.prefs(PREFERENCES))!;
  for (const value of [{ type: 'text' }, { type: 'TEXT' }, { type: 'TEXT', body: 'a' }, { type: 'none' }])
    t.equal(check(value), schema.validate(value, PREFERENCES).error === undefined, JSON.stringify(value));
});

t.test('rules of an object, checks in code and addresses are compiled, or left to joi', async (t) => {
  const either = compiled(object({}, { id: string(), link: httpUrl() }).xor('id', 'link'))!;
  t.strictSame([{ id: 'a' }, { link: 'https://a.test/x' }, { link: 'no address' }, {}, { id: 'a', link: 'https://a.test/' }].map(either), [
    true,
    true,
    false,
    false,
    false,
  ]);
  const even = compiled(Joi.number().custom((value, { error }) => (value % 2 === 0 ? value : error('any.invalid'))))!;
  t.strictSame([2, 3].map(even), [true, false]);
  const doubled = compiled(Joi.number().custom((value) => value * 2))!;
  t.equal(doubled(2), false, 'joi would change it');
  const curious = compiled(Joi.number().custom((value, { state }) => (state.path ? value : value)))!;
  t.equal(curious(2), false, 'the check asks for more than the value');
});

t.test('a condition on the kind of the value itself is compiled, if joi and the check decide alike', async (t) => {
  // biome-ignore lint/suspicious/noThenProperty: the word of joi's own interface
  const either = (is: Joi.Schema, yes: Joi.Schema, no: Joi.Schema) => Joi.alternatives().conditional(is, { then: yes, otherwise: no });
  const small = Joi.number().max(9);
  const check = compiled(
    object(
      {},
      {
        a: either(Joi.object(), Joi.object({ id: small }), Joi.string()),
        b: either(Joi.array(), array(small), Joi.any()),
        c: either(Joi.number(), small, Joi.any()),
      },
    ),
  )!;
  const cases: [value: unknown, isTaken: boolean][] = [
    [{ a: { id: 1 }, b: [1], c: 1 }, true],
    [{ a: 'x', b: {}, c: 'x' }, true],
    [{}, true],
    [{ a: { id: 10 } }, false],
    [{ a: { other: 1 } }, false],
    [{ a: [] }, false],
    [{ a: null }, false],
    [{ b: [10] }, false],
    [{ c: 10 }, false],
    [{ c: -0 }, false],
    // joi: neither is a number.
    [{ c: Number.POSITIVE_INFINITY }, true],
    [{ c: 2 ** 60 }, true],
  ];
  for (const [value, isTaken] of cases) t.equal(check(value), isTaken, JSON.stringify(value));
  const unsafe = compiled(Joi.number().unsafe())!;
  t.strictSame([1, 2 ** 60, -0, Number.NaN, '1'].map(unsafe), [true, true, false, false, false]);
  for (const is of [Joi.object({ id: Joi.any() }), Joi.array().max(1), Joi.number().unsafe(), Joi.any().valid(1), Joi.string()])
    t.equal(compiled(either(is, small, Joi.string())), undefined, 'another kind of condition is not compiled');
});

t.test('a compiled check respects the order in which joi tries, the fields that it reads and its conversions', async (t) => {
  const branches = (is: Joi.Schema | string, then: Joi.Schema, otherwise = Joi.any()) => ({ is, then, otherwise });
  const when = (type: Joi.Schema, is: Joi.Schema, then: Joi.Schema) => object({}, { type, b: Joi.when('type', branches(is, then)) });
  const cases: [name: string, schema: Joi.Schema, value: object][] = [
    [
      'the first of two objects strips a key',
      object({}, { a: anyOf(object({ id: string() }), object({ id: string() }, { name: string() })) }),
      { a: { id: 'a', name: 'b' } },
    ],
    [
      'the first of two objects strips all keys',
      object({}, { a: anyOf(object({}, { id: string() }), object({}, { name: string() })) }),
      { a: { name: 'b' } },
    ],
    [
      'a condition on a number that joi converts',
      when(Joi.any(), Joi.number().valid(1).prefs({ convert: true }), Joi.number()),
      { type: '1', b: 'x' },
    ],
    [
      'a forbidden field with a condition',
      Joi.object({ type: Joi.any(), b: Joi.forbidden().when('type', branches('a', Joi.any(), Joi.forbidden())) }),
      { type: 'z', b: 1 },
    ],
    [
      'a required field that a branch strips',
      Joi.object({ type: Joi.any(), b: Joi.any().when('type', branches('a', Joi.any().strip())).required() }),
      { type: 'a' },
    ],
    [
      'a condition of an item, whose parent is the list',
      Joi.object({ type: Joi.any(), b: Joi.array().items(Joi.when('type', branches('a', Joi.string(), Joi.number()))) }),
      { type: 'a', b: ['x'] },
    ],
    ['two patterns that fit one key', Joi.object().pattern(/^a/, Joi.number()).pattern(/^ab/, Joi.string()), { abc: 'x' }],
    ['a pattern beside unknown keys', Joi.object().pattern(/^a/, Joi.number()).unknown(), { abc: 'x' }],
    ['a field with the name of an inherited property', Joi.object({ constructor: Joi.any().required() }), {}],
    ['a number that joi rounds to another zero', object({}, { a: Joi.number().multiple(2) }), { a: -0 }],
    [
      'a check that reads more than the value',
      object(
        {},
        { a: Joi.any().custom((value, helpers) => ((helpers as unknown as { original: unknown }).original === 1 ? value + 1 : value)) },
      ),
      { a: 1 },
    ],
  ];
  for (const [name, schema, value] of cases) {
    const check = compiled(schema);
    const { error, value: result } = schema.prefs(PREFERENCES).validate(structuredClone(value));
    if (check?.(value)) t.ok(!error && isDeepStrictEqual(result, value), name);
    else t.pass(name);
  }
  t.equal(compiledCheck(object({}, { a: Joi.string().isoDate() })), undefined, 'a schema that converts is not compiled');
});

t.test('a schema with parts that are not known is not compiled', async (t) => {
  const schemas: Joi.Schema[] = [
    Joi.date(),
    object({}, { a: Joi.number().default(1) }),
    object({}, { a: Joi.string().empty('') }),
    Joi.object({ a: Joi.number(), b: Joi.number().min(Joi.ref('a')) }),
    Joi.object().rename('a', 'b'),
    Joi.array().ordered(Joi.string()),
    Joi.alternatives().match('one').try(Joi.string(), Joi.number()),
    Joi.object({ a: Joi.any().valid(Joi.ref('b')), b: Joi.any() }),
    object({}, { a: Joi.string().prefs({ convert: true }) }),
  ];
  for (const schema of schemas) t.equal(compiled(schema), undefined, JSON.stringify(schema.describe()).slice(0, 100));
});

t.test('for every route, a compiled check never takes a body that joi refuses or changes', async (t) => {
  const HOT = [
    'POST /v1/messages',
    'POST /v1/numbers/{number_uuid}/messages',
    'POST /v1/numbers/{number_uuid}/statuses',
    'PUT /v1/messages/{message_id}',
  ];
  for (const { path, isAdmin, route } of (await everything()).routes) {
    const name = `${route.method} ${path}`;
    const schema = bodySchemaOf(route, isAdmin);
    const check = schema && compiledCheck(schema);
    if (HOT.includes(name)) t.ok(check, `${name} is compiled`);
    if (!schema || !check) continue;
    const fits = fitting(schema, () => []);
    const changed = fc.tuple(fits, mutations).map(([body, changes]) => changes.reduce<Json>(mutated, body));
    const wrong: unknown[] = [];
    let taken = 0;
    const numRuns = HOT.includes(name) ? 300 : runs(300);
    for (const made of fc.sample(fc.oneof(fits, changed), { numRuns, seed: 1 })) {
      const body = JSON.parse(JSON.stringify(made));
      const first = schema.validate(structuredClone(body));
      for (const one of first.error ? [body] : [body, first.value]) {
        if (!check(one)) continue;
        taken++;
        const { error, value } = schema.validate(structuredClone(one));
        if (error || !isDeepStrictEqual(value, one)) wrong.push(one);
      }
    }
    t.strictSame(wrong, [], `${name}: ${taken} taken`);
    if (HOT.includes(name)) t.ok(taken > 50, `${name}: ${taken} bodies are valid`);
  }
});

import Joi from 'joi';
import t from 'tap';
import { anyOf, array, integer, nullable, object, record, string } from '#core';
import { requestCheck } from '../../../../core/kernel/http/refusals.js';

const refusalOf = (check: (given: unknown) => Promise<object> | object, given: unknown): Promise<Joi.ValidationError> =>
  Promise.resolve(check(given)).then(
    () => {
      throw new Error('it is taken');
    },
    (error) => error,
  );

t.test('at most a hundred problems are reported, with the number of the others', async (t) => {
  const check = requestCheck(() => object({ list: array(integer()) }));
  const refusal = (entries: number) => refusalOf(check, { list: Array.from({ length: entries }, () => 'a') });
  t.equal((await refusal(100)).details.length, 100);
  const { details, message } = await refusal(5_000);
  t.equal(details.length, 101);
  t.match(details.at(-1), { path: [], message: '4900 more problems' });
  t.match((await refusal(101)).message, /; 1 more problem$/);
  t.match(message, /; 4900 more problems$/);
});

t.test('a null counts as an absent field, at any depth', async (t) => {
  const inner = object({ id: string() }, { note: string(), size: integer() });
  const check = requestCheck(() => object({ inner }, { name: string(), all: array(inner), either: anyOf(inner, string()) }));
  const given = {
    name: null,
    inner: { id: 'a', note: null, size: null },
    all: [{ id: 'b', note: null }],
    either: { id: 'c', note: null },
  };
  const before = structuredClone(given);
  t.strictSame(await check(given), {
    inner: { id: 'a' },
    all: [{ id: 'b' }],
    either: { id: 'c' },
  });
  t.strictSame(given, before, 'the input is not changed');
});

t.test('a null in a required field counts as a missing field', async (t) => {
  const check = requestCheck(() => object({ id: string(), inner: object({ id: string() }) }));
  const { details } = await refusalOf(check, { id: null, inner: { id: null } });
  t.match(details, [
    { path: ['id'], type: 'any.required' },
    { path: ['inner', 'id'], type: 'any.required' },
  ]);
});

t.test('a null stays where the schema accepts it, and is not removed from a list or dictionary', async (t) => {
  const check = requestCheck(() => object({}, { cleared: nullable(string()), list: array(string()), words: record(string()) }));
  t.strictSame(await check({ cleared: null, list: null }), { cleared: null });
  t.match((await refusalOf(check, { list: ['a', null] })).details, [{ path: ['list', 1], type: 'string.base' }]);
  t.match((await refusalOf(check, { words: { a: null } })).details, [{ path: ['words', 'a'], type: 'string.base' }]);
});

t.test('a null that selects a branch of a schema is removed before the branch is checked', async (t) => {
  // biome-ignore lint/suspicious/noThenProperty: joi's own interface has it
  const part = Joi.when('type', { is: Joi.valid('text'), then: object({ body: string() }, { note: string() }).required() }) as never;
  const check = requestCheck(() => object({}, { type: string(), text: part }));
  t.strictSame(await check({ type: null, text: { body: 'a', note: null } }), { text: { body: 'a' } });
});

t.test('an unknown key is refused even if it is null', async (t) => {
  const check = requestCheck(() => object({}, { name: string() }).unknown(false).label('the body'));
  t.match((await refusalOf(check, { nmae: null })).message, /nmae is not known: the body takes name/);
});

t.test('nulls are removed from a large body, too', async (t) => {
  const check = requestCheck(() => object({ list: array(object({ id: string() }, { note: string() })) }));
  const entries = Array.from({ length: 5_000 }, () => ({ id: 'a', note: null }));
  t.strictSame(await check({ list: entries }), { list: entries.map(() => ({ id: 'a' })) });
  t.match((await refusalOf(check, { list: [...entries, { id: null }] })).message, /list\[5000\].id.* is required/);
});

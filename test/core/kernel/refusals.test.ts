import Joi from 'joi';
import t from 'tap';
import { anyOf, array, integer, nullable, object, record, string } from '#core';
import { requestCheck } from '../../../core/kernel/refusals.js';

const refusalOf = (check: (given: unknown) => Promise<object>, given: unknown): Promise<Joi.ValidationError> =>
  check(given).then(
    () => {
      throw new Error('it is taken');
    },
    (error) => error,
  );

t.test('a hundred problems are named, and of more how many there are', async (t) => {
  const check = requestCheck(object({ list: array(integer()) }));
  const refusal = (entries: number) => refusalOf(check, { list: Array.from({ length: entries }, () => 'a') });
  t.equal((await refusal(100)).details.length, 100);
  const { details, message } = await refusal(5_000);
  t.equal(details.length, 101);
  t.match(details.at(-1), { path: [], message: '4900 more things are wrong' });
  t.match((await refusal(101)).message, /; 1 more thing is wrong$/);
  t.match(message, /; 4900 more things are wrong$/);
});

t.test('null counts as a field that is left out, at any depth', async (t) => {
  const inner = object({ id: string() }, { note: string(), size: integer() });
  const check = requestCheck(object({ inner }, { name: string(), all: array(inner), either: anyOf(inner, string()) }));
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
  t.strictSame(given, before, 'what was given is left as it was');
});

t.test('null in a field that is needed is a field that is missing', async (t) => {
  const check = requestCheck(object({ id: string(), inner: object({ id: string() }) }));
  const { details } = await refusalOf(check, { id: null, inner: { id: null } });
  t.match(details, [
    { path: ['id'], type: 'any.required' },
    { path: ['inner', 'id'], type: 'any.required' },
  ]);
});

t.test('null keeps its meaning where a schema takes it, and an element of a list or a dictionary is not left out', async (t) => {
  const check = requestCheck(object({}, { cleared: nullable(string()), list: array(string()), words: record(string()) }));
  t.strictSame(await check({ cleared: null, list: null }), { cleared: null });
  t.match((await refusalOf(check, { list: ['a', null] })).details, [{ path: ['list', 1], type: 'string.base' }]);
  t.match((await refusalOf(check, { words: { a: null } })).details, [{ path: ['words', 'a'], type: 'string.base' }]);
});

t.test('a null that decides which part of a body counts is left out before the part is looked at', async (t) => {
  // biome-ignore lint/suspicious/noThenProperty: the word of joi's own interface
  const part = Joi.when('type', { is: Joi.valid('text'), then: object({ body: string() }, { note: string() }).required() }) as never;
  const check = requestCheck(object({}, { type: string(), text: part }));
  t.strictSame(await check({ type: null, text: { body: 'a', note: null } }), { text: { body: 'a' } });
});

t.test('a key that is not known is refused also when it is null', async (t) => {
  const check = requestCheck(object({}, { name: string() }).unknown(false).label('the body'));
  t.match((await refusalOf(check, { nmae: null })).message, /nmae is not known: the body takes name/);
});

t.test('nulls are left out of a large body, too', async (t) => {
  const check = requestCheck(object({ list: array(object({ id: string() }, { note: string() })) }));
  const entries = Array.from({ length: 5_000 }, () => ({ id: 'a', note: null }));
  t.strictSame(await check({ list: entries }), { list: entries.map(() => ({ id: 'a' })) });
  t.match((await refusalOf(check, { list: [...entries, { id: null }] })).message, /list\[5000\].id.* is required/);
});

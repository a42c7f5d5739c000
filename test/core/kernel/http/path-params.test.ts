import fc from 'fast-check';
import Joi from 'joi';
import t from 'tap';
import { definePlugin, route } from '#core';
import { startPlatform } from '#core/testing';
import { fastPathTest } from '../../../../core/kernel/http/path-params.js';
import { anyStringUpTo, integer, object, oneOf, string, stringUpTo, uuidInPath } from '../../../../core/shape.js';
import { codePoint } from '../../../../scripts/fuzz/code-point.js';

const SMALL = '01a201ea-a0ed-7a7f-b0c5-000000000001';

t.test('the fast test passes exactly the parameters that joi would leave unchanged', async (t) => {
  const needsNoJoi = fastPathTest(object({ uuid: uuidInPath(), number: string().lowercase(), message: stringUpTo(4), flow: string() }))!;
  const plain = { uuid: SMALL, number: 'n-1', message: 'amid', flow: 'any text' };
  t.ok(needsNoJoi(plain));
  for (const other of [
    { uuid: SMALL.toUpperCase() },
    { uuid: `{${SMALL}}` },
    { uuid: SMALL.slice(1) },
    { uuid: `${SMALL}\n` },
    { number: 'N-1' },
    { number: 'É' },
    { message: 'wamid' },
    { message: '' },
    { flow: '' },
    { flow: undefined },
    { flow: 5 },
  ]) {
    t.notOk(needsNoJoi({ ...plain, ...other }), JSON.stringify(other));
  }
});

t.test('joi accepts unchanged every parameter that passes the fast test', async () => {
  for (const schema of [uuidInPath(), string().guid(), string().lowercase(), stringUpTo(4), stringUpTo(64), string()]) {
    const needsNoJoi = fastPathTest(object({ it: schema }))!;
    const value = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 80 }),
      fc.string({ maxLength: 5 }),
      fc.uuid(),
      fc.constantFrom(SMALL, SMALL.toUpperCase(), 'İ', 'ẞ', 'a b'),
    );
    fc.assert(
      fc.property(value, (it) => {
        if (!needsNoJoi({ it })) return true;
        const checked = object({ it: schema }).validate({ it });
        return checked.error === undefined && checked.value.it === it;
      }),
    );
  }
});

t.test('a parameter with more rules is left to joi', async (t) => {
  for (const schema of [
    oneOf('a', 'b'),
    anyStringUpTo(4),
    stringUpTo(9, 2),
    Joi.string().pattern(/^a/),
    Joi.string().guid({ version: 'uuidv4' }),
    Joi.string().uppercase(),
    Joi.string().optional(),
    Joi.string().default('a'),
    Joi.number(),
    Joi.string().max(4),
  ]) {
    t.equal(fastPathTest(Joi.object({ ok: string().required(), it: schema })), undefined, JSON.stringify(schema.describe()));
  }
});

t.test('a parameter with a schema of an extension is left to joi', async (t) => {
  const trimming = Joi.extend((joi: Joi.Root) => ({
    type: 'string',
    base: joi.string(),
    coerce: { from: 'string', method: (value: string) => ({ value: value.trim() }) },
  }));
  const refusing = Joi.extend((joi: Joi.Root) => ({
    type: 'object',
    base: joi.object(),
    validate: (value: unknown, helpers: Joi.CustomHelpers) => ({ value, errors: helpers.error('any.invalid') }),
  }));
  t.equal(fastPathTest(Joi.object({ it: trimming.string().required() })), undefined);
  t.equal(fastPathTest(refusing.object({ it: Joi.string().required() })), undefined);
});

t.test('params with rules across parameters are left to joi', async (t) => {
  const names = Joi.object({ ok: string().required(), it: string().required() });
  t.ok(fastPathTest(names));
  for (const schema of [
    names.custom((value) => value),
    names.external(() => undefined),
    names.rename('ok', 'other', { alias: true }),
    names.pattern(Joi.string(), Joi.string().max(3)),
    names.nand('ok', 'it'),
    names.assert('.ok', Joi.ref('it')),
    names.unknown(false),
    names.default({}),
    Joi.object().pattern(Joi.string(), Joi.string().max(3)),
    Joi.object(),
    Joi.any().forbidden(),
    Joi.alternatives(names, names),
  ]) {
    t.equal(fastPathTest(schema), undefined, JSON.stringify(schema.describe()));
  }
});

t.test('an invalid parameter is refused before other problems, and an upper-case uuid is accepted', async (t) => {
  const summary = 'Shows a book.';
  const params = object({ uuid: uuidInPath(), book: stringUpTo(4) });
  const responses = { 200: object({ uuid: string(), book: string() }) };
  const shelf = definePlugin({
    name: 'shelf',
    version: '1.0.0',
    register: () => ({
      routes: [
        route({
          method: 'GET',
          path: '/v1/shelves/{uuid}/books/{book}',
          summary,
          auth: 'none',
          request: { params, query: object({ page: integer() }) },
          responses,
          handler: ({ params }) => params,
        }),
        route({
          method: 'PUT',
          path: '/v1/shelves/{uuid}/books/{book}',
          summary,
          auth: 'none',
          request: { params, query: object({ page: integer() }), payload: object({ title: string() }) },
          responses,
          handler: ({ params }) => params,
        }),
      ],
    }),
  });
  const { call, server } = await startPlatform(t, { plugins: [shelf()] });
  const seen: unknown[] = [];
  server.ext('onPreHandler', ({ params }, h) => {
    seen.push({ ...params });
    return h.continue;
  });
  for (const method of ['GET', 'PUT'] as const) {
    const ask = (uuid: string, book: string, query = '?page=1', payload: object = { title: 'T' }) =>
      call(
        method,
        `/v1/shelves/${encodeURIComponent(uuid)}/books/${encodeURIComponent(book)}${query}`,
        method === 'PUT' ? { payload } : {},
      );
    const same = { status: 200, body: { uuid: SMALL, book: 'abcd' } };
    t.match(await ask(SMALL, 'abcd'), same, method);
    t.match(await ask(SMALL.toUpperCase(), 'abcd'), same);
    t.strictSame(seen.splice(0), [same.body, same.body], "the host's routes get the same");
    t.match(await ask(SMALL, '\u{1f600}'.repeat(4)), { status: 200 }, 'length counts characters, not UTF-16 units');
    seen.length = 0;
    t.match(await ask(SMALL, 'abcde'), { status: 400, body: { errors: [{ details: /^book [^;]+$/ }] } });
    t.match(await ask('nothing', 'abcde', '?page=x', {}), { status: 400, body: { errors: [{ details: /^uuid [^;]+; book [^;]+$/ }] } });
    t.strictSame(seen, [], 'these do not reach the host');
  }
});

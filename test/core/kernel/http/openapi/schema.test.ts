import { Validator } from '@cfworker/json-schema';
import t from 'tap';
import { anyStringUpTo, object, stringUpTo } from '#core';
import { answerSchemaOf } from '../../../../../core/kernel/http/openapi/schema.js';

t.test('a request counts the length of a text as its JSON Schema does', (t) => {
  const schema = stringUpTo(3);
  t.strictSame(answerSchemaOf(schema), { type: 'string', minLength: 1, maxLength: 3 });
  const validator = new Validator(answerSchemaOf(schema));
  const fits = {
    a: true,
    abc: true,
    abcd: false,
    '': false,
    '👍👍👍': true,
    '👍👍👍👍': false,
    'ab👍': true,
    'abc👍': false,
    '👍👍👍a': false,
  };
  for (const [text, is] of Object.entries(fits)) {
    t.equal(schema.validate(text).error === undefined, is, text);
    t.equal(validator.validate(text).valid, is, text);
  }
  t.end();
});

t.test("a text that is too long is refused with joi's message", (t) => {
  const { error } = object({ title: stringUpTo(2) }).validate({ title: 'abc' });
  t.match(error?.details, [
    {
      path: ['title'],
      type: 'string.max',
      message: '"title" length must be less than or equal to 2 characters long',
      context: { limit: 2 },
    },
  ]);
  t.match(stringUpTo(2).validate(5).error?.details, [{ type: 'string.base' }]);
  t.end();
});

t.test("a text that is too short is refused with joi's message", (t) => {
  const schema = stringUpTo(64, 3);
  t.strictSame(answerSchemaOf(schema), { type: 'string', minLength: 3, maxLength: 64 });
  const validator = new Validator(answerSchemaOf(schema));
  for (const [text, is] of Object.entries({ '': false, ab: false, abc: true, '👍👍': false, 'ab👍': true, '👍👍👍': true })) {
    t.equal(schema.validate(text).error === undefined, is, text);
    t.equal(validator.validate(text).valid, is, text);
  }
  t.match(schema.validate('ab').error?.details, [{ type: 'string.min', context: { limit: 3 } }]);
  t.end();
});

t.test('a text that may be empty is described so', (t) => {
  t.strictSame(answerSchemaOf(anyStringUpTo(2)), { type: 'string', maxLength: 2 });
  t.equal(anyStringUpTo(2).validate('').error, undefined);
  t.end();
});

import Joi from 'joi';
import t from 'tap';
import { explained } from '../../../core/kernel/refusals.js';

const schema = Joi.object({ list: Joi.array().items(Joi.object({ a: Joi.string() })) }).prefs({ abortEarly: false });
const refusal = (entries: number) => schema.validate({ list: Array.from({ length: entries }, () => ({ a: null })) }).error!;

t.test('a hundred things that are wrong are told and explained, and of more how many there are', async (t) => {
  const some = explained(schema, refusal(100)) as Joi.ValidationError;
  t.equal(some.details.length, 100);
  t.ok(some.details.every(({ context }) => context?.isOptional === true));
  const { details, message } = explained(schema, refusal(5_000)) as Joi.ValidationError;
  t.equal(details.length, 101);
  t.ok(details.slice(0, 100).every(({ context }) => context?.isOptional === true));
  t.match(details.at(-1), { path: [], message: '4900 more things are wrong' });
  t.match((explained(schema, refusal(101)) as Joi.ValidationError).message, /; 1 more thing is wrong$/);
  t.match(message, /; 4900 more things are wrong$/);
});

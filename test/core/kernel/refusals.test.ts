import Joi from 'joi';
import t from 'tap';
import { explained } from '../../../core/kernel/refusals.js';

const schema = Joi.object({ list: Joi.array().items(Joi.object({ a: Joi.string() })) }).prefs({ abortEarly: false });
const refusal = (entries: number) => schema.validate({ list: Array.from({ length: entries }, () => ({ a: null })) }).error!;

t.test(
  'what has a hundred things wrong with it is explained; what has more is refused as it is, as looking at all beside all takes long',
  async (t) => {
    const some = explained(schema, refusal(100)) as Joi.ValidationError;
    t.equal(some.details.length, 100);
    t.ok(some.details.every(({ context }) => context?.isOptional === true));
    const more = refusal(101);
    t.equal(explained(schema, more), more);
  },
);

import { isDeepStrictEqual, parseArgs } from 'node:util';
import fc from 'fast-check';
import { compiledCheck } from '../core/kernel/http/compiled-check.js';
import { bodySchemaOf } from '../core/kernel/http/request-schemas.js';
import { everything } from './docs/everything.js';
import { fitting } from './fuzz/fitting.js';
import { type Json, mutated, mutations } from './fuzz/mutations.js';

/**
 * `node scripts/run.mjs fuzz-checks --bodies 1000000 --seed 1`: gives generated bodies to joi and to the compiled check of each route. Exits 1
 * when the check takes a body that joi refuses or changes.
 */
const { values } = parseArgs({ options: { bodies: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } } });
const { routes } = await everything();
const withBody = routes.flatMap(({ path, isAdmin, route }) => {
  const schema = bodySchemaOf(route, isAdmin);
  return schema ? [{ name: `${route.method} ${path}`, schema, check: compiledCheck(schema) }] : [];
});
const perRoute = Math.ceil(Number(values.bodies) / withBody.length);
let bodies = 0;
let faults = 0;
for (const { name, schema, check } of withBody) {
  if (!check) {
    console.log(`${name}: not compiled`);
    continue;
  }
  const counts = { valid: 0, unchanged: 0, taken: 0 };
  const compare = (body: Json): void => {
    bodies++;
    const { error, value } = schema.validate(structuredClone(body));
    const isUnchanged = error === undefined && isDeepStrictEqual(value, body);
    const isTaken = check(body);
    if (error === undefined) counts.valid++;
    if (isUnchanged) counts.unchanged++;
    if (isTaken) counts.taken++;
    if (!isTaken || isUnchanged) return;
    faults++;
    if (faults <= 20)
      console.error(`${name} takes what joi ${error ? `refuses (${error.message})` : 'changes'}: ${JSON.stringify(body).slice(0, 500)}`);
  };
  const fits = fitting(schema, () => []);
  const changed = fc.tuple(fits, mutations).map(([body, changes]) => changes.reduce<Json>(mutated, body));
  const some: fc.Arbitrary<Json> = fc.oneof({ weight: 2, arbitrary: fits }, { weight: 1, arbitrary: changed });
  for (const made of fc.sample(some, { numRuns: perRoute, seed: Number(values.seed) })) {
    const body = JSON.parse(JSON.stringify(made)) as Json;
    compare(body);
    // Without the fields that joi strips, such as the parts of other message types: what clients send.
    const { error, value } = schema.validate(structuredClone(body));
    if (!error && !isDeepStrictEqual(value, body)) compare(value as Json);
  }
  console.log(`${name}: ${counts.valid} valid, ${counts.unchanged} of them unchanged, ${counts.taken} taken by the compiled check`);
}
console.log(`${bodies} bodies to ${withBody.length} routes, seed ${values.seed}; ${faults} faults`);
process.exit(faults > 0 ? 1 : 0);

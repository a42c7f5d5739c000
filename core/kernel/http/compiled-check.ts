import { isDeepStrictEqual } from 'node:util';
import type Joi from 'joi';
import { type Rule, ruleTest } from './compiled-rules.js';

/** Whether joi would accept a value unchanged. `parent` is the object that has it, for conditions on other fields of that object. */
type Test = (value: unknown, parent: Fields) => boolean;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Compiles a schema into a test for the common case: a valid value that joi would return unchanged. The test may answer false for a
 * value that joi accepts, never true for one that joi refuses or changes, so joi itself judges and words everything else.
 * @param preferences with which joi validates, `convert: false` among them; by default those of the schema. To set the first ones of a
 * process, joi builds a schema for them, which takes 40 ms.
 * @returns undefined when the schema uses something that this file does not know
 */
export function compiledCheck(
  schema: Joi.Schema,
  preferences = (schema as unknown as { readonly _preferences: Joi.ValidationOptions | null })._preferences,
): ((value: unknown) => boolean) | undefined {
  if (preferences?.convert !== false) return undefined;
  const test = testOf(schema, true);
  return test && ((value) => test(value, NO_FIELDS));
}

const NO_FIELDS: Fields = {};

/** How joi checks a part alone: as in the routes of the public API. The part must then come out as it went in. */
const ALONE: Joi.ValidationOptions = { convert: false, abortEarly: true, allowUnknown: true, stripUnknown: { objects: true } };

/** The parts of a joi schema that decide on a value. joi documents a part of it; its own conversion to JSON Schema reads the same. */
interface Schema {
  readonly type: string;
  readonly _flags: Readonly<Record<string, unknown>>;
  readonly _rules: readonly Rule[];
  readonly _preferences: object | null;
  readonly _valids: Values | null;
  readonly _invalids: Values | null;
  readonly _refs: { readonly refs: readonly unknown[] };
  readonly $_terms: Readonly<Record<string, readonly never[] | null>>;
}

interface Values {
  readonly _values: ReadonlySet<unknown>;
  readonly _refs: ReadonlySet<unknown>;
}

interface Reference {
  readonly type: string;
  readonly ancestor: number | 'root';
  readonly path: readonly string[];
  readonly adjust: unknown;
  readonly map: unknown;
  readonly iterables: unknown;
  readonly in?: unknown;
}

interface Condition {
  readonly ref?: Reference;
  readonly schema?: Joi.Schema;
  readonly is?: Joi.Schema;
  readonly not?: Joi.Schema;
  readonly then?: Joi.Schema;
  readonly otherwise?: Joi.Schema;
  readonly switch?: readonly Case[];
}

interface Case {
  readonly is: Joi.Schema;
  readonly then?: Joi.Schema;
  readonly otherwise?: Joi.Schema;
}

interface Pattern {
  readonly regex?: RegExp;
  readonly schema?: Joi.Schema;
  readonly rule: Joi.Schema;
  readonly matches?: unknown;
  readonly fallthrough?: boolean;
}

interface Dependency {
  readonly rel: string;
  readonly key: Reference | null;
  readonly peers: readonly Reference[];
  readonly options?: { readonly isPresent?: unknown };
}

/** Flags without effect on a valid value, and those that `testOf` reads. */
const KNOWN_FLAGS: ReadonlySet<string> = new Set([
  ...['presence', 'only', 'unknown', 'unsafe', 'insensitive'],
  ...['label', 'error', 'description', 'unit'],
]);
/** Terms without effect on a value, and those that are read. */
const KNOWN_TERMS: ReadonlySet<string> = new Set(
  ['examples', 'metas', 'notes', 'tags', 'keys', 'patterns', 'dependencies', 'items', '_inclusions', '_requireds', '_exclusions'].concat([
    'ordered',
    'matches',
    'whens',
    'truthy',
    'falsy',
    'replacements',
  ]),
);

function testOf(given: Joi.Schema, isRoot = false): Test | undefined {
  const schema = given as unknown as Schema;
  const { _flags: flags, _valids: valids, _invalids: invalids, $_terms: terms } = schema;
  const unknownFlag = Object.keys(flags).some((flag) => !KNOWN_FLAGS.has(flag) && !flag.startsWith('_'));
  const unknownTerm = Object.entries(terms).some(([term, used]) => used && used.length > 0 && !KNOWN_TERMS.has(term));
  if (unknownFlag || unknownTerm || (!isRoot && schema._preferences)) return undefined;
  if (terms.whens) return conditional(schema, terms.whens as readonly Condition[]);
  const own = ofType(given, schema);
  if (!own || !isPlain(valids) || !isPlain(invalids) || (invalids && flags.insensitive)) return undefined;
  const isAbsentAllowed = flags.presence !== 'required';
  const isForbidden = flags.presence === 'forbidden';
  const isOnly = flags.only === true;
  return (value, parent) => {
    if (value === undefined) return isAbsentAllowed;
    if (isForbidden) return false;
    if (valids?._values.has(value)) return true;
    if (isOnly || invalids?._values.has(value)) return false;
    return own(value, parent);
  };
}

/** Lists of values that a look-up decides: joi compares objects deeply, and resolves references. */
const isPlain = (values: Values | null): boolean =>
  !values || (values._refs.size === 0 && [...values._values].every((value) => typeof value !== 'object' || value === null));

function ofType(given: Joi.Schema, schema: Schema): Test | undefined {
  switch (schema.type) {
    case 'any':
      return withRules(() => true, schema);
    case 'boolean':
      return withRules((value) => typeof value === 'boolean', schema);
    case 'number':
      return withRules(schema._flags.unsafe ? isUnchanged : isSafe, schema) ?? byJoi(given, schema);
    case 'string':
      return withRules((value) => typeof value === 'string' && value !== '', schema) ?? byJoi(given, schema);
    case 'array':
      return arrayTest(schema);
    case 'object':
      return objectTest(schema);
    case 'alternatives':
      return alternativesTest(schema);
    default:
      return undefined;
  }
}

/** joi changes -0 to 0. */
const isUnchanged = (value: unknown): boolean => Number.isFinite(value) && !Object.is(value, -0);
const isSafe = (value: unknown): boolean => isUnchanged(value) && Math.abs(value as number) <= Number.MAX_SAFE_INTEGER;

/** A value without parts whose rules are not compiled: joi checks it alone, which is still cheaper than the body around it. */
function byJoi(given: Joi.Schema, { _refs }: Schema): Test | undefined {
  if (_refs.refs.length > 0) return undefined;
  const strict = given.prefs({ convert: false, abortEarly: true });
  return (value) => {
    const { error, value: result } = strict.validate(value);
    return error === undefined && Object.is(result, value);
  };
}

function withRules(base: Test, { _rules: rules }: Pick<Schema, '_rules'>): Test | undefined {
  if (rules.length === 0) return base;
  const tests = rules.map(ruleTest);
  if (tests.some((test) => !test)) return undefined;
  return (value, parent) => {
    if (!base(value, parent)) return false;
    for (const test of tests) if (!test!(value)) return false;
    return true;
  };
}

function arrayTest(schema: Schema): Test | undefined {
  const { items = [], ordered, _inclusions = [], _requireds, _exclusions } = schema.$_terms;
  const some = (term: readonly never[] | null | undefined): boolean => (term?.length ?? 0) > 0;
  if ((items?.length ?? 0) > 1 || some(ordered) || some(_requireds) || some(_exclusions) || (_inclusions?.length ?? 0) > 1)
    return undefined;
  const only = items?.[0] as Joi.Schema | undefined;
  const item = only && testOf(only);
  if (only && !item) return undefined;
  // joi checks the items of a list by a rule of that name.
  const _rules = schema._rules.filter(({ name }) => name !== 'items');
  return withRules(
    (value) => {
      if (!Array.isArray(value)) return false;
      // To joi, the parent of an item is the list.
      for (const one of value) if (one === undefined || (item && !item(one, NO_FIELDS))) return false;
      return true;
    },
    { _rules },
  );
}

function objectTest(schema: Schema): Test | undefined {
  const { keys: declared, patterns: declaredPatterns, dependencies: declaredDependencies } = schema.$_terms;
  const keys = new Map<string, Test>();
  for (const { key, schema: field } of (declared ?? []) as readonly { key: string; schema: Joi.Schema }[]) {
    const test = testOf(field);
    if (!test) return undefined;
    keys.set(key, test);
  }
  const patterns = ((declaredPatterns ?? []) as readonly Pattern[]).map(patternTest);
  const dependencies = ((declaredDependencies ?? []) as readonly Dependency[]).map(dependencyTest);
  if (patterns.some((test) => !test) || dependencies.some((test) => !test)) return undefined;
  const isAnyKeyAllowed = schema._flags.unknown === true || (!declared && !declaredPatterns);
  const tests = [...keys];
  return withRules((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const fields = value as Fields;
    for (const [key, test] of tests) if (!test(Object.hasOwn(fields, key) ? fields[key] : undefined, fields)) return false;
    for (const key in fields) {
      // joi leaves it out of the copy that it makes.
      if (key === '__proto__') return false;
      if (keys.has(key)) continue;
      // The first pattern that fits the key decides.
      const pattern = patterns.find((one) => one!.fits(key));
      if (pattern ? !pattern.test(fields[key], fields) : !isAnyKeyAllowed) return false;
    }
    for (const test of dependencies) if (!test!(fields)) return false;
    return true;
  }, schema);
}

/** A rule for the values of keys that no field declares. */
function patternTest({
  regex,
  schema,
  rule,
  matches,
  fallthrough,
}: Pattern): { readonly fits: (key: string) => boolean; readonly test: Test } | undefined {
  const name = schema && testOf(schema);
  const test = testOf(rule);
  if (!test || matches || fallthrough || (schema && !name) || regex?.global || regex?.sticky) return undefined;
  return { fits: (key) => (regex ? regex.test(key) : name!(key, NO_FIELDS)), test };
}

function dependencyTest({ rel, key, peers, options }: Dependency): ((fields: Fields) => boolean) | undefined {
  if (options?.isPresent || ![...(key ? [key] : []), ...peers].every(isFieldOfSame)) return undefined;
  const names = peers.map(({ path }) => path[0]!);
  const count = (fields: Fields): number => names.filter((name) => fields[name] !== undefined).length;
  const applies = (fields: Fields): boolean => key === null || fields[key.path[0]!] !== undefined;
  const rules: Readonly<Record<string, (fields: Fields) => boolean>> = {
    and: (fields) => count(fields) === 0 || count(fields) === names.length,
    nand: (fields) => count(fields) < names.length,
    or: (fields) => count(fields) > 0,
    oxor: (fields) => count(fields) <= 1,
    xor: (fields) => count(fields) === 1,
    with: (fields) => count(fields) === names.length,
    without: (fields) => count(fields) === 0,
  };
  const rule = rules[rel];
  return rule && ((fields) => !applies(fields) || rule(fields));
}

const isSimple = ({ type, path, adjust, map, iterables }: Reference): boolean =>
  type === 'value' && path.length === 1 && !adjust && !map && !iterables;
/** A reference in a rule of an object names a field of that object. */
const isFieldOfSame = (ref: Reference): boolean => isSimple(ref) && (ref.ancestor === 0 || ref.ancestor === 1);
/** A reference in the condition of a field names a field beside it. */
const isFieldBeside = (ref: Reference): boolean => isSimple(ref) && ref.ancestor === 1;

/** joi takes the first alternative that accepts the value. One that takes a part of an object away would come before one that keeps it. */
function alternativesTest(schema: Schema): Test | undefined {
  if (schema._flags.match !== undefined) return undefined;
  const matches = (schema.$_terms.matches ?? []) as readonly Condition[];
  if (matches.length === 1 && matches[0]!.is) return eitherTest(schema, matches[0]!);
  if (matches.length === 0 || matches.some((match) => !match.schema || match.ref)) return undefined;
  const schemas = matches.map((match) => match.schema!);
  if (!schemas.slice(0, -1).every(isScalar)) return unchangedByJoi(schema);
  const tests = schemas.map((one) => testOf(one));
  if (tests.some((test) => !test)) return undefined;
  return withRules((value, parent) => tests.some((test) => test!(value, parent)), schema);
}

/** A condition on the value itself, by its kind: `then` or `otherwise` alone decides, so the kind must be the one that joi sees. */
function eitherTest(schema: Schema, { is, ref, not, then, otherwise }: Condition): Test | undefined {
  const isOfKind = kindTest(is as unknown as Schema);
  const [whenSo, whenNot] = [then, otherwise].map((branch) => branch && testOf(branch));
  const isOwnValue = !ref || (ref.type === 'value' && ref.ancestor === 0 && ref.path.length === 0 && !ref.adjust && !ref.map);
  if (!isOfKind || !whenSo || !whenNot || !isOwnValue || not) return undefined;
  return withRules((value, parent) => (isOfKind(value) ? whenSo(value, parent) : whenNot(value, parent)), schema);
}

/** Distinguishes objects, lists or numbers from other values, for a schema that requires nothing else of them. */
function kindTest({ type, _flags, _rules, _valids, _invalids, $_terms }: Schema): ((value: unknown) => boolean) | undefined {
  const isBare = Object.values($_terms).every((term) => !term || term.length === 0);
  if (!isBare || _rules.length > 0 || _valids || _invalids || Object.keys(_flags).some((flag) => flag !== 'unknown')) return undefined;
  if (type === 'array') return Array.isArray;
  if (type === 'number') return (value) => Number.isFinite(value) && Math.abs(value as number) <= Number.MAX_SAFE_INTEGER;
  return type === 'object' ? (value) => typeof value === 'object' && value !== null && !Array.isArray(value) : undefined;
}

const isScalar = ({ type }: Joi.Schema): boolean => type === 'string' || type === 'number' || type === 'boolean';

/** A part whose test would need the order in which joi tries: joi checks the part alone. */
function unchangedByJoi(schema: Schema): Test | undefined {
  if (schema._refs.refs.length > 0 || hasCondition(schema)) return undefined;
  const alone = (schema as unknown as Joi.Schema).prefs(ALONE);
  return (value) => {
    const { error, value: result } = alone.validate(value);
    return error === undefined && isDeepStrictEqual(result, value);
  };
}

/** Whether a schema, or a part of it, depends on fields outside of it. */
const hasCondition = (schema: Schema): boolean => schema.$_terms.whens !== null && (schema.$_terms.whens?.length ?? 0) > 0;

/**
 * `Joi.when` on a field beside: the branch is the whole schema of the value. A branch that strips the value changes it, so it fits
 * only an absent one.
 */
function conditional(schema: Schema, conditions: readonly Condition[]): Test | undefined {
  const { type, _rules, _valids, _invalids, _flags, $_terms } = schema;
  const others = Object.entries($_terms).some(([term, used]) => term !== 'whens' && term !== 'metas' && used && used.length > 0);
  const isBare = type === 'any' && _rules.length === 0 && !_valids && !_invalids && !others && !_flags.only;
  const condition = conditions[0];
  if (_flags.presence === 'forbidden') return undefined;
  if (!isBare || conditions.length !== 1 || !condition?.ref || !isFieldBeside(condition.ref) || condition.not) return undefined;
  const field = condition.ref.path[0]!;
  const isOptional = _flags.presence !== 'required';
  const cases = condition.switch ?? [condition as Case];
  const branch = (branchSchema: Joi.Schema | undefined): Test | undefined => {
    if (!branchSchema) return (value) => value !== undefined || isOptional;
    const stripped = (branchSchema as unknown as Schema)._flags.result === 'strip';
    if (hasCondition(branchSchema as unknown as Schema)) return undefined;
    if (stripped) return (value) => value === undefined && isOptional && (branchSchema as unknown as Schema)._flags.presence !== 'required';
    const test = testOf(branchSchema);
    const hasPresence = (branchSchema as unknown as Schema)._flags.presence !== undefined;
    return test && ((value, parent) => (value === undefined && !hasPresence ? isOptional : test(value, parent)));
  };
  const compiled = cases.map(({ is, then }) => [matching(is), branch(then)] as const);
  const otherwise = branch(condition.otherwise ?? cases.at(-1)?.otherwise);
  if (!otherwise || compiled.some(([is, then]) => !is || !then)) return undefined;
  return (value, parent) => {
    for (const [is, then] of compiled) if (is!(parent[field], parent)) return then!(value, parent);
    return otherwise(value, parent);
  };
}

/** Whether a value matches a condition. joi may convert it first, for example to lower case: then its own opinion counts. */
function matching(is: Joi.Schema): Test | undefined {
  const { type, _flags: flags, _rules: rules } = is as unknown as Schema;
  const test = testOf(is);
  if (!test || !(type === 'any' || type === 'string')) return undefined;
  if (!flags.insensitive && rules.length === 0) return test;
  return (value, parent) => test(value, parent) || is.validate(value, ALONE).error === undefined;
}

import Joi from 'joi';

/** The internals of a joi schema that its conversion to JSON Schema needs. joi documents only some of them. */
export interface JoiParts {
  readonly terms: Terms;
  readonly flags: Flags;
  readonly rules: readonly { readonly name: string; readonly args?: { readonly limit?: unknown } }[];
  /** Whether the schema accepts null in addition to the values of its type. */
  readonly isNullable: boolean;
}

export interface Terms {
  readonly keys?: readonly { readonly key: string; readonly schema: Joi.Schema }[];
  readonly patterns?: readonly Pattern[];
  readonly dependencies?: readonly Dependency[];
  readonly items?: readonly Joi.Schema[];
  /** The branches of `Joi.alternatives`. */
  readonly matches?: readonly Match[];
  /** The branches of `Joi.when`. */
  readonly whens?: readonly Match[];
  readonly metas?: readonly Readonly<Record<string, unknown>>[];
}

export interface Pattern {
  readonly regex?: RegExp;
  readonly schema?: Joi.Schema;
  readonly rule: Joi.Schema;
}

export interface Dependency {
  readonly rel: string;
  readonly key?: Ref;
  readonly peers: readonly Ref[];
}

export interface Ref {
  readonly key: string;
  readonly ancestor: number;
  readonly path: readonly string[];
}

export interface Match extends Branches {
  readonly schema?: Joi.Schema;
  readonly ref?: Ref;
  readonly is?: Joi.Schema;
  readonly switch?: readonly Case[];
}

export interface Case extends Branches {
  readonly is: Joi.Schema;
}

interface Branches {
  readonly then?: Joi.Schema;
  readonly otherwise?: Joi.Schema;
}

interface Flags {
  readonly presence?: string;
  readonly unknown?: boolean;
  readonly insensitive?: boolean;
  readonly only?: boolean;
  readonly description?: string;
  readonly default?: unknown;
}

type Private = Joi.Schema & {
  readonly _rules: JoiParts['rules'];
  readonly _valids: { has(value: unknown): boolean } | null;
};

/** Reads the parts of a schema. */
export function partsOf(schema: Joi.Schema): JoiParts {
  const { $_terms: terms, _flags: flags, _rules: rules, _valids: values } = schema as Private;
  // joi has null for terms that a schema does not use.
  const used: Terms = Object.fromEntries(Object.entries(terms).filter(([, term]) => term !== null));
  return { terms: used, flags, rules, isNullable: values?.has(null) ?? false };
}

/** The fewest and most items of an array, or keys of an object, by its rules. */
export function sizeOf({ rules }: JoiParts): { readonly min: number | undefined; readonly max: number | undefined } {
  const limitOf = (name: string): number | undefined => {
    const limit = rules.find((rule) => rule.name === name || rule.name === 'length')?.args?.limit;
    // A rule may also refer to another field.
    return typeof limit === 'number' ? limit : undefined;
  };
  return { min: limitOf('min'), max: limitOf('max') };
}

// Fail at import when another version of joi stores these internals elsewhere: OpenAPI documents would silently be incomplete.
const probe = partsOf(Joi.array().items(Joi.any()).unique().max(7).allow(null).description('a probe'));
const { terms, flags, rules, isNullable } = probe;
const hasTerms = terms.items?.length === 1 && flags.description === 'a probe' && isNullable;
if (!hasTerms || !rules.some(({ name }) => name === 'unique') || sizeOf(probe).max !== 7)
  throw new Error(`joi ${Joi.version} is not supported: this release of Posthorn cannot read its schemas`);

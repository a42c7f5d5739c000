import { hasAtMostCharacters } from '../../shape.js';

/** A rule of a joi schema. */
export interface Rule {
  readonly name: string;
  readonly method: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly warn?: unknown;
  readonly _resolve: readonly unknown[];
}

/** Whether a value of the right type fits a rule. */
type RuleTest = (value: unknown) => boolean;

/** The result of a custom check that rejects the value. */
const REFUSED = Symbol('refused');
const HELPERS = new Proxy(
  { error: () => REFUSED, message: () => REFUSED },
  {
    get(helpers, name) {
      if (name === 'error' || name === 'message') return helpers[name];
      throw new Error(`a compiled check has no ${String(name)}`);
    },
  },
);

/** Compiles a rule of a schema; undefined for one that is not known. */
export function ruleTest({ name, method, args = {}, warn, _resolve }: Rule): RuleTest | undefined {
  if (_resolve.length > 0 || warn) return undefined;
  const limit = args.limit as number;
  switch (name) {
    case 'min':
      return args.encoding ? undefined : (value) => sizeOf(value) >= limit;
    case 'max':
      return args.encoding ? undefined : (value) => sizeOf(value) <= limit;
    case 'length':
      return args.encoding ? undefined : (value) => sizeOf(value) === limit;
    case 'integer':
      return Number.isInteger;
    case 'maxCharacters':
      return (value) => hasAtMostCharacters(limit, value as string);
    case 'minCharacters':
      return (value) => !hasAtMostCharacters(limit - 1, value as string);
    case 'pattern': {
      const { regex, options } = args as { regex: RegExp; options?: { invert?: boolean } };
      if (regex.global || regex.sticky || options?.invert) return undefined;
      return (value) => regex.test(value as string);
    }
    case 'custom':
      return customTest(args.method as (value: unknown, helpers: unknown) => unknown);
    case 'unique':
      return uniqueTest(args);
    default:
      return method === 'custom' ? customTest(args.method as never) : undefined;
  }
}

/** The length of a text or list, a number itself, the count of an object's fields. */
function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return Object.keys(value as object).length;
}

/** A check in code. One that wants more of joi than the value and a refusal throws here, and joi decides. */
function customTest(method: (value: unknown, helpers: unknown) => unknown): RuleTest {
  return (value) => {
    try {
      return method(value, HELPERS) === value;
    } catch {
      return false;
    }
  };
}

function uniqueTest({ comparator, options }: Readonly<Record<string, unknown>>): RuleTest | undefined {
  if (options && Object.keys(options).length > 0) return undefined;
  if (typeof comparator === 'function') {
    const isSame = comparator as (a: unknown, b: unknown) => boolean;
    return (value) => !(value as unknown[]).some((a, i, all) => all.slice(0, i).some((b) => isSame(a, b) || isSame(b, a)));
  }
  if (comparator !== undefined) return undefined;
  return (value) => {
    const items = value as unknown[];
    return items.every((item) => typeof item !== 'object') && new Set(items).size === items.length;
  };
}

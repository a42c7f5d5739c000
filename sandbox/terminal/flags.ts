import { parseArgs } from 'node:util';
import { didYouMean } from '../../core/nearest.js';

export { didYouMean };

export interface Flag<T> {
  /** A letter that stands for the flag: `-o`. */
  readonly short?: string;
  /** The placeholder of the flag's value in the help. A flag without a placeholder is a switch. */
  readonly takes?: string;
  /** The flag can be given without its value, which must then be attached: `--coverage=90`. */
  readonly isOptional?: boolean;
  readonly help: string;
  /** Parses the flag's value. @throws UsageError with the expected form; the caller prepends the flag's name */
  read(text: string): T;
  /** Combines the values of a repeatable flag. Without `join` the last value wins. */
  join?(before: T, given: T): T;
}

/** The command line is invalid; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Flags = Readonly<Record<string, Flag<unknown>>>;
type Values<F extends Flags> = { readonly [K in keyof F]?: F[K] extends Flag<infer T> ? T : never };

export const toggle = (help: string): Flag<boolean> => ({ help, read: () => true });

export const text = (takes: string, help: string): Flag<string> => ({
  takes,
  help,
  read(given) {
    if (given.trim() === '') throw new UsageError('must not be empty');
    return given;
  },
});

/** A switch that can have a value: `--coverage` is the text `''`, and `--coverage=90` the text `90`. */
export const optionalText = (takes: string, help: string): Flag<string> => ({ takes, help, isOptional: true, read: (given) => given });

const DATE_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A date-time as the admin API accepts it. Does not import the core's schema, which takes longer to load than most commands run. */
export const dateTime = (help: string): Flag<string> => ({
  takes: 'DATE-TIME',
  help,
  read(given) {
    // `Date` reads 30 February as 2 March.
    const isDay = new Date(given.slice(0, 10)).getUTCDate() === Number(given.slice(8, 10));
    if (DATE_TIME.test(given) && isDay && !Number.isNaN(Date.parse(given))) return given;
    throw new UsageError(`takes a date, or a date and time with Z or an offset such as 2027-03-01T08:00:00Z, not '${given}'`);
  },
});

/** A repeatable flag; each use adds one text. */
export const texts = (takes: string, help: string): Flag<readonly string[]> => ({
  takes,
  help,
  read: (given) => [given],
  join: (before, given) => [...before, ...given],
});

/** A repeatable flag; each use adds one KEY=VALUE pair. A VALUE that is valid JSON is parsed; any other VALUE is text. */
export const pairs = (takes: string, help: string): Flag<Readonly<Record<string, unknown>>> => ({
  takes,
  help,
  read(given) {
    const at = given.indexOf('=');
    if (at < 1) throw new UsageError(`takes ${takes}, not '${given}'`);
    return { [given.slice(0, at)]: jsonOrText(given.slice(at + 1)) };
  },
  join: (before, given) => ({ ...before, ...given }),
});

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const numeric = (
  takes: string,
  help: string,
  { from, to, integer }: { from: number; to: number; integer: boolean },
): Flag<number> => ({
  takes,
  help,
  read(given) {
    const value = given.trim() === '' ? Number.NaN : Number(given);
    if (value >= from && value <= to && (!integer || Number.isInteger(value))) return value;
    throw new UsageError(`takes ${integer ? 'an integer' : 'a number'} from ${from} to ${to}, not '${given}'`);
  },
});

export const oneOf = <T extends string>(values: readonly T[], help: string): Flag<T> => ({
  takes: values.join('|'),
  help,
  read(given) {
    const value = values.find((known) => known === given);
    if (value === undefined) throw new UsageError(`takes ${values.join(' or ')}, not '${given}'`);
    return value;
  },
});

/** Splits arguments into flags and positional arguments. @throws UsageError for an unknown flag or an invalid value */
export function readFlags<F extends Flags>(argv: readonly string[], flags: F): { values: Values<F>; positionals: string[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(flags).map(([name, { takes, short, isOptional }]) => [
        name,
        { type: takes && !isOptional ? 'string' : 'boolean', ...(short && { short }) },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag) {
      const known = [...Object.keys(flags), 'help', 'url', 'version'].map((name) => `--${name}`);
      throw new UsageError(`unknown flag ${token.rawName}${didYouMean(token.rawName, known)}`);
    }
    const value = readValue(token, flag);
    const isFirst = !Object.hasOwn(values, token.name);
    values[token.name] = isFirst || !flag.join ? value : flag.join(values[token.name], value);
  }
  return { values: values as Values<F>, positionals };
}

interface Token {
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value was written as `--flag=value`. Otherwise `value` is the next argument, which may be another flag. */
  readonly inlineValue?: boolean | undefined;
}

function readValue({ rawName, value, inlineValue = false }: Token, flag: Flag<unknown>): unknown {
  if (!flag.takes && value !== undefined) throw new UsageError(`${rawName} takes no value`);
  if (flag.takes && !flag.isOptional && (value === undefined || (!inlineValue && value.startsWith('--')))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.takes}`);
  }
  try {
    return flag.read(value ?? '');
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${rawName} ${error.message}`) : error;
  }
}

import { functions } from '../expression/functions/index.js';
import { HIDDEN_NAMES, RESERVED_NAMES } from '../limits.js';

/** One completion. */
export interface Completion {
  readonly label: string;
  readonly kind: 'card' | 'item' | 'function' | 'variable' | 'field' | 'parameter' | 'option' | 'keyword' | 'text';
  /** A short description, or the form of the call. */
  readonly detail: string;
  /** The text to insert, when it is not the label. */
  readonly insert?: string;
  /** The range of `insert` that stands for what the author writes there: an editor selects it, so that typing replaces it. */
  readonly select?: Range;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Completions {
  /** Offsets of the word that a completion replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly Completion[];
}

/** Knowledge of the editor beyond the text. */
export interface CompletionOptions {
  /** Contact fields in use on the number. */
  readonly contactFields?: readonly string[];
}

/** Names with dots are read back over this many characters. */
const MAX_WORD = 200;

export interface WordBefore {
  /** The names before the last dot: `config.items.st` has `config` and `items`. */
  readonly path: readonly string[];
  /** The characters of the last name. */
  readonly written: string;
  /** Where the first name begins. */
  readonly start: number;
}

/** The name before an offset, with those that it is an attribute of. @param first the offset at which the text of interest begins */
export function wordBefore(text: string, first: number, offset: number): WordBefore {
  const before = text.slice(Math.max(first, offset - MAX_WORD), offset);
  const [, path = '', written = ''] = /((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)?$/.exec(before) ?? [];
  return { path: path === '' ? [] : path.slice(0, -1).split('.'), written, start: offset - written.length - path.length };
}

/** Whether an expression continues at the end of this beginning of a template: after `@`, or in `@( … )`. */
export function isInExpression(template: string): boolean {
  if (/(?<!@)(?:@@)*@(?:[A-Za-z_][\w.]*)?$/.test(template)) return true;
  const open = template.lastIndexOf('@(');
  // `@@` is a plain `@`.
  return open >= 0 && /(?<!@)(?:@@)*$/.test(template.slice(0, open)) && balance(template.slice(open)) > 0;
}

const balance = (text: string): number => text.split('(').length - text.split(')').length;

/** Variables, names of the context, and functions. @param variables with their details */
export const expressionOptions = (variables: Iterable<readonly [name: string, detail: string]>): Completion[] => [
  ...[...variables].map(([label, detail]): Completion => ({ label, kind: 'variable', detail })),
  ...[...RESERVED_NAMES, ...HIDDEN_NAMES]
    .filter((name) => !name.startsWith('_'))
    .map((label): Completion => ({ label, kind: 'variable', detail: 'of every journey' })),
  ...[...functions.values()].map(
    ({ name, signature, summary }): Completion => ({
      label: name,
      kind: 'function',
      detail: `${signature}: ${summary}`,
      insert: `${name}(`,
    }),
  ),
];

/** Fields of the contact, or parameters of the journey. @param config the tables of parameters */
export function attributeOptions(
  [first, second, ...deeper]: readonly string[],
  fields: Iterable<string>,
  config: Readonly<Record<string, unknown>>,
): Completion[] {
  if (first === 'contact' && second === undefined)
    return [...new Set(fields)].map((label) => ({ label, kind: 'field', detail: 'field of the contact' }));
  if (first !== 'config' || deeper.length > 0) return [];
  const within = second === undefined ? config : Object.hasOwn(config, second) ? config[second] : undefined;
  if (typeof within !== 'object' || within === null || Array.isArray(within)) return [];
  return Object.keys(within).map((label) => ({ label, kind: 'parameter', detail: 'parameter of the journey' }));
}

/** The options whose labels begin with the characters that are written, in the order of their labels. */
export const fitting = (options: readonly Completion[], written: string): Completion[] =>
  options.filter(({ label }) => label.toLowerCase().startsWith(written.toLowerCase())).sort((a, b) => (a.label < b.label ? -1 : 1));

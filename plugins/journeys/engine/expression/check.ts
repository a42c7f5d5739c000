import { generations } from '../generations.js';
import { functions } from './functions/index.js';
import { patternFault } from './functions/patterns.js';
import { parseExpression, parseTemplate } from './parse.js';
import type { Node, TemplateNode } from './syntax.js';
import { FUNCTION_AS_TEXT } from './text.js';
import { ExpressionError } from './value.js';

/** The severity of each fault in an expression and in a template. A template is sent anyway, with the faulty part as written. */
const severities = {
  invalid_expression: ['error', 'warning'],
  template_too_long: ['error', 'error'],
  unknown_function: ['error', 'error'],
  missing_function: ['warning', 'warning'],
  wrong_arity: ['error', 'warning'],
  invalid_pattern: ['error', 'warning'],
  printed_at: ['warning', 'warning'],
} as const;

interface Found {
  readonly code: keyof typeof severities;
  readonly message: string;
}

export interface Fault extends Found {
  readonly severity: 'error' | 'warning';
}

/** Functions of other engines. Only a warning, so that journeys written for those engines can be published. */
const FUNCTIONS_OF_OTHER_ENGINES: ReadonlySet<string> = new Set(['array', 'attachment_url', 'has_value', 'randbetween']);

export const expressionFaults = (source: string): readonly Fault[] =>
  readOr<readonly Found[]>(
    () => faultsOf(parseExpression(source).tree),
    ({ message }) => [{ code: 'invalid_expression', message }],
  ).map((found) => ({ ...found, severity: severities[found.code][0] }));

/** A word and a remark in brackets, such as `Order (12)`. */
const REMARK = /^\s*[\w-]+\s+\(/;

/** Whether a text is an expression. A word with a remark is not, unless it is a valid call of a function. */
export function isExpression(source: string): boolean {
  const codes = expressionFaults(source).map(({ code }) => code);
  if (codes.includes('invalid_expression')) return false;
  return !REMARK.test(source) || !(codes.includes('unknown_function') || codes.includes('wrong_arity'));
}

export const templateFaults = (source: string): readonly Fault[] =>
  foundIn(source).map((found) => ({ ...found, severity: severities[found.code][1] }));

const foundIn = (template: string): readonly Found[] =>
  readOr<readonly Found[]>(
    () => parseTemplate(template).tree.flatMap(faultsOfPart),
    ({ message }) => [{ code: 'template_too_long', message }],
  );

/** The context names that an expression uses; none when it cannot be parsed. */
export const expressionRoots = (source: string): readonly string[] =>
  readOr<readonly string[]>(
    () => {
      const { tree, hyphenated } = parseExpression(source);
      return [...rootsOf(tree), ...hyphenated.flatMap(({ path }) => path[0] ?? [])];
    },
    () => [],
  );

/** Like `expressionRoots`, for a template. Ignores an `@` after a letter, which is probably part of an e-mail address. */
export const templateRoots = (source: string): readonly string[] =>
  readOr<readonly string[]>(
    () => {
      const { tree, hyphenated } = parseTemplate(source);
      const roots = tree.flatMap((part) => (typeof part !== 'string' && 'node' in part && !part.isAfterWord ? rootsOf(part.node) : []));
      return [...roots, ...hyphenated.flatMap(({ path }) => path[0] ?? [])];
    },
    () => [],
  );

/** The names whose text can be part of the value of an expression; none of those that only choose between values, and none in `json`. */
export const carriedRoots = (source: string): readonly string[] =>
  readOr<readonly string[]>(
    () => carriedBy(parseExpression(source).tree, ENCODED),
    () => [],
  );

/**
 * The names, in lower case, whose text can be part of the value of an expression, or of the text of a template, also in JSON. Cached,
 * because turns need them.
 */
export function textRoots(source: string, isTemplate: boolean): readonly string[] {
  if (isTemplate && !source.includes('@')) return [];
  const key = isTemplate ? `@${source}` : source;
  const known = rootsBySource.get(key);
  if (known) return known;
  const roots = readOr<readonly string[]>(
    () => {
      const { tree, hyphenated } = isTemplate ? parseTemplate(source) : parseExpression(source);
      const carried = Array.isArray(tree) ? partsCarriedBy(tree as readonly TemplateNode[], UNMARKED) : [carriedBy(tree as Node, UNMARKED)];
      const roots = [...carried.filter((part) => typeof part !== 'string').flat(), ...hyphenated.map(({ path }) => path[0] ?? '')];
      return [...new Set(roots.map((root) => root.toLowerCase()))];
    },
    () => [],
  );
  rootsBySource.set(key, roots, key.length);
  return roots;
}

const rootsBySource = generations<readonly string[]>(1_000_000);

/** A part of a template: literal text, or the names whose text it prints. */
export type CarriedPart = string | readonly string[];

export const carriedParts = (source: string): readonly CarriedPart[] =>
  readOr<readonly CarriedPart[]>(
    () => partsCarriedBy(parseTemplate(source).tree, ENCODED),
    () => [],
  );

/** Functions whose value is safe anywhere, so that lint does not follow names through them. */
const ENCODED: ReadonlySet<string> = new Set(['whole_address', 'json']);
/** Functions whose value has no marks. */
const UNMARKED: ReadonlySet<string> = new Set(['whole_address']);

const partsCarriedBy = (tree: readonly TemplateNode[], opaque: ReadonlySet<string>): readonly CarriedPart[] =>
  tree.map((part) => (typeof part === 'string' ? part : 'node' in part ? carriedBy(part.node, opaque) : part.source));

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%']);

function carriedBy(node: Node, opaque: ReadonlySet<string>): readonly string[] {
  const inside = (nodes: readonly Node[]): readonly string[] => nodes.flatMap((one) => carriedBy(one, opaque));
  if (node.kind === 'name') return [node.name];
  if (node.kind === 'text') {
    const { tree, hyphenated } = parseTemplate(node.source);
    const roots = partsCarriedBy(tree, opaque).flatMap((part) => (typeof part === 'string' ? [] : part));
    return [...roots, ...hyphenated.map(({ path }) => path[0] ?? '')];
  }
  if (node.kind === 'access') return carriedBy(node.of, opaque);
  if (node.kind === 'chain' && COMPARISONS.has(node.links[0]?.operator ?? '')) return [];
  if (node.kind !== 'call') return inside(childrenOf(node));
  if (opaque.has(node.name)) return [];
  return inside(node.name === 'if' ? node.args.slice(1) : node.args);
}

/** A call of `isnumber` or `isstring` with a name or a path. */
export interface TypeTest {
  readonly name: string;
  readonly path: readonly string[];
}

/** The calls of `isnumber` and `isstring` in an expression, as far as they are about a path. */
export const typeTestsIn = (source: string): readonly TypeTest[] =>
  readOr<readonly TypeTest[]>(
    () => typeTestsOf(parseExpression(source).tree),
    () => [],
  );

function typeTestsOf(node: Node): readonly TypeTest[] {
  const inside = childrenOf(node).flatMap(typeTestsOf);
  const path = node.kind === 'call' && (node.name === 'isnumber' || node.name === 'isstring') ? pathIn(node.args[0]) : undefined;
  return path && node.kind === 'call' ? [{ name: node.name, path }, ...inside] : inside;
}

/** The path that an argument is, also in quotes: `age` and `"@age"`. */
function pathIn(node: Node | undefined): readonly string[] | undefined {
  if (node?.kind === 'name') return [node.name];
  if (node?.kind === 'access' && node.of.kind === 'name' && node.steps.every((step) => 'key' in step))
    return [node.of.name, ...node.steps.map((step) => ('key' in step ? step.key : ''))];
  const [only, ...more] = node?.kind === 'text' ? parseTemplate(node.source).tree : [];
  return typeof only === 'object' && 'node' in only && more.length === 0 ? pathIn(only.node) : undefined;
}

/** Whether an expression has the same value in every context. */
export function isConstant(source: string): boolean {
  // A quoted text with an @ is a template itself.
  const constantPart = (part: TemplateNode): boolean => typeof part === 'string' || !('node' in part) || constant(part.node);
  const constant = (node: Node): boolean => {
    if (node.kind === 'text') return parseTemplate(node.source).tree.every(constantPart);
    return node.kind !== 'name' && node.kind !== 'call' && childrenOf(node).every(constant);
  };
  return readOr(
    () => constant(parseExpression(source).tree),
    () => false,
  );
}

/** The result of `read`; if that throws an ExpressionError, the result of `otherwise`. */
function readOr<T>(read: () => T, otherwise: (reason: ExpressionError) => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ExpressionError) return otherwise(error);
    throw error;
  }
}

const rootsOf = (node: Node): readonly string[] =>
  node.kind === 'name' ? [node.name] : node.kind === 'text' ? templateRoots(node.source) : childrenOf(node).flatMap(rootsOf);

const faultsOfPart = (part: TemplateNode): readonly Found[] =>
  typeof part === 'string'
    ? []
    : 'node' in part
      ? faultsOf(part.node)
      : [{ code: 'printed_at', message: `this @ does not begin an expression and is printed as it is: ${part.reason}` }];

function faultsOf(node: Node): readonly Found[] {
  const inside = childrenOf(node).flatMap(faultsOf);
  if (node.kind === 'text') return foundIn(node.source);
  if (node.kind === 'call') return [...callFaults(node.name, node.args), ...inside];
  return isJoinedFunction(node) ? [{ code: 'invalid_expression', message: FUNCTION_AS_TEXT }, ...inside] : inside;
}

/** `a & &(b)`: a function joined as text. The author meant `and`. */
const isJoinedFunction = (node: Node): boolean =>
  node.kind === 'chain' && node.links[0]?.operator === '&' && childrenOf(node).some(({ kind }) => kind === 'lambda');

function callFaults(name: string, args: readonly Node[]): readonly Found[] {
  const definition = functions.get(name);
  const count = args.length;
  if (!definition) {
    const code = FUNCTIONS_OF_OTHER_ENGINES.has(name) ? 'missing_function' : 'unknown_function';
    return [{ code, message: `the function '${name}' does not exist` }];
  }
  if (count < definition.minArguments || count > definition.maxArguments)
    return [{ code: 'wrong_arity', message: `${definition.signature} is called with ${count} arguments` }];
  const pattern = name === 'has_pattern' ? args[1] : undefined;
  const fault = pattern?.kind === 'constant' && typeof pattern.value === 'string' ? patternFault(pattern.value) : undefined;
  return fault === undefined ? [] : [{ code: 'invalid_pattern', message: fault }];
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'list':
      return node.items;
    case 'call':
      return node.args;
    case 'access':
      return [node.of, ...node.steps.flatMap((step) => ('index' in step ? step.index : []))];
    case 'chain':
      return [node.first, ...node.links.map(({ right }) => right)];
    case 'not':
    case 'negate':
      return [node.of];
    case 'power':
      return [node.base, node.exponent];
    case 'range':
      return [node.first, node.last, ...(node.step ? [node.step] : [])];
    case 'lambda':
      return [node.body];
    default:
      return [];
  }
}

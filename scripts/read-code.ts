import jsTokens from 'js-tokens';

/** Stands for the specifier of an import whose path is computed, so that a rule has to allow it. */
export const COMPUTED = 'a computed path';

const IGNORED: ReadonlySet<string> = new Set(['WhiteSpace', 'LineTerminatorSequence', 'SingleLineComment', 'MultiLineComment']);
const NAMED: ReadonlySet<string> = new Set(['IdentifierName', 'Punctuator']);
const LITERALS: ReadonlySet<string> = new Set(['StringLiteral', 'NoSubstitutionTemplate']);

/** The tokens of a file that are code. */
export class Code {
  readonly #words: string[] = [];
  readonly #literals = new Map<number, string>();

  constructor(text: string, { jsx }: { readonly jsx: boolean }) {
    for (const { type, value } of jsTokens(text, { jsx })) {
      if (IGNORED.has(type)) continue;
      if (LITERALS.has(type)) this.#literals.set(this.#words.length, value.slice(1, -1));
      this.#words.push(NAMED.has(type) ? value : '');
    }
  }

  get length(): number {
    return this.#words.length;
  }

  /** The name or punctuation at a place; empty for texts, so that a text is never taken for code. */
  word(at: number): string {
    return this.#words[at] ?? '';
  }

  /** The content of the literal text at a place. */
  literal(at: number): string | undefined {
    return this.#literals.get(at);
  }

  has(at: number, ...words: readonly string[]): boolean {
    return words.every((word, offset) => this.word(at + offset) === word);
  }

  /** The first argument of the call whose bracket is at a place. */
  argument(at: number): string {
    return (/^[,)]$/.test(this.word(at + 2)) ? this.literal(at + 1) : undefined) ?? COMPUTED;
  }

  /** The place of the bracket that closes the one at a place. */
  closing(at: number): number {
    let depth = 0;
    for (let here = at; here < this.length; here++) {
      if (/^[([{]$/.test(this.word(here))) depth++;
      if (/^[)\]}]$/.test(this.word(here)) && --depth === 0) return here;
    }
    return this.length;
  }

  /** The first and last place of each argument of the call whose bracket is at a place. */
  argumentsOf(at: number): (readonly [first: number, last: number])[] {
    const end = this.closing(at);
    const found: [first: number, last: number][] = [];
    let first = at + 1;
    for (let here = first; here <= end; here++) {
      if (here < end && /^[([{]$/.test(this.word(here))) here = this.closing(here);
      else if (here === end || this.word(here) === ',') {
        if (here > first) found.push([first, here - 1]);
        first = here + 1;
      }
    }
    return found;
  }

  /** The literal texts between two places. */
  literals(first: number, last: number): string[] {
    return [...this.#literals].flatMap(([at, text]) => (at >= first && at <= last ? [text] : []));
  }
}

/** The specifiers that a file names. */
export interface Specifiers {
  /** Of imports and exports (of types too), `import()`, what `createRequire` makes, `require.resolve` and `import.meta.resolve`. */
  readonly imports: readonly string[];
  /** Of modules as `new URL('./x.js', import.meta.url)`, which run in a thread or process of their own. */
  readonly started: readonly string[];
}

export function specifiersIn(text: string, { jsx }: { readonly jsx: boolean }): Specifiers {
  const code = new Code(text, { jsx });
  const requires = requiresIn(code);
  const imports: (string | undefined)[] = [];
  const started: (string | undefined)[] = [];
  for (let at = 0; at < code.length; at++) {
    const word = code.word(at);
    if (word === 'createRequire' && code.has(at + 1, '(')) imports.push(ofRequire(code, code.closing(at + 1) + 1, word));
    if (code.word(at - 1) === '.') continue;
    if (word === 'import') imports.push(ofImport(code, at));
    else if (word === 'export') imports.push(ofExport(code, at));
    else if (requires.has(word)) imports.push(ofRequire(code, at + 1, word));
    else if (word === 'URL') started.push(ofModule(code, at + 1));
  }
  return { imports: imports.filter(isGiven), started: started.filter(isGiven) };
}

const isGiven = (specifier: string | undefined): specifier is string => specifier !== undefined;

/** The names of the functions that `createRequire` makes. */
function requiresIn(code: Code): Set<string> {
  const names = new Set(['require']);
  for (let at = 2; at < code.length; at++) if (code.has(at - 1, '=', 'createRequire')) names.add(code.word(at - 2));
  return names;
}

function ofImport(code: Code, at: number): string | undefined {
  if (code.has(at + 1, '(')) return code.argument(at + 1);
  if (code.has(at + 1, '.', 'meta', '.', 'resolve', '(')) return code.argument(at + 5);
  return code.literal(at + 1) ?? afterFrom(code, at + 1);
}

function ofExport(code: Code, at: number): string | undefined {
  const list = code.has(at + 1, 'type') ? at + 2 : at + 1;
  if (code.word(list) === '{') return afterFrom(code, code.closing(list) + 1, 1);
  return code.word(list) === '*' ? afterFrom(code, list + 1, 3) : undefined;
}

/** The text after the next `from` that a text follows, within so many words. */
function afterFrom(code: Code, start: number, words = Number.POSITIVE_INFINITY): string | undefined {
  for (let at = start; at < Math.min(code.length, start + words) && !/^[;=]$/.test(code.word(at)); at++)
    if (code.word(at) === 'from' && code.literal(at + 1) !== undefined) return code.literal(at + 1);
  return undefined;
}

/** The specifier of a call of `require` or `require.resolve` after its name. A method with this name gets no literal text. */
function ofRequire(code: Code, at: number, name: string): string | undefined {
  const bracket = code.has(at, '.', 'resolve') ? at + 2 : at;
  if (!code.has(bracket, '(')) return undefined;
  const specifier = code.argument(bracket);
  return specifier === COMPUTED && name === 'require' ? undefined : specifier;
}

/** The file of a `new URL` after `URL`, if it is a module next to this file. */
function ofModule(code: Code, at: number): string | undefined {
  const file = code.has(at, '(') && code.has(at + 2, ',', 'import', '.', 'meta', '.', 'url') ? code.literal(at + 1) : undefined;
  return file && /\.[jt]sx?$/.test(file) ? file.replace(/^(?=\w)/, './') : undefined;
}

/** Reads the lists `needs` and `optional` of a `plugin.ts`: names of plugins, or of the factories that it imports. */
export function needsIn(text: string): string[] {
  const code = new Code(text, { jsx: false });
  const found: string[] = [];
  for (let at = 0; at < code.length; at++) {
    if (!code.has(at, 'definePlugin') || code.has(at + 1, ',') || code.has(at + 1, '}')) continue;
    let open = at;
    while (open < code.length && !code.has(open, '(', '{')) open++;
    const end = code.closing(open + 1);
    for (let here = open + 2; here < end; here++) {
      if (/^(needs|optional)$/.test(code.word(here)) && code.has(here + 1, ':', '['))
        for (let item = here + 3; item < code.closing(here + 2); item++) found.push(code.literal(item) ?? code.word(item));
      if (/^[([{]$/.test(code.word(here))) here = code.closing(here);
    }
  }
  return found.filter((name) => /^[\w-]+$/.test(name));
}

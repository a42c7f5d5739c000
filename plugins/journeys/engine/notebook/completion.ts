import {
  attributeOptions,
  type Completion,
  type CompletionOptions,
  type Completions,
  expressionOptions,
  fitting,
  isInExpression,
  type Range,
  wordBefore,
} from '../editing/options.js';
import { baseOf } from './names.js';
import { normalized, type ReadNotebook, readNotebook } from './read-notebook.js';
import type { TokenKind } from './tokens.js';
import { contentWords, headOptions, topWords, triggerKinds, words } from './words.js';

/** The syntactic context of an offset. */
interface Spot {
  readonly notebook: ReadNotebook;
  /** The last token before the word being typed; -1 for none. */
  readonly before: number;
  readonly isLineStart: boolean;
  /** The names before the last dot: `config.items.st` has `config` and `items`. */
  readonly path: readonly string[];
  readonly fields: readonly string[];
}

/**
 * Completes the word at an offset: cards, items, options, functions, variables, contact fields. Works on text with errors. Offsets
 * count the text with single line feeds and without a byte order mark.
 */
export function completionsAt(text: string, offset: number, { contactFields = [] }: CompletionOptions = {}): Completions {
  const notebook = readNotebook(text);
  const { source, tokens } = notebook;
  const nothing = { from: offset, to: offset, options: [] };
  if (source === '' && normalized(text) !== '') return nothing;
  const fence = tokens.fences.find(({ from, to }) => from <= offset && offset <= to);
  if (!fence || isInComment(notebook, offset)) return nothing;
  const inside = tokenAt(notebook, offset);
  const { path, written, start } = wordBefore(source, fence.from, offset);
  const fields = [...new Set([...contactFields, ...fieldsIn(notebook, offset)])];
  const isText = inside >= 0 && ['text', 'heredoc', 'lost'].includes(tokens.kinds[inside]!);
  const before = tokens.before(isText ? tokens.starts[inside]! : start);
  const spot: Spot = { notebook, before, isLineStart: isFirstOfLine(source, start), path, fields };
  const options = isText ? inText(spot, source.slice(tokens.starts[inside]!, offset)) : inCode(spot);
  return { from: offset - written.length, to: offset, options: fitting(options, written) };
}

const isFirstOfLine = (source: string, at: number): boolean => source.slice(source.lastIndexOf('\n', at - 1) + 1, at).trim() === '';

const isInComment = ({ tokens: { comments } }: ReadNotebook, offset: number): boolean =>
  comments.some((start, i) => i % 2 === 0 && start < offset && offset <= comments[i + 1]!);

/** The token around an offset, or -1. */
function tokenAt({ tokens }: ReadNotebook, offset: number): number {
  const i = tokens.before(offset) + 1;
  return i < tokens.kinds.length && tokens.starts[i]! < offset ? i : -1;
}

/** In a text, only template expressions are completed. */
function inText(spot: Spot, text: string): Completion[] {
  if (isInExpression(text)) return expressions(spot);
  const { tokens } = spot.notebook;
  const isTrigger = tokens.kinds[spot.before] === 'keyword' && tokens.textOf(spot.before) === 'on';
  return isTrigger ? triggerKinds.map((label) => ({ label, kind: 'text', detail: 'starts the journey' })) : [];
}

function inCode(spot: Spot): Completion[] {
  if (spot.path.length > 0) return attributes(spot);
  const { tokens } = spot.notebook;
  const kind = spot.before < 0 ? 'fence' : tokens.kinds[spot.before]!;
  if (kind === 'keyword' && tokens.textOf(spot.before) === 'then') return cards(spot);
  const open = openBracket(spot);
  if (open >= 0) return inBrackets(spot, open, kind);
  const place = bodyAt(spot);
  if (place === 'head')
    return kind === ','
      ? heads()
      : kind === 'card'
        ? []
        : isAfterName(kind)
          ? [...headWords(), ...(spot.isLineStart ? heads() : [])]
          : expressions(spot);
  const isStart = spot.isLineStart || kind === 'do' || kind === 'fence' || kind === 'end';
  if (place === 'outside') return isStart ? top() : kind === 'when' ? expressions(spot) : [];
  if (isStart)
    return place === 'body'
      ? items(contentWords)
      : [...items([...words.keys()].filter((name) => words.get(name)!.inBody !== 'only')), keyword('end')];
  return kind === '=' ? [...items([...words.keys()].filter((name) => name !== 'then')), ...expressions(spot)] : expressions(spot);
}

const isAfterName = (kind: TokenKind): boolean => kind === 'name' || kind === 'text' || kind === ')';

/** The innermost bracket that is open, or -1. */
function openBracket({ notebook: { tokens }, before }: Spot): number {
  let depth = 0;
  for (let i = before; i >= 0; i--) {
    const kind = tokens.kinds[i]!;
    if (kind === 'fence' || (kind === 'card' && tokens.breaks[i]) || kind === 'do') return -1;
    if (kind === ')' || kind === ']') depth++;
    else if ((kind === '(' || kind === '[') && depth-- === 0) return i;
  }
  return -1;
}

/** Which part of a card the offset is in. */
function bodyAt({ notebook: { tokens }, before }: Spot): 'head' | 'items' | 'body' | 'outside' {
  let card = before;
  while (card >= 0 && tokens.kinds[card] !== 'fence' && !(tokens.kinds[card] === 'card' && tokens.breaks[card])) card--;
  if (card < 0 || tokens.kinds[card] === 'fence') return 'outside';
  const open: boolean[] = [];
  let isBegun = false;
  for (let i = card; i <= before; i++) {
    if (tokens.kinds[i] === 'do') {
      open.push(isBegun && tokens.kinds[i - 1] === ')');
      isBegun = true;
    } else if (tokens.kinds[i] === 'end') open.pop();
  }
  if (!isBegun) return 'head';
  return open.length === 0 ? 'outside' : open.length > 1 && open.at(-1) ? 'body' : 'items';
}

/** Completes an argument: options of the call, cards where it names them, expressions elsewhere. */
function inBrackets(spot: Spot, open: number, kind: TokenKind): Completion[] {
  const { tokens } = spot.notebook;
  const isCall = (i: number, ...names: readonly string[]): boolean =>
    tokens.kinds[i] === '(' && tokens.kinds[i - 1] === 'name' && (names.length === 0 || names.includes(tokens.textOf(i - 1)));
  const isList = tokens.kinds[open] === '[';
  const isButtons = isList && tokens.kinds[open - 1] === 'keyword' && tokens.textOf(open - 1) === 'buttons';
  const isOffered =
    isList &&
    (isCall(open - 1, 'buttons') || (tokens.kinds[open - 1] === ',' && isCall(openBracket({ ...spot, before: open - 1 }), 'list')));
  if (isButtons || isOffered || isCall(open, 'then')) return kind === 'when' ? expressions(spot) : cards(spot);
  const isArgument = kind === '(' || kind === ',';
  if (!isArgument || !isCall(open)) return expressions(spot);
  const word = words.get(tokens.textOf(open - 1));
  if (isCall(open, 'buttons') || (isCall(open, 'list') && kind === ','))
    return cards(spot).map((card) => {
      const insert = `${card.label}: ""`;
      return { ...card, insert, select: { from: insert.length - 1, to: insert.length - 1 } };
    });
  if (isCall(open, 'trigger')) return ['on', 'interval', 'relative_to'].map((name) => option(name, 'what starts the journey'));
  const options = (word?.options ?? []).map(({ name, summary }) => option(name, summary));
  const fields = isCall(open, 'update_contact') ? spot.fields.map((name) => option(name, 'field of the contact')) : [];
  return word && word.positional.length === 0 ? [...options, ...fields] : [...options, ...expressions(spot)];
}

const option = (name: string, detail: string): Completion => ({ label: name, kind: 'option', detail, insert: `${name}: ` });
const keyword = (label: string, detail = 'keyword'): Completion => ({ label, kind: 'keyword', detail });
const heads = (): Completion[] => headOptions.map((name) => option(name, 'option of a card'));
const headWords = (): Completion[] => [keyword('when', 'the condition of a card'), keyword('do', 'begins the items of a card')];
const top = (): Completion[] => topWords.map((word) => keyword(word, 'outside of cards'));

const items = (names: readonly string[]): Completion[] =>
  names.flatMap((name) => {
    const word = words.get(name);
    return word ? [{ label: name, kind: 'item' as const, detail: word.form, insert: word.example, select: sampleIn(word.example) }] : [];
  });

/** The first argument of a call if it is a text, without its quotes; all arguments otherwise. */
function sampleIn(call: string): Range {
  const [, before = '', argument = ''] = /^([^(]*\()("[^"]*"|[^)]*)/.exec(call) ?? [];
  const quote = argument.startsWith('"') ? 1 : 0;
  return { from: before.length + quote, to: before.length + argument.length - quote };
}

const cards = ({ notebook }: Spot): Completion[] =>
  [...notebook.cards].map(([label, [first]]) => ({ label, kind: 'card', detail: first!.head.label?.content ?? 'card' }));

/** Variables and functions; behind a dot, attributes. */
const expressions = (spot: Spot): Completion[] =>
  spot.path.length > 0
    ? attributes(spot)
    : expressionOptions([...variablesIn(spot.notebook)].map(([name, card]) => [name, `set in card ${card}`]));

const attributes = ({ path, fields, notebook }: Spot): Completion[] => attributeOptions(path, fields, notebook.markdown.config);

/** Variables, each with the first card that sets it. */
function variablesIn({ program }: ReadNotebook): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name: card, items: all } of program.cards) {
    for (const item of all) {
      const own = item.kind === 'assign' || item.kind === 'call' ? item.name : undefined;
      const usual = item.kind === 'call' && item.word.body ? baseOf(card) : undefined;
      const name = own ?? usual;
      if (name !== undefined && !found.has(name)) found.set(name, card);
    }
  }
  return found;
}

/** Contact fields that the notebook reads or writes, without the one being typed. */
function fieldsIn({ tokens, program }: ReadNotebook, offset: number): string[] {
  const read = tokens.kinds.flatMap((kind, i) =>
    kind === '.' &&
    tokens.kinds[i + 1] === 'name' &&
    tokens.kinds[i - 1] === 'name' &&
    tokens.textOf(i - 1) === 'contact' &&
    tokens.ends[i + 1] !== offset
      ? tokens.textOf(i + 1)
      : [],
  );
  const written = program.cards.flatMap(({ items: all }) =>
    all.flatMap((item) => (item.kind === 'call' && item.word.name === 'update_contact' ? item.rest.map(({ name }) => name) : [])),
  );
  return [...read, ...written];
}

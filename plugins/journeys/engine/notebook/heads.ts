import type { Expression } from './expression.js';
import type { Reading } from './reading.js';
import type { Head, Target } from './syntax.js';
import { contentOf } from './texts.js';
import type { TokenKind } from './tokens.js';
import { headOptions } from './words.js';

const HEAD = 'card Name, "label" when condition, then: Next do';
const expectedOptions = `${headOptions.slice(0, -1).join(', ')} or ${headOptions.at(-1)}`;
/** Tokens to skip as the value of an option, valid or not. */
const VALUES: ReadonlySet<TokenKind> = new Set<TokenKind>(['text', 'heredoc', 'number', 'name', 'true', 'false']);

interface Draft {
  label?: Expression;
  when?: Expression;
  next?: Target;
  readonly options: Map<string, string>;
}

/** Parses a card head from behind the name up to and including `do`. */
export function readHead(reading: Reading): Head {
  const { tokens } = reading;
  const head: Draft = { options: new Map() };
  let isFirst = true;
  while (reading.at < reading.limit) {
    const hasComma = tokens.kinds[reading.at] === ',';
    const at = hasComma ? reading.at + 1 : reading.at;
    const kind = at < reading.limit ? tokens.kinds[at] : 'fence';
    if (!hasComma && kind === 'do') {
      reading.at++;
      return head;
    }
    const isLabel = kind === 'text' || kind === 'heredoc';
    const isRoute = kind === 'name' && reading.isCall(at) && tokens.textOf(at) === 'then';
    // Read on as if the comma were there, so that the mistakes behind it are reported, too.
    const lacksComma = !hasComma && !tokens.breaks[at] && (isLabel || isRoute || kind === 'keyword');
    if (lacksComma) reading.unexpected('missing_comma', at, `',' expected before this part of the head`, { expected: ',' });
    const isSeparated = hasComma || lacksComma;
    if (kind === 'when') guard(reading, at, head);
    else if (isSeparated && isLabel) label(reading, at, head, isFirst);
    else if (isSeparated && kind === 'keyword') option(reading, at, head);
    else if (isSeparated && isRoute) route(reading, at, head);
    else {
      const expected = hasComma ? HEAD : 'do';
      reading.unexpected('invalid_head', at, `${hasComma ? HEAD : `'do'`} expected`, { expected });
      skipHead(reading, at);
      return head;
    }
    isFirst = false;
  }
  return head;
}

/** Recovers from a broken head: behind its `do`, or at the next line. */
function skipHead(reading: Reading, from: number): void {
  const { kinds, breaks } = reading.tokens;
  let i = from;
  while (i < reading.limit && kinds[i] !== 'do' && !(breaks[i] && kinds[i] === 'name')) i++;
  if (kinds[i] === 'do' && i < reading.limit) reading.at = i + 1;
  else reading.at = breaks[from] ? from : nextLine(reading, from);
}

function nextLine({ tokens, limit }: Reading, from: number): number {
  let i = from + 1;
  while (i < limit && !tokens.breaks[i]) i++;
  return i;
}

function guard(reading: Reading, at: number, head: Draft): void {
  if (head.when) reading.error('invalid_head', at, `only one 'when' expected`, { expected: HEAD });
  const when = reading.expressions.read(at + 1, reading.limit);
  reading.at = reading.expressions.at;
  if (when) {
    head.when = when;
    return;
  }
  // After a broken condition, continue at the do.
  const from = reading.at;
  while (reading.at < reading.limit && reading.tokens.kinds[reading.at] !== 'do') reading.at++;
  if (reading.at === reading.limit) reading.at = nextLine(reading, from);
}

function label(reading: Reading, at: number, head: Draft, isFirst: boolean): void {
  if (!isFirst) reading.error('invalid_head', at, 'the label comes first, and once', { expected: HEAD });
  const text = reading.whole({ from: at, to: at + 1 });
  if (text) head.label = text;
  reading.at = at + 1;
}

function option(reading: Reading, at: number, head: Draft): void {
  const { tokens } = reading;
  const name = tokens.textOf(at);
  const value = at + 1;
  if (name === 'then') {
    const target = reading.target(value);
    if (!target) reading.unexpected('invalid_head', value, `the name of a card expected behind 'then:'`, { expected: 'a card name' });
    else if (head.next) reading.error('repeated_option', at, 'then: is given twice');
    if (target) head.next ??= target;
    reading.at = target ? value + 1 : value;
    return;
  }
  if (!(headOptions as readonly string[]).includes(name))
    reading.unexpected('unknown_option', at, `${expectedOptions} expected`, {
      expected: expectedOptions,
      nearest: reading.findings.nearest(name, headOptions),
    });
  else if (tokens.kinds[value] !== 'text')
    reading.unexpected('invalid_head', value, `a text in quotes expected behind '${name}:'`, { expected: 'a text' });
  else if (head.options.has(name)) reading.error('repeated_option', at, `${name}: is given twice`);
  else head.options.set(name, contentOf(tokens, value));
  reading.at = VALUES.has(tokens.kinds[value]!) ? value + 1 : value;
}

/** `, then(Card)` in a head is read as `then: Card`. Other players jump before the body, so that it never runs. */
function route(reading: Reading, at: number, head: Draft): void {
  const { tokens } = reading;
  const close = tokens.matches[at + 1]!;
  const target = close === at + 3 ? reading.target(at + 2) : undefined;
  if (target) {
    head.next ??= target;
    const message = `then(${target.name}) in a head is read as then: ${target.name}`;
    reading.findings.warning('route_in_head', tokens.starts[at]!, tokens.ends[close]!, message);
  } else reading.error('invalid_head', at, `then: Card expected`, { expected: 'then: Card' });
  reading.at = close > 0 ? close + 1 : at + 2;
}

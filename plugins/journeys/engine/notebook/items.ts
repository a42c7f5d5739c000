import { functions } from '../expression/functions/index.js';
import { RESERVED_NAMES } from '../limits.js';
import { readArguments } from './arguments.js';
import type { Reading } from './reading.js';
import type { CallItem, Item } from './syntax.js';
import { reservedWords } from './tokens.js';
import { contentWords, topWords, type Word, words } from './words.js';

/** Words allowed in cards, and in the bodies of choices and questions. */
const isItem = ({ inBody }: Word): boolean => inBody !== 'only';
const isContent = ({ inBody }: Word): boolean => inBody !== undefined;

/** Parses items up to and including `end`. False when the `end` is missing. */
export function readItems(reading: Reading, items: Item[]): boolean {
  const { kinds } = reading.tokens;
  while (reading.at < reading.limit && !reading.findings.isFull) {
    const i = reading.at;
    if (kinds[i] === 'end') {
      reading.at++;
      return true;
    }
    if (kinds[i] === 'lost') {
      reading.at++;
      continue;
    }
    reading.begin(i);
    const item = readItem(reading, i);
    if (item) items.push(item);
    // Guarantees progress after any error.
    if (reading.at === i) reading.skipStatement(i + 1);
  }
  // With the findings full, nothing more would be reported.
  return reading.findings.isFull;
}

function readItem(reading: Reading, i: number): Item | undefined {
  const { tokens } = reading;
  const isAssigned = tokens.kinds[i + 1] === '=';
  const name = tokens.textOf(i);
  if (isAssigned && (tokens.kinds[i] === 'name' || reservedWords.has(name))) return assignment(reading, i, name);
  if (!reading.isCall(i)) return value(reading, i);
  const word = wordAt(reading, i, isItem);
  if (word?.name === 'then') return route(reading, i);
  if (word) return call(reading, word, i);
  if (functions.has(name.toLowerCase())) return value(reading, i);
  const expected = 'a known item or function';
  if ((topWords as readonly string[]).includes(name))
    reading.error('unknown_item', i, `${name}(...) must be outside of cards`, { expected });
  else {
    const hint = {
      expected,
      nearest: reading.findings.nearest(name, [
        ...words
          .values()
          .filter(isItem)
          .map((word) => word.name),
        ...functions.keys(),
      ]),
    };
    reading.error('unknown_item', i, `there is no item or function '${name}'`, hint);
  }
  reading.skipStatement(i);
  return undefined;
}

/** The word of a call. `delete` is also a function of two arguments: with one positional argument it is the item. */
function wordAt(reading: Reading, i: number, fits: (word: Word) => boolean): Word | undefined {
  const name = reading.tokens.textOf(i);
  const word = words.get(name);
  if (!word || !fits(word)) return undefined;
  if (!functions.has(name) || reading.tokens.matches[i + 1]! < 0) return word;
  const unnamed = reading.tokens.parts(i + 1).filter(({ from }) => reading.tokens.kinds[from] !== 'keyword');
  return unnamed.length === 1 ? word : undefined;
}

function assignment(reading: Reading, i: number, name: string): Item | undefined {
  if (RESERVED_NAMES.has(name) || reservedWords.has(name))
    reading.error('reserved_name', i, `another name expected: '${name}' is reserved`, { expected: 'another name' });
  const first = i + 2;
  const word = reading.isCall(first) ? wordAt(reading, first, isItem) : undefined;
  if (word && word.name !== 'then') return call(reading, word, first, i);
  const expression = statement(reading, first);
  return expression && { kind: 'assign', name, value: expression, start: reading.tokens.starts[i]!, end: expression.end };
}

function value(reading: Reading, i: number): Item | undefined {
  const expression = statement(reading, i);
  return expression && { kind: 'value', value: expression, start: expression.start, end: expression.end };
}

/** Parses an expression that is a whole statement. */
function statement(reading: Reading, i: number) {
  const expression = reading.expressions.read(i, reading.limit, true);
  reading.at = reading.expressions.at;
  if (expression) return endOfItem(reading) ? expression : undefined;
  const { body } = reading.expressions;
  if (body === undefined) reading.skipStatement(reading.at);
  else reading.skipBody(body);
  return undefined;
}

/** Checks that the statement ends here: at a new line, or before something that is clearly another item. */
function endOfItem(reading: Reading): boolean {
  const { kinds, breaks } = reading.tokens;
  const i = reading.at;
  if (i >= reading.limit || kinds[i] === 'end' || kinds[i] === 'lost') return true;
  if (breaks[i] && kinds[i] !== ')' && kinds[i] !== ']') return true;
  if (reading.isCall(i) || (kinds[i] === 'name' && kinds[i + 1] === '=')) return true;
  if (kinds[i] === 'do') reading.error('unwanted_body', i, `'do' has no place here`, { expected: 'a new line' });
  else reading.unexpected('unexpected', i, 'an operator or a new line expected', { expected: 'a new line' });
  reading.skipStatement(i);
  return false;
}

/** `then(Card)` and `then(Card when condition)`. */
function route(reading: Reading, i: number): Item | undefined {
  const { tokens } = reading;
  const word = words.get('then')!;
  const close = tokens.matches[i + 1]!;
  if (close < 0) return unclosed(reading, i);
  reading.at = close + 1;
  const target = i + 2 < close ? reading.target(i + 2) : undefined;
  const isConditional = tokens.kinds[i + 3] === 'when';
  if (!target || (i + 3 < close && !isConditional)) {
    reading.error('wrong_arguments', i, `${word.form} expected`, { expected: word.form });
    return undefined;
  }
  const when = isConditional ? reading.whole({ from: i + 4, to: close }) : undefined;
  if ((isConditional && !when) || !endOfItem(reading)) return undefined;
  return { kind: 'then', target, when, start: tokens.starts[i]!, end: tokens.ends[close]! };
}

/** Parses a call with its body. `first` is the token that the statement begins with. */
function call(reading: Reading, word: Word, i: number, first = i): CallItem | undefined {
  const { tokens } = reading;
  const close = tokens.matches[i + 1]!;
  if (close < 0) return unclosed(reading, i);
  const { args, rest, choices } = readArguments(reading, word, i);
  reading.at = close + 1;
  const isFollowed = tokens.kinds[reading.at] === 'do' && reading.at < reading.limit;
  if (isFollowed && !word.body) {
    reading.error('unwanted_body', reading.at, `${word.name}(...) takes no 'do'`, { expected: 'a new line' });
    reading.skipBody(reading.at);
  }
  if (!isFollowed && word.body === 'required')
    reading.error('missing_body', i, `'do' with the message expected behind ${word.name}(...)`, { expected: 'do' });
  const body = isFollowed && word.body ? readBody(reading, word, i) : [];
  checkChoices(reading, word, i, choices);
  if (word.body && word.mostChoices === undefined && args.size + body.length === 0)
    reading.error('wrong_arguments', i, `${word.form} expected`, { expected: word.form });
  const end = tokens.ends[reading.at - 1]!;
  if (!endOfItem(reading)) return undefined;
  const name = first < i ? tokens.textOf(first) : undefined;
  return { kind: 'call', word, name, args, rest, choices, body, start: tokens.starts[first]!, end };
}

function unclosed(reading: Reading, i: number): undefined {
  reading.expressions.unclosed(i + 1);
  reading.skipStatement(i);
  return undefined;
}

/** Parses the messages between `do` and `end`. */
function readBody(reading: Reading, word: Word, i: number): CallItem[] {
  const { kinds } = reading.tokens;
  const start = reading.at++;
  const body: CallItem[] = [];
  let isComplete = true;
  while (reading.at < reading.limit && kinds[reading.at] !== 'end') {
    const at = reading.at;
    if (kinds[at] === 'lost') {
      reading.at++;
      isComplete = false;
      continue;
    }
    reading.begin(at);
    const content = reading.isCall(at) ? wordAt(reading, at, isContent) : undefined;
    const item = content && call(reading, content, at);
    if (item) body.push(item);
    else isComplete = false;
    if (!content) {
      const expected = `${contentWords.slice(0, -1).join(', ')} or ${contentWords.at(-1)}`;
      reading.unexpected('wrong_content', at, `${expected} expected`, {
        expected,
        nearest: reading.findings.nearest(reading.tokens.textOf(at), contentWords),
      });
      reading.skipStatement(at);
      if (reading.at === at) reading.at++;
    }
  }
  if (reading.at < reading.limit) reading.layout.bodies.push([start, reading.at++]);
  const isSaid = body.some((item) => item.word.name === 'text');
  if (isComplete && word.body === 'required' && !isSaid)
    reading.error('missing_text', i, `text(...) expected in the body of ${word.name}(...)`, { expected: 'text(...)' });
  return body;
}

function checkChoices(reading: Reading, word: Word, i: number, choices: CallItem['choices']): void {
  if (!word.mostChoices || !choices || choices.kind === 'dynamic') return;
  const count = (choices.kind === 'named' ? choices.options : choices.kind === 'cards' ? choices.targets : choices.labels).length;
  if (count <= word.mostChoices) return;
  const noun = word.name === 'list' ? 'rows' : 'buttons';
  reading.error('too_many_choices', i, `at most ${word.mostChoices} ${noun} expected, found ${count}`, {
    expected: `at most ${word.mostChoices} ${noun}`,
  });
}

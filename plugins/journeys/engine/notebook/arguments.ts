import type { Expression } from './expression.js';
import type { Reading } from './reading.js';
import type { Argument, Choices, NamedExpression, Target } from './syntax.js';
import type { Range } from './tokens.js';
import type { Parameter, Word } from './words.js';

export interface Arguments {
  readonly args: Map<string, Argument>;
  readonly rest: NamedExpression[];
  readonly choices: Choices | undefined;
}

type Read = (reading: Reading, range: Range, parameter: Parameter, word: Word) => Argument | undefined;

/** Parses the arguments of a call. `call` is the token of its name; its brackets are closed. */
export function readArguments(reading: Reading, word: Word, call: number): Arguments {
  const parts = reading.tokens.parts(call + 1);
  const isChoice = word.mostChoices !== undefined;
  const lead = isChoice ? parts.splice(0, word.positional.length) : parts;
  const { args, rest } = readParameters(reading, word, call, lead);
  return { args, rest, choices: isChoice ? readChoices(reading, word, call, parts) : undefined };
}

function readParameters(reading: Reading, word: Word, call: number, parts: readonly Range[]): Omit<Arguments, 'choices'> {
  const args = new Map<string, Argument>();
  const rest: NamedExpression[] = [];
  const seen = new Set<string>();
  let count = 0;
  let isComplete = true;
  for (const part of parts) {
    if (isNamed(reading, part)) {
      readOption(reading, word, part, { args, rest, seen });
      continue;
    }
    const parameter = word.positional[count++];
    if (seen.size > 0) reading.unexpected('order_of_arguments', part.from, 'arguments without a name come before those with one');
    else if (!parameter && isComplete) wrong(reading, word, part.from);
    else if (parameter) {
      const argument = read[parameter.kind](reading, part, parameter, word);
      if (argument) args.set(parameter.name, argument);
      else isComplete = false;
    }
  }
  if (!isComplete) return { args, rest };
  const least = word.positional.filter(({ isOptional }) => !isOptional).length;
  if (count < least || (seen.size === 0 && count === 0 && word.rest && word.positional.length === 0)) wrong(reading, word, call);
  if (word.oneOf && word.oneOf.filter((name) => seen.has(name)).length !== 1) {
    const expected = word.oneOf.map((name) => `${name}:`).join(' or ');
    reading.error('wrong_arguments', call, `${expected} expected in ${word.name}(...)`, { expected });
  }
  return { args, rest };
}

interface Options {
  readonly args: Map<string, Argument>;
  readonly rest: NamedExpression[];
  readonly seen: Set<string>;
}

function readOption(reading: Reading, word: Word, part: Range, { args, rest, seen }: Options): void {
  const { from } = part;
  const name = reading.tokens.textOf(from);
  const value = { from: from + 1, to: part.to };
  if (seen.has(name)) reading.error('repeated_option', from, `${name}: is given twice`);
  seen.add(name);
  const parameter = word.options.find((option) => option.name === name);
  if (parameter) {
    const argument = read[parameter.kind](reading, value, parameter, word);
    if (argument) args.set(name, argument);
  } else if (word.rest) {
    const given = reading.whole(value);
    if (given) rest.push({ name, value: given, ...reading.span(from) });
  } else {
    const known = word.options.map((option) => option.name);
    const expected = known.length === 0 ? word.form : `${known.slice(0, -1).join(', ')}${known.length > 1 ? ' or ' : ''}${known.at(-1)}`;
    reading.unexpected('unknown_option', from, `${expected} expected`, { expected, nearest: reading.findings.nearest(name, known) });
    reading.whole(value);
  }
}

const isNamed = ({ tokens }: Reading, { from, to }: Range): boolean => from < to && tokens.kinds[from] === 'keyword';

function wrong(reading: Reading, word: Word, i: number, expected = word.form): undefined {
  reading.error('wrong_arguments', i, `${expected} expected`, { expected });
  return undefined;
}

/** Parses an argument by the kind of its parameter. */
const read: Record<Parameter['kind'], Read> = {
  template: oneValue(),
  expression: oneValue(),
  plain: oneValue((value) => value.kind === 'text', 'a text in quotes'),
  whole: oneValue((value) => value.kind === 'number' && /^\d{1,15}$/.test(value.text), 'a whole number'),
  flag: oneValue((value) => value.kind === 'flag', 'true or false'),
  expressions(reading, range, _parameter, word) {
    const items = elements(reading, range)?.map((part) => reading.whole(part));
    if (!items) return wrong(reading, word, range.from, 'a list such as ["a", b]');
    return items.every((item) => item !== undefined) ? { kind: 'list', items: items as Expression[] } : undefined;
  },
  pairs(reading, range, _parameter, word) {
    const parts = elements(reading, range)?.map((part) => elements(reading, part));
    if (!parts || parts.some((part) => part?.length !== 2))
      return wrong(reading, word, range.from, 'a list of pairs such as [["key", "value"]]');
    const pairs = parts.map((part) => part!.map((value) => reading.whole(value)));
    return pairs.flat().every((item) => item !== undefined) ? { kind: 'pairs', pairs: pairs as [Expression, Expression][] } : undefined;
  },
  cards(reading, range, _parameter, word) {
    const parts = elements(reading, range);
    if (!parts) return wrong(reading, word, range.from, 'a list of cards or of texts');
    const choices = fromList(reading, parts);
    if (choices?.kind === 'cards') return choices;
    return choices ? { kind: 'list', items: choices.labels } : undefined;
  },
};

function oneValue(fits: (value: Expression) => boolean = () => true, expected = ''): Read {
  return (reading, range, _parameter, word) => {
    const value = reading.whole(range);
    if (!value) return undefined;
    return fits(value) ? { kind: 'value', value } : wrong(reading, word, range.from, expected);
  };
}

/** The element ranges of a list literal that fills a range; undefined for anything else. */
function elements(reading: Reading, { from, to }: Range): Range[] | undefined {
  const isList = reading.tokens.kinds[from] === '[' && reading.tokens.matches[from] === to - 1;
  return isList ? reading.tokens.parts(from) : undefined;
}

/** Parses the choices of `buttons` and `list`: `Card: "label"` pairs, one list literal, or a card and an expression. */
function readChoices(reading: Reading, word: Word, call: number, parts: readonly Range[]): Choices | undefined {
  const [first, second, ...more] = parts;
  if (!first) {
    reading.error('nothing_to_choose', call, `${word.form} expected: there is nothing to choose`, { expected: word.form });
    return undefined;
  }
  if (isNamed(reading, first)) return named(reading, word, parts);
  const list = elements(reading, first);
  if (list && !second) return list.length === 0 ? wrong(reading, word, first.from) : fromList(reading, list);
  const target = first.to === first.from + 1 ? reading.target(first.from) : undefined;
  if (!target || !second || more.length > 0 || isNamed(reading, second)) return wrong(reading, word, first.from);
  const value = reading.whole(second);
  return value && { kind: 'dynamic', target, value };
}

function named(reading: Reading, word: Word, parts: readonly Range[]): Choices | undefined {
  const options = parts.flatMap((part) => {
    if (!isNamed(reading, part)) return wrong(reading, word, part.from) ?? [];
    const label = reading.whole({ from: part.from + 1, to: part.to });
    return label ? [{ target: { name: reading.tokens.textOf(part.from), ...reading.span(part.from) }, label }] : [];
  });
  return { kind: 'named', options };
}

/** A list of card names, or of labels. */
function fromList(reading: Reading, parts: readonly Range[]): Extract<Choices, { kind: 'cards' | 'labels' }> | undefined {
  const isCard = ({ from, to }: Range): boolean => to === from + 1 && reading.tokens.kinds[from] === 'name';
  if (parts.length > 0 && parts.every(isCard)) return { kind: 'cards', targets: parts.map(({ from }) => reading.target(from) as Target) };
  const labels = parts.map((part) => reading.whole(part));
  return labels.every((label) => label !== undefined) ? { kind: 'labels', labels: labels as Expression[] } : undefined;
}

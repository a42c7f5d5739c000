import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { Json, JsonObject } from '../../../../../core/json.js';
import { patient } from '../../../../../core/testing/slowness.js';
import { CalendarDate, ClockTime, DateTime, dateText, timeText } from '../../../../../plugins/journeys/engine/expression/calendar.js';
import { Evaluation } from '../../../../../plugins/journeys/engine/expression/evaluate.js';
import {
  type ExpressionEnvironment,
  evaluate,
  holds,
  render,
  resolve,
} from '../../../../../plugins/journeys/engine/expression/expression.js';
import { families, functions } from '../../../../../plugins/journeys/engine/expression/functions/index.js';
import {
  ExpressionError,
  isList,
  isMap,
  Missing,
  Range,
  type Value,
  type ValueMap,
} from '../../../../../plugins/journeys/engine/expression/value.js';
import { codePoint } from '../../../../../scripts/fuzz/code-point.js';
import { runs } from '../../../../forms.js';

const environment: ExpressionEnvironment = { now: Date.UTC(2025, 0, 15, 22, 30), timeZone: 'UTC', random: () => 0.5 };
const value = (source: string, context: JsonObject = {}, at = environment) => evaluate(source, [context as ValueMap], at).value;
const text = (source: string, context: JsonObject = {}, at = environment) => render(source, [context as ValueMap], at).value;
const warnings = (source: string, context: JsonObject = {}) =>
  render(source, [context as ValueMap], environment).warnings.map(({ code, expression }) => [code, expression]);

/** A case of the corpus, in the format of its source. */
interface Case {
  readonly id: string;
  readonly kind: 'expression' | 'template';
  readonly template_or_expression: string;
  readonly context: JsonObject;
  readonly expect: Json;
  readonly suggest?: Json;
  readonly engines: readonly string[];
  readonly returns: 'value' | 'string';
}

const dataOf = <T>(name: string): T => JSON.parse(readFileSync(join('test/plugins/journeys/engine/expression', name), 'utf8')) as T;
const corpus = dataOf<Case[]>('expression-cases.json').filter(({ engines }) => engines.includes('v1'));
const exceptions = dataOf<Record<string, string>>('exceptions.json');

const isTagged = (json: Json | undefined): json is JsonObject => typeof json === 'object' && json !== null && !Array.isArray(json);
const mapped = <T>(json: JsonObject, change: (item: Json) => T) =>
  Object.fromEntries(Object.entries(json).map(([key, item]) => [key, change(item)]));

/** Converts JSON of the corpus to values: types that JSON does not have are written like `{"$date": …}`. */
function untagged(json: Json): Value {
  if (Array.isArray(json)) return json.map(untagged);
  if (!isTagged(json)) return json as Value;
  if (typeof json.$float === 'number') return json.$float;
  if (typeof json.$date !== 'string') return mapped(json, untagged);
  const [year = 0, month = 0, day = 0] = json.$date.split('-').map(Number);
  return new CalendarDate(year, month, day);
}

/** Converts values back to JSON of the corpus, with date-times in UTC and errors by code. */
function tagged(result: Value): Json {
  if (result instanceof Missing) return { $missing: result.path };
  if (result instanceof CalendarDate) return { $date: dateText(result) };
  if (result instanceof DateTime) return { $datetime: result.ms };
  if (result instanceof ClockTime) return { $time: timeText(result) };
  if (result instanceof Range) return { $range: [result.first, result.last, result.step] };
  if (isList(result)) return result.map(tagged);
  return isMap(result) ? Object.fromEntries(Object.entries(result).map(([key, item]) => [key, tagged(item)])) : (result as Json);
}

function wanted(json: Json): Json {
  if (Array.isArray(json)) return json.map(wanted);
  if (!isTagged(json)) return json;
  if ('$float' in json || '$num' in json) return json.$float ?? json.$num ?? null;
  if ('$datetime' in json) return { $datetime: Date.parse(String(json.$datetime)) };
  if ('$error' in json) return { $error: json.code ?? null };
  return mapped(json, wanted);
}

/** Compares a missing path by its end, because the older engine reports only the end. */
function sameMissing(got: Json, want: Json): boolean {
  if (!isTagged(got) || !isTagged(want) || !Array.isArray(want.$missing)) return false;
  return `.${got.$missing}`.endsWith(`.${want.$missing.join('.')}`);
}

function outcome({ kind, template_or_expression: source, context, returns }: Case): Json {
  const evaluation = new Evaluation([untagged(context) as ValueMap], environment);
  try {
    if (kind === 'template' && returns === 'string') return evaluation.template(source);
    return tagged(kind === 'expression' ? evaluation.expression(source) : evaluation.templateValue(source));
  } catch (error) {
    if (error instanceof ExpressionError) return { $error: error.code };
    throw error;
  }
}

t.test('the corpus passes, except for cases that exceptions.json justifies', async (t) => {
  const failing = corpus.filter((item) => {
    const want = wanted(item.suggest !== undefined ? item.suggest : item.expect);
    const got = outcome(item);
    return !sameMissing(got, want) && JSON.stringify(got) !== JSON.stringify(want);
  });
  t.strictSame(
    failing.map(({ id }) => id),
    Object.keys(exceptions),
    'only the listed exceptions fail',
  );
  t.comment(`corpus: ${corpus.length - failing.length} pass, ${failing.length} argued exceptions`);
});

t.test('every function returns the result of its example', async (t) => {
  for (const { name, example, signature, summary } of Object.values(families).flat()) {
    const [source, printed] = example;
    t.strictSame(render(`@(${source})`, [], environment), { value: printed, warnings: [] }, source);
    t.match(signature, /^[a-z_]+\([a-z_, ?.]*\)$/, `${name} has a valid signature`);
    t.match(summary, /^[A-Z`].*\.$/, `${name} has a summary`);
  }
  t.equal(functions.size, Object.values(families).flat().length, 'no two functions have the same name');
});

t.test('operators have the documented precedence', async (t) => {
  const pairs: readonly (readonly [string, Json])[] = [
    ['1 + 2 * 3', 7],
    ['-2 ^ 2', -4],
    ['2 ^ 3 ^ 2', 512],
    ['10 - 3 - 2', 5],
    ['7 % 4 + 1', 4],
    ["1 + 1 & 'x'", '2x'],
    ['not 1 = 2', true],
    ['not true or true', true],
    ['true or false and false', true],
    ['1 < 2 = true', true],
    ['2 > 1 and 3 > 2 and not false', true],
    ['NOT(1 = 2) AND true', true],
    ['(1 + 2) * -3', -9],
    ["'10' > '9'", true],
    ["'2024-02-01' > '15-01-2024'", true],
    ["10:30 < '11:00'", true],
    ['1..3 = 1..3', true],
    ['[1, [2]] = [1, [2]]', true],
  ];
  for (const [source, want] of pairs) t.strictSame(value(source), want, source);
});

t.test('comparisons cast a text to the type of the other operand', async (t) => {
  const context = { n: '07', yes: 'TRUE', day: '2025-01-15', choice: { __value__: 'b', index: 1 } };
  t.ok(value('n = 7', context));
  t.ok(value("n != '7'", context), 'two texts compare as texts');
  t.ok(value('yes = true', context));
  t.ok(value('day = today()', context));
  t.ok(value("choice = 'b' and choice.index = 1", context));
  const chosen = { choice: { __value__: 'yes', name: 'yes', label: 'Oh yes!', index: 0 }, plain: { label: 'Oh yes!' } };
  t.ok(value(`choice == "Oh yes!" and "Oh yes!" = choice and choice = 'yes'`, chosen), 'a choice is its label and its name');
  t.notOk(value(`choice != "Oh yes!" or choice = "Oh" or plain = "Oh yes!"`, chosen), 'an object with a label is no choice');
  t.equal(value('n + 1', context), 8);
});

t.test('expressions in a contact’s text are never evaluated', async (t) => {
  const context = { secret: 'hidden', answer: '@secret @(1+1) @upper(secret)' };
  t.equal(text('You said: @answer', context), 'You said: @secret @(1+1) @upper(secret)');
  t.equal(value('"<@answer>" & answer', context), '<@secret @(1+1) @upper(secret)>@secret @(1+1) @upper(secret)');
  t.equal(text('@map([answer], &concatenate("(", &1, ")"))', context), '(@secret @(1+1) @upper(secret))');
  t.equal(value('json(parse_json(answer))', { ...context, answer: '{"a":"@secret"}' }), '{"a":"@secret"}');
});

t.test('JavaScript properties such as constructor are not reachable', async (t) => {
  for (const name of [
    'constructor',
    '__proto__',
    'toString',
    'contact.constructor',
    'contact.__proto__',
    'contact.name.length',
    'list.length',
  ]) {
    t.equal(value(`is_nil_or_empty(${name})`, { contact: { name: 'Bo' }, list: [1] }), true, name);
  }
  t.strictSame(Object.keys(value(`parse_json('{"__proto__": {"admin": true}}')`) as object), ['__proto__'], 'a key like any other');
  t.notOk(value(`parse_json('{"__proto__": {"admin": true}}').admin`));
});

t.test('a hyphenated name is one name if the context has it', async (t) => {
  t.equal(value('first-name & x', { 'first-name': 'Bo', x: '!' }), 'Bo!');
  t.equal(value('a-1*2', { a: 5 }), 3);
  t.equal(value('contact.first-name', { contact: { 'first-name': 'Bo' } }), 'Bo');
  t.equal(text('@contact.first-name, @a-b-c', { contact: { 'first-name': 'Bo' }, 'a-b': 1 }), 'Bo, 1-c');
});

t.test('errors become warnings, and the text is still rendered', async (t) => {
  t.equal(text('Dear @contact.nmae, @(1/0) @nope(1) @', { contact: {} }), 'Dear @contact.nmae, @(1/0) @nope(1) @');
  t.strictSame(warnings('Dear @contact.nmae, @(1/0) @nope(1) @', { contact: {} }), [
    ['missing', '@contact.nmae'],
    ['bad_argument', '@(1/0)'],
    ['unknown_function', '@nope(1)'],
    ['lone_at', '@'],
  ]);
  t.strictSame(warnings('write to me@example.org or a@@b.c'), [], 'an e-mail address causes no warning');
  t.strictSame(holds('nope(1)', [], environment).value, false, 'the text of an error is not true');
  t.match(holds('1 +', [], environment), { value: false, warnings: [{ code: 'parse', reason: /position 4/ }] });
  t.match(holds('1 = 1 && 1 = 2', [], environment), {
    value: false,
    warnings: [{ code: 'parse', reason: /'&&' is not an operator; write 'and'/ }],
  });
  t.match(holds('"a" & &(1 = 2)', [], environment), {
    value: false,
    warnings: [{ code: 'bad_argument', reason: /cannot be used as text; .* write 'and'/ }],
  });
  t.match(holds('1 = 1 & &name', [{ name: 'x' }], environment), {
    value: false,
    warnings: [{ code: 'parse', reason: /expected parentheses before 'name'/ }],
  });
  t.equal(text('<@(parse_json("1e400"))>'), '<>', 'a number that is too large is nil');
  t.equal(text('@(parse_json("[1, [2, 1e400]]"))'), '12', 'also in a list');
  const nested = (levels: number) => text('<@(json(parse_json(x)))>', { x: '['.repeat(levels) + ']'.repeat(levels) });
  t.equal(nested(64), `<${'['.repeat(64)}${']'.repeat(64)}>`, 'the depth limit of JSON from outside');
  t.equal(nested(65), '<null>');
  t.equal(text('@(join(map(1..2, &("n" &&1)), "-"))'), 'n1-n2', 'a text joined with an argument');
  for (const pattern of ['^(?!no).*$', '('])
    t.match(holds(`has_pattern("yes", "${pattern}")`, [], environment), {
      value: false,
      warnings: [{ code: 'bad_argument', reason: /^the pattern '.+' is invalid: error parsing regexp/ }],
    });
  const many = (source: string) => evaluate(source, [], environment).warnings.length;
  t.equal(many('count(filter(1..2000, &has_pattern(&1, "(?!x)")))'), 1, 'the same warning only once');
  t.equal(many('count(filter(1..2000, &nope(&1)))'), 1);
  t.ok(many('count(filter(1..2000, &has_pattern("a", "(" & &1)))') <= 101, 'at most 100 different warnings per code');
  const lists = { l: Array.from({ length: 500 }, (_, i) => i), m: Array.from({ length: 500 }, (_, i) => `x${i}`) };
  t.equal(warnings('@(map(l, &("@(m[&1] + 1)")))', lists).length, 100, 'at most 100 warnings per code');
  const wrong = holds('count(map(l, &("@(m[&1] + 1)"))) = 500 and nope(1)', [lists as ValueMap], environment);
  t.match(wrong, { value: false, warnings: { length: 101, 100: { code: 'unknown_function' } } }, 'warnings of other codes are kept');
  t.strictSame(resolve('@missing', [], environment).value, null);
  t.strictSame(resolve('@n', [{ n: 5 }], environment).value, 5, 'a single block keeps its type');
  t.strictSame(resolve('n@n', [{ n: 5 }], environment).value, 'n5');
});

t.test('numbers, dates, e-mail addresses and telephone numbers are found in free text', async (t) => {
  const pairs: readonly (readonly [string, Json])[] = [
    ["has_number('I am 42. And you?').number", 42],
    ["has_number('room 5-10').number", 5],
    ["has_number('it is -3.5 outside').number", -3.5],
    ["has_number('٤٢').number", 42],
    ["has_date('on the 31/01/2022, at noon').date", '2022-01-31'],
    ["has_date('32/01/2022 or 01/02/2022').date", '2022-02-01'],
    ["has_phone('call me: 082 555 1234', 'ZA').phonenumber", '+27825551234'],
    ["has_phone('+27 82 555 1234').phonenumber", '+27825551234'],
    ["has_phone('082 555 1234', 'nowhere').phonenumber", null],
    ["len('e\u0301👨‍👩‍👧')", 2],
    ["left('👨‍👩‍👧abc', 2)", '👨‍👩‍👧a'],
    ["has_any_word('Yes, please!', 'yes')", { __value__: true, match: 'Yes' }],
    ["word('one two', 9)", ''],
    ["split('a b  c')", ['a', 'b', 'c']],
  ];
  for (const [source, want] of pairs) t.strictSame(value(source), want, source);
  t.strictSame(value("has_phone('082 555 1234').phonenumber", {}, { ...environment, country: 'ZA' }), '+27825551234');
});

t.test('hostile expressions are evaluated fast', async (t) => {
  const long = 'a'.repeat(60_000);
  const attacks: readonly (readonly [string, JsonObject?])[] = [
    ["has_pattern(x, '(a+)+$')", { x: `${long}b` }],
    ["has_pattern(x, '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)=')", { x: long }],
    ["map(1..10000, &has_pattern(x, '((a{1,30}){1,30})*b'))", { x: long }],
    ['has_email(x)', { x: long }],
    ['has_email(x)', { x: '@a'.repeat(30_000) }],
    ['has_phone(x)', { x: '1'.repeat(60_000) }],
    ['has_number(x)', { x: `${'1.'.repeat(30_000)}` }],
    ['has_date(x)', { x: '2022-01-'.repeat(8_000) }],
    ['has_time(x)', { x: '12:'.repeat(20_000) }],
    ['word_count(x)', { x: ' '.repeat(60_000) }],
    ['len(x)', { x: 'x\n'.repeat(12_000) }],
    ['left(x, 3)', { x: `a${'\u0301'.repeat(20_000)}` }],
    ['has_all_words(x, x)', { x: 'ab '.repeat(20_000) }],
    ['parse_json(x)', { x: '['.repeat(60_000) }],
    ["rept(rept('x', 10000), 10000)"],
    ['map(1..10000, &map(1..10000, &1))'],
    ["reduce(1..40, 'x', &concatenate(&2, &2))"],
    ['json(reduce(1..50, [1], &[&2, &2]))'],
    ['reduce(1..50, [1], &[&2, &2]) = reduce(1..50, [1], &[&2, &2])'],
    ['reduce(1..50, [1], &append(&2, &2))'],
    ['map([&map([&1], &1)], &map([&1], &1))'],
    ["substitute(x, 'a', x)", { x: long }],
    [`${'('.repeat(30_000)}1`],
    [`${'-'.repeat(30_000)}1`],
    [`1${'+1'.repeat(30_000)}`],
    [`1${' = 1 + 1 * 1'.repeat(5_000)}`],
    [`"${'@('.repeat(30_000)}"`],
    [`a${'.b'.repeat(30_000)}`],
    [`a${'-b'.repeat(30_000)}`],
    [`not ${'not '.repeat(10_000)}1`],
    [`2${'^2'.repeat(10_000)}`],
    ['1..9007199254740991'],
    ['map(1..9007199254740991, &1)'],
  ];
  for (const [source, context = {}] of attacks) {
    // CPU time of this thread, so that other load on the machine does not matter.
    const before = process.cpuUsage();
    value(source, context);
    text(`@(${source}) ${source}`, context);
    const ms = process.cpuUsage(before).user / 1000;
    t.ok(ms < patient(3000), `${source.slice(0, 60)} took ${Math.round(ms)} ms`);
  }
});

t.test('no source text throws or hangs', async (t) => {
  const pieces = fc.constantFrom(
    ...[
      '@',
      '@@',
      '@(',
      ')',
      '(',
      '[',
      ']',
      '.',
      '..',
      '//',
      ',',
      '&',
      '&1',
      '&(',
      "'",
      '"',
      '\\',
      '+',
      '-',
      '*',
      '/',
      '%',
      '^',
      '=',
      '<>',
      '<=',
      ' ',
      '\t',
    ],
    ...[
      'not ',
      ' and ',
      ' or ',
      'true',
      'nil',
      'contact',
      'contact.name',
      'xs',
      'first-name',
      '1',
      '.5',
      '1e3',
      '007',
      '2022-01-31',
      '10:30',
      '31/12/2022 10:00',
    ],
    ...[...functions.keys()].flatMap((name) => [name, `${name}(`]),
  );
  const source = fc.oneof(
    fc.array(pieces, { maxLength: 30 }).map((list) => list.join('')),
    fc.string({ unit: codePoint, maxLength: 60 }),
  );
  const context = fc.jsonValue().map((x) => [{ contact: { name: 'Bo', 'first-name': 'Bo' }, xs: [1, 'two', null], x } as ValueMap]);
  fc.assert(
    fc.property(source, context, (source, scope) => {
      const results = [evaluate, holds, render, resolve].map((work) => work(source, scope, environment));
      const again = [evaluate, holds, render, resolve].map((work) => work(source, scope, environment));
      return JSON.stringify(results) === JSON.stringify(again);
    }),
    { numRuns: runs(3000) },
  );
  t.pass('3,000 random sources, twice each, with the same results');
});

t.test('a text without an @ is returned unchanged', async (t) => {
  fc.assert(fc.property(fc.string({ unit: codePoint }), (source) => text(source.replaceAll('@', '@@')) === source));
  t.pass('and a doubled @ is one @');
});

import { equal } from '../operators.js';
import { jsonText } from '../text.js';
import { ExpressionError, isList, isTrue, Missing, unwrap, type Value } from '../value.js';
import {
  type CallContext,
  countArgument,
  define,
  type FunctionDefinition,
  isNil,
  lambdaArgument,
  listArgument,
  looseText,
  mapArgument,
  textArgument,
} from './define.js';

export const lists: readonly FunctionDefinition[] = [
  define(
    'map(list, function)',
    'Calls the function with each item and returns the list of results.',
    ['map([1, 2], &(&1 * 2))[1]', '4'],
    ([list, lambda], call) => listArgument(list, call).map((item) => lambdaArgument(lambda).apply([item])),
  ),
  define(
    'filter(list, function)',
    'The items for which the function is true.',
    ['count(filter([1, 2, 3], &(&1 > 1)))', '2'],
    ([list, lambda], call) => listArgument(list, call).filter((item) => isTrue(lambdaArgument(lambda).apply([item]))),
  ),
  define(
    'reject(list, function)',
    'The items for which the function is not true.',
    ['count(reject([1, 2, 3], &(&1 > 1)))', '1'],
    ([list, lambda], call) => listArgument(list, call).filter((item) => !isTrue(lambdaArgument(lambda).apply([item]))),
  ),
  define(
    'find(list, function)',
    'The first item for which the function is true, or nil.',
    ['find([1, 2, 3], &(&1 > 1))', '2'],
    ([list, lambda], call) => listArgument(list, call).find((item) => isTrue(lambdaArgument(lambda).apply([item]))) ?? null,
  ),
  define(
    'reduce(list, start, function)',
    'Combines all items into one value; the function gets an item and the value so far.',
    ['reduce([1, 2, 3], 0, &(&1 + &2))', '6'],
    ([list, start, lambda], call) =>
      listArgument(list, call).reduce<Value>((soFar, item) => lambdaArgument(lambda).apply([item, soFar]), start ?? null),
  ),
  define(
    'append(list, value)',
    'The list with the value appended, or with all items of the value if it is a list.',
    ["count(append(['a'], 'b'))", '2'],
    ([list, value], call) => {
      const items = listArgument(list, call);
      const more = isList(value) ? value : [value instanceof Missing ? null : (value ?? null)];
      call.budget.spendList(items.length + more.length);
      return [...items, ...more];
    },
  ),
  define('delete(map, key)', 'The map without this key.', ["json(delete(parse_json('[{}]')[0], 'a'))", '{}'], ([map, key], call) => {
    const unwanted = textArgument(key, call);
    return Object.fromEntries(Object.entries(mapArgument(map)).filter(([name]) => name !== unwanted));
  }),
  define('uniq(list)', 'The list without duplicates.', ['count(uniq([1, 1, 2]))', '2'], ([list], call) => {
    const seen = new Set<string>();
    return listArgument(list, call).filter((item) => {
      const key = jsonText(item, call);
      return !seen.has(key) && seen.add(key);
    });
  }),
  define(
    'with_index(list)',
    'A list of pairs: each item with its position, counted from 0.',
    ["with_index(['a', 'b'])[1][1]", '1'],
    ([list], call) => listArgument(list, call).map((item, index) => [item, index]),
  ),
  define(
    'chunk_every(list, size)',
    'The list split into lists of at most `size` items.',
    ['count(chunk_every([1, 2, 3], 2))', '2'],
    ([list, size], call) => {
      const items = listArgument(list, call);
      const length = countArgument(size);
      if (length === 0) throw new ExpressionError('bad_argument', 'the size of a chunk must be at least 1');
      return Array.from({ length: Math.ceil(items.length / length) }, (_, i) => items.slice(i * length, (i + 1) * length));
    },
  ),
  define(
    'join(list, separator)',
    'The items as one text, with the separator between them.',
    ["join(['a', 'b'], ', ')", 'a, b'],
    ([list, separator], call) => {
      const pieces = listArgument(list, call).map((item) => looseText(item, call));
      const between = looseText(separator, call);
      call.budget.spendText(pieces.reduce((total, piece) => total + piece.length + between.length, 0));
      return pieces.join(between);
    },
  ),
  define(
    'has_member(list, value)',
    'Whether the list contains an item equal to the value.',
    ["has_member(['a', 'b'], 'b')", 'true'],
    ([list, value], call) => isMember(listArgument(list, call), value ?? null, call),
  ),
  define(
    'has_all_members(list, values)',
    'Whether the list contains all of the values.',
    ["has_all_members(['a', 'b'], ['b'])", 'true'],
    ([list, values], call) => {
      const items = listArgument(list, call);
      return listArgument(values, call).every((value) => isMember(items, value, call));
    },
  ),
  define(
    'has_group(groups, uuid)',
    'Whether one of the groups has this uuid.',
    ["has_group([], 'x')", 'false'],
    ([groups, uuid], call) =>
      !isNil(groups) &&
      listArgument(groups, call).some((group) =>
        equal((unwrap(group) === group ? mapArgument(group).uuid : group) ?? null, uuid ?? null, call),
      ),
  ),
];

const isMember = (list: readonly Value[], value: Value, call: CallContext): boolean =>
  list.some((item) => {
    call.budget.spend(1);
    return equal(item, value, call);
  });

import type { Json } from '#core/basics';
import { type Numeric, readNumber } from '../answers/numbers.js';
import { listAt } from '../compile.js';
import type { BlockType, Run } from './block-type.js';
import { checkReserved } from './config.js';
import { numberJson } from './numeric-response.js';

/** Waits for a line of text and parses it; the form of early release candidates. `%s` is a word, `%d` an integer, `%f` a number. */
export const read: BlockType = {
  settings: { format: 'any', destination_variables: 'any' },

  enter: () => ({ kind: 'wait' }),

  answer(run, { text }) {
    const values = readAs(run, formatOf(run), text);
    if (!values) return { kind: 'invalid', reason: 'no_match' };
    for (const [i, name] of listAt(run.config, 'destination_variables').entries()) {
      if (typeof name === 'string') run.setVariable(name, values[i] ?? null);
    }
    return { kind: 'continue', value: values.length === 1 ? (values[0] ?? null) : values };
  },

  check({ config }, report) {
    for (const [i, name] of listAt(config, 'destination_variables').entries()) {
      if (typeof name === 'string') checkReserved(name, `config.destination_variables[${i}]`, report);
    }
  },
};

const formatOf = (run: Run): string => (typeof run.config.format === 'string' ? run.config.format.slice(0, 1000) : '%s');

const isInteger = (number: Numeric): boolean => typeof number === 'bigint' || Number.isInteger(number);

/** The values of a line; undefined when it does not match the format. Words must be separated by white space in both. */
function readAs(run: Run, format: string, line: string): readonly Json[] | undefined {
  const [wanted, given] = [format.trim().split(/\s+/), line.trim().split(/\s+/)];
  if (wanted.length !== given.length) return undefined;
  const values: Json[] = [];
  for (const [i, want] of wanted.entries()) {
    const word = given[i] ?? '';
    const number = readNumber(word, run.locale);
    if (want === '%s') values.push(word);
    else if (number !== undefined && (want === '%f' || (want === '%d' && isInteger(number)))) values.push(numberJson(number));
    else if (want !== word) return undefined;
  }
  return values;
}

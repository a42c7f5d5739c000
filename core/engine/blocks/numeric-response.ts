import { acceptOrReject, askQuestion, checkQuestion, questionResources } from './asking.js';
import type { BlockType } from './block-type.js';
import { numberOf } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for a number, optionally between two bounds (inclusive). */
export const numericResponse: BlockType = {
  settings: { ...QUESTION, compat: 'any', validation_minimum: 'any', validation_maximum: 'any' },

  enter: askQuestion,

  answer(run, { text }) {
    const value = run.config.compat === true ? leadingInteger(text) : parseNumber(text);
    if (value === undefined) return { kind: 'invalid', reason: 'not_a_number' };
    const { validation_minimum, validation_maximum } = run.config;
    const [min, max] = [numberOf(validation_minimum) ?? -Infinity, numberOf(validation_maximum) ?? Infinity];
    return value < min || value > max ? { kind: 'invalid', reason: 'out_of_range' } : acceptOrReject(run, text, value);
  },

  resources: questionResources,

  check(block, report) {
    checkQuestion(block, report);
    const [min, max] = [numberOf(block.config.validation_minimum), numberOf(block.config.validation_maximum)];
    if (min !== undefined && max !== undefined && min > max) {
      report.error('config.validation_minimum', `the minimum ${min} is greater than the maximum ${max}, so every answer is invalid`);
    }
  },
};

/** The zeros of other decimal digit systems, such as Arabic-Indic and Devanagari. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0xff10];

/**
 * Parses a text that is a number: digits of any script, with a decimal point or one decimal comma. Commas between groups of three
 * digits are thousands separators. Returns undefined for any other text.
 */
export function parseNumber(text: string): number | undefined {
  const digits = text.trim().replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? digit : String(code - zero);
  });
  const plain = digits.replace(/[٫]/g, '.').replace(/[٬’']/g, '').replace(/−/g, '-');
  const grouped = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain.replace(/^([^,.]*),(\d+)$/, '$1.$2');
  return /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(grouped) ? Number(grouped) : undefined;
}

/** Parses the leading integer of a text, as older flow players do: "30.9 years" is 30. */
function leadingInteger(text: string): number | undefined {
  const [found] = /^[+-]?\d{1,15}/.exec(text) ?? [];
  return found === undefined ? undefined : Number(found);
}

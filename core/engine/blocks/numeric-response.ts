import { accepted, ask, checkQuestion, questionResources } from './asking.js';
import type { BlockType } from './block-type.js';
import { numberOf } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for a number, between bounds if there are any; the bounds themselves are allowed. */
export const numericResponse: BlockType = {
  settings: { ...QUESTION, compat: 'any', validation_minimum: 'any', validation_maximum: 'any' },

  enter: ask,

  answer(run, { text }) {
    const value = run.config.compat === true ? leadingInteger(text) : numberIn(text);
    if (value === undefined) return { kind: 'invalid', reason: 'not_a_number' };
    const { validation_minimum, validation_maximum } = run.config;
    const [least, most] = [numberOf(validation_minimum) ?? -Infinity, numberOf(validation_maximum) ?? Infinity];
    return value < least || value > most ? { kind: 'invalid', reason: 'out_of_range' } : accepted(run, text, value);
  },

  resources: questionResources,

  check(block, report) {
    checkQuestion(block, report);
    const [least, most] = [numberOf(block.config.validation_minimum), numberOf(block.config.validation_maximum)];
    if (least !== undefined && most !== undefined && least > most) {
      report.error('config.validation_minimum', `no number is at least ${least} and at most ${most}`);
    }
  },
};

/** First digits of the decimal systems that people write numbers in beside ours. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0xff10];

/**
 * The number that a text is: digits of any script, a decimal point or a single decimal comma. A comma between groups of
 * three digits stands between thousands.
 */
export function numberIn(text: string): number | undefined {
  const digits = text.trim().replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? digit : String(code - zero);
  });
  const plain = digits.replace(/[٫]/g, '.').replace(/[٬’']/g, '').replace(/−/g, '-');
  const grouped = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain.replace(/^([^,.]*),(\d+)$/, '$1.$2');
  return /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(grouped) ? Number(grouped) : undefined;
}

/** What the number-like beginning of a text is worth, as older players read answers: "30.9 years" is 30. */
function leadingInteger(text: string): number | undefined {
  const [found] = /^[+-]?\d{1,15}/.exec(text) ?? [];
  return found === undefined ? undefined : Number(found);
}

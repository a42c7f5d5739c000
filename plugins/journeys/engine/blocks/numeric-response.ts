import { bigInteger, type Json } from '#core/basics';
import { type Numeric, readNumber } from '../answers/numbers.js';
import { acceptOrReject, askQuestion, checkQuestion, questionResources } from './asking.js';
import type { BlockType } from './block-type.js';
import { numberOf } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for a number, optionally between two bounds (inclusive). */
export const numericResponse: BlockType = {
  settings: { ...QUESTION, compat: 'any', validation_minimum: 'any', validation_maximum: 'any' },

  enter: askQuestion,

  answer(run, { text }) {
    const value = run.config.compat === true ? leadingInteger(text) : readNumber(text, run.locale);
    if (value === undefined) return { kind: 'invalid', reason: 'not_a_number' };
    const { validation_minimum, validation_maximum } = run.config;
    const [min, max] = [numberOf(validation_minimum) ?? -Infinity, numberOf(validation_maximum) ?? Infinity];
    return value < min || value > max ? { kind: 'invalid', reason: 'out_of_range' } : acceptOrReject(run, text, numberJson(value));
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

/** Parses the leading integer of a text, as older flow players do: "30.9 years" is 30. */
function leadingInteger(text: string): number | undefined {
  const [found] = /^[+-]?\d{1,15}/.exec(text) ?? [];
  return found === undefined ? undefined : Number(found);
}

export const numberJson = (number: Numeric): Json => (typeof number === 'bigint' ? bigInteger(number) : number);

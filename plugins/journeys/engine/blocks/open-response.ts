import type { Input, JsonObject } from '#core/basics';
import { objectAt } from '../compile.js';
import { charactersOf } from '../expression/functions/characters.js';
import { acceptOrReject, askQuestion, checkQuestion, questionResources } from './asking.js';
import type { BlockType, Outcome } from './block-type.js';
import { numberOf } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for a free text. */
export const openResponse: BlockType = {
  settings: { ...QUESTION, max_response_characters: 'any', text: { max_response_characters: 'any' } },

  enter: askQuestion,

  answer(run, { text, type }: Input): Outcome {
    if (text.trim() === '') return { kind: 'invalid', reason: type === 'text' ? 'empty' : 'not_a_text' };
    const max = maxLengthOf(run.config);
    if (max !== undefined && isLonger(text, max)) return { kind: 'invalid', reason: 'too_long' };
    return acceptOrReject(run, text, text);
  },

  resources: questionResources,
  check: checkQuestion,
};

/** Counts grapheme clusters: an emoji is one character, however many code points it has. */
const isLonger = (text: string, max: number): boolean => text.length > max && charactersOf(text).length > max;

/** The maximum length of an answer. Release candidates 1 to 3 have it under `text`. */
const maxLengthOf = (config: JsonObject): number | undefined =>
  numberOf(config.max_response_characters) ?? numberOf(objectAt(config, 'text').max_response_characters);

import type { JsonObject } from '../../json.js';
import type { Input } from '../../turns/input.js';
import { objectAt } from '../compile.js';
import { charactersOf } from '../expression/functions/characters.js';
import { accepted, ask, checkQuestion, questionResources } from './asking.js';
import type { BlockType, Outcome } from './block-type.js';
import { numberOf } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for a free text. */
export const openResponse: BlockType = {
  settings: { ...QUESTION, max_response_characters: 'any', text: { max_response_characters: 'any' } },

  enter: ask,

  answer(run, { text, type }: Input): Outcome {
    if (text.trim() === '') return { kind: 'invalid', reason: type === 'text' ? 'empty' : 'not_a_text' };
    const most = longest(run.config);
    if (most !== undefined && isLonger(text, most)) return { kind: 'invalid', reason: 'too_long' };
    return accepted(run, text, text);
  },

  resources: questionResources,
  check: checkQuestion,
};

/** Counts grapheme clusters: an emoji is one character, however many code points it has. */
const isLonger = (text: string, most: number): boolean => text.length > most && charactersOf(text).length > most;

/** The maximum length of an answer. Release candidates 1 to 3 have it under `text`. */
const longest = (config: JsonObject): number | undefined =>
  numberOf(config.max_response_characters) ?? numberOf(objectAt(config, 'text').max_response_characters);

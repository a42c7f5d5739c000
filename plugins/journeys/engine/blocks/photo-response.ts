import { acceptOrReject, askQuestion, checkQuestion, questionResources } from './asking.js';
import type { BlockType } from './block-type.js';
import { objectInAnswer } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for an image; the value is a reference to the image, which a later block can send. */
export const photoResponse: BlockType = {
  settings: QUESTION,

  enter: askQuestion,

  answer(run, input) {
    const image = objectInAnswer(input, 'image');
    const link = typeof image?.link === 'string' && image.link !== '' ? image.link : undefined;
    const value = link ?? (typeof image?.id === 'string' && image.id !== '' ? `media:${image.id}` : undefined);
    return value === undefined ? { kind: 'invalid', reason: 'not_a_picture' } : acceptOrReject(run, input.text, value);
  },

  resources: questionResources,
  check: checkQuestion,
};

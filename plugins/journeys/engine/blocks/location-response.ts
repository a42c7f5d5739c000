import type { Json, JsonObject } from '#core/basics';
import { plainDigits } from '../answers/digits.js';
import { acceptOrReject, askQuestion, checkQuestion, questionResources } from './asking.js';
import type { BlockType } from './block-type.js';
import { numberOf, objectInAnswer } from './config.js';
import { QUESTION } from './settings.js';

/** Asks for the contact's location; the value is `[latitude, longitude, elevation, accuracy]`, with null where the network has no value. */
export const locationResponse: BlockType = {
  settings: { ...QUESTION, accuracy_threshold_meters: 'ignored', accuracy_timeout_seconds: 'ignored' },

  enter: askQuestion,

  answer(run, input) {
    const value = place(objectInAnswer(input, 'location') ?? typedLocation(input.text));
    return value ? acceptOrReject(run, input.text, value) : { kind: 'invalid', reason: 'not_a_location' };
  },

  resources: questionResources,
  check: checkQuestion,
};

function place(given: JsonObject | undefined): readonly Json[] | undefined {
  const [latitude, longitude] = [numberOf(given?.latitude), numberOf(given?.longitude)];
  if (latitude === undefined || longitude === undefined) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  return [latitude, longitude, numberOf(given?.elevation) ?? null, numberOf(given?.accuracy) ?? null];
}

/** Reads a location written as two numbers, for contacts who cannot send one. */
function typedLocation(text: string): JsonObject | undefined {
  const [, latitude, longitude] = /^\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*$/.exec(plainDigits(text)) ?? [];
  return latitude === undefined ? undefined : { latitude: Number(latitude), longitude: Number(longitude) };
}

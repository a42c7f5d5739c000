import { createRequire } from 'node:module';
import Joi from 'joi';

/** Where a platform's journeys are at home. What differs between contacts is for the journeys themselves. */
export interface JourneyLocale {
  /** Whose clocks show what journeys read and write, by its IANA name; `UTC` if not given. */
  readonly timeZone?: string;
  /** Where telephone numbers without a country are from, as ISO 3166-1 has it: `ZA`. None if not given. */
  readonly country?: string;
}

// Loaded when a country is given: it is much of what importing the platform costs.
const require = createRequire(import.meta.url);
const phoneNumbers = (): typeof import('libphonenumber-js/min') => require('libphonenumber-js/min');

const named = (holds: (text: string) => boolean, message: string) =>
  Joi.string()
    .custom((text: string, { error }) => (holds(text) ? text : error('any.custom')))
    .messages({ 'any.custom': message });

export const localeSchema = Joi.object({
  timeZone: named(isTimeZone, '{#label} must be the IANA name of a time zone, such as Africa/Johannesburg').default('UTC'),
  country: named(
    (text) => phoneNumbers().isSupportedCountry(text),
    '{#label} must be two capital letters that ISO 3166 gives a country with telephone numbers, such as ZA',
  ),
}).default({ timeZone: 'UTC' });

function isTimeZone(name: string): boolean {
  if (!/^[A-Z]/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // What it throws says no more than that.
    return false;
  }
}

import { createRequire } from 'node:module';
import Joi from 'joi';

/** The locale of all journeys of a platform. Journeys handle differences between contacts themselves. */
export interface JourneyLocale {
  /** The IANA name of the time zone in which journeys read and write times; `UTC` by default. */
  readonly timeZone?: string;
  /**
   * The country in which contacts write telephone numbers and dates: ISO 3166-1 alpha-2, such as `ZA`. By default that of the contact's telephone
   * number, or of the number that they write to.
   */
  readonly country?: string;
}

/** The locale of journeys, and how strict they are checked. */
export interface JourneySettings extends JourneyLocale {
  /**
   * Says how to treat a journey with a message that the network would refuse, such as a header of 80 characters: `refuse` (the default)
   * prevents publishing it, `warn` only warns. Numbers of channels without limits are never checked.
   */
  readonly overNetworkLimit?: 'refuse' | 'warn';
}

// Loaded only when a country is given, because it takes long to import.
const require = createRequire(import.meta.url);
const phoneNumbers = (): typeof import('libphonenumber-js/min') => require('#phone-numbers');

const validatedText = (holds: (text: string) => boolean, message: string) =>
  Joi.string()
    .custom((text: string, { error }) => (holds(text) ? text : error('any.custom')))
    .messages({ 'any.custom': message });

export const journeysSchema = Joi.object({
  timeZone: validatedText(isTimeZone, '{#label} must be the IANA name of a time zone, such as Africa/Johannesburg').default('UTC'),
  country: validatedText(
    (text) => phoneNumbers().isSupportedCountry(text),
    '{#label} must be the ISO 3166-1 alpha-2 code of a country, in capital letters, such as ZA',
  ),
  overNetworkLimit: Joi.valid('refuse', 'warn'),
}).default({ timeZone: 'UTC' });

function isTimeZone(name: string): boolean {
  if (!/^[A-Z]/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

import { createRequire } from 'node:module';
import Joi from 'joi';

// Loaded only when a country is given, because it takes long to import.
const require = createRequire(import.meta.url);
const phoneNumbers = (): typeof import('libphonenumber-js/min') => require('#phone-numbers');

const validatedText = (holds: (text: string) => boolean, message: string) =>
  Joi.string()
    .custom((text: string, { error }) => (holds(text) ? text : error('any.custom')))
    .messages({ 'any.custom': message });

export const localeSchema = Joi.object({
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

import { type Messages, mirroredMessages, type Translation } from './translation.js';

/** The languages of the console. `ar-XB`, which tests use, is made from English. English has several forms of dates: those of the browser. */
const LANGUAGES = {
  en: { direction: 'ltr', locale: undefined },
  'ar-XB': { direction: 'rtl', locale: 'ar-EG' },
} as const;
type Language = keyof typeof LANGUAGES;
type Translated = Exclude<Language, 'en' | 'ar-XB'>;
/** The messages in every language but English and the one for tests. */
type Translations<M extends Messages> = Readonly<Record<Translated, Translation<M>>>;

const LANGUAGE_KEY = 'posthorn-language';

const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name);

/** The parts of the browser that a page needs. Unit tests have no address; a sandboxed frame may not use the storage. */
const { location } = globalThis as unknown as { readonly location?: { readonly search: string } };
const storage = () =>
  (globalThis as unknown as { readonly localStorage: Record<'getItem' | 'setItem', (...texts: string[]) => string | null> }).localStorage;

/** `?lang=` in the address, which is kept in the browser. A page is loaded in one language. */
const language: Language = chosen();

function chosen(): Language {
  if (location === undefined) return 'en';
  const asked = new URLSearchParams(location.search).get('lang');
  try {
    if (isLanguage(asked)) storage().setItem(LANGUAGE_KEY, asked);
    const kept = storage().getItem(LANGUAGE_KEY);
    return isLanguage(kept) ? kept : 'en';
  } catch {
    return isLanguage(asked) ? asked : 'en';
  }
}

/** The locale of dates. */
export const { locale } = LANGUAGES[language];
const numbers = new Intl.NumberFormat(locale ?? 'en');
const rules = new Intl.PluralRules(language === 'ar-XB' ? 'en' : language);

/** A number with the separators of the language. */
export const number = (value: number): string => numbers.format(value);

/** The form of a word for a count. Languages with more forms than English name them in `more`. */
export const plural = (count: number, one: string, other: string, more: Partial<Record<Intl.LDMLPluralRule, string>> = {}): string =>
  ({ one, ...more })[rules.select(count)] ?? other;

/** The messages of a page in the language of the console. */
export function catalogue<M extends Messages>(english: M, ...others: [Translated] extends [never] ? [] : [Translations<M>]): M {
  if (language === 'ar-XB') return mirroredMessages(english);
  const [translations = {}]: readonly Partial<Record<Language, unknown>>[] = others;
  return (translations[language] as M | undefined) ?? english;
}

/** Attributes of the root of a page. */
export const languageOfPage = { lang: language, dir: LANGUAGES[language].direction };

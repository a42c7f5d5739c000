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

const LANGUAGE_KEY = 'posthorn-console-language';

const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name);

/** `?lang=` in the address, which is kept in the browser. A page is loaded in one language. */
const language: Language = chosen();

function chosen(): Language {
  const asked = new URLSearchParams(location.search).get('lang');
  try {
    if (isLanguage(asked)) localStorage.setItem(LANGUAGE_KEY, asked);
    const kept = localStorage.getItem(LANGUAGE_KEY);
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

/** Tells the browser the language of the page and the direction of its lines. */
export function startLanguage(): void {
  Object.assign(document.documentElement, { lang: language, dir: LANGUAGES[language].direction });
}

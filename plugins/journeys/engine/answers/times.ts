import { ClockTime, isTime } from '../expression/calendar.js';
import { plainDigits } from './digits.js';

/**
 * Parts of the day beside a time. `night` lasts from six in the evening to six in the morning. A time with one of `other` is not read:
 * in Swahili and Amharic, people count the hours from sunrise.
 */
const PERIODS = {
  am: [
    'a\\.? ?m\\.?(?! (?:morgen|vormittag|nachmittag|abend))|morning|matin|mañana|madrugada|manhã|manha|morgens?|vormittags?|pagi|sabah|утра',
    'صباحا|صباحًا|ص|सुबह|पूर्वाह्न|সকাল|সকালে|ভোর|ভোরে|上午|早上|凌晨|午前|오전|새벽|เช้า',
  ],
  pm: [
    'p\\.? ?m\\.?|afternoon|evening|noon|soir|après-midi|tarde|nachmittags?|abends?|siang|sore|akşam|дня|вечера|مساء|مساءً|م',
    'दोपहर|शाम|अपराह्न|দুপুর|দুপুরে|বিকাল|বিকালে|বিকেল|বিকেলে|সন্ধ্যা|সন্ধ্যায়|下午|晚上|午後|오후|저녁|บ่าย|เย็น',
  ],
  night: ['night|tonight|nuit|noche|noite|nachts|malam|gece|ночи|ليلا|ليلًا|रात|রাত|রাতে|夜|深夜|밤'],
  other: ['saa|asubuhi|mchana|alasiri|jioni|usiku|ሰዓት|ከጠዋቱ|ጠዋት|ከሰዓት|ከቀኑ|ከምሽቱ|ምሽት|ከሌሊቱ|ሌሊት'],
} as const;

type Period = keyof typeof PERIODS;

/** Words between a time and its part of the day, such as `9:30 in the evening`, `9:30 Uhr abends`, `9h30 du soir`. */
const FILLER = "(?:in|the|at|this|de|la|da|do|du|del|por|por la|l['’]|am|uhr|heures|horas|jam|часов|बजे|টায়|টা|分|분)";
const anyPeriod = Object.entries(PERIODS)
  .map(([name, words]) => `(?<${name}>${words.join('|')})`)
  .join('|');
const AFTER = new RegExp(`^[ ,]*(?:${FILLER}[ ,]*)*(?:${anyPeriod})(?![\\p{L}\\p{M}])`, 'iu');
const BEFORE = new RegExp(`(?<![\\p{L}\\p{M}])(?:${anyPeriod})[ ,]*$`, 'iu');
/** Hours with minutes; or an hour that a part of the day must follow, or in Chinese, Japanese and Korean precede. */
const CLOCK =
  /(?<![\d:.,/-])(?<hour>\d{1,2})(?: ?(?<mark>[:.h時时點点시]) ?(?<minute>\d{2})(?::(?<second>\d{2}))?(?![\d:])(?: ?[分분])?| ?(?<alone>[時时點点시])?(?![\d:.,/-]))/giu;

/** A time of day in a text, and its place. */
export interface FoundTime {
  readonly time: ClockTime;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds times of day: `9:30`, `21h30`, `9 pm`, `9.30 p.m.`, `下午9点30分`. A part of the day beside a time counts, in twelve languages.
 * Times in words are not read, nor times that could mean another hour.
 */
export function* timesIn(written: string): Generator<FoundTime> {
  const text = plainDigits(written);
  for (const found of text.matchAll(CLOCK)) {
    const { hour = '', mark, minute = '0', second = '0', alone } = found.groups ?? {};
    const end = found.index + found[0].length;
    const after = AFTER.exec(text.slice(end, end + 40));
    const before = after ? null : BEFORE.exec(text.slice(Math.max(0, found.index - 20), found.index));
    const period = periodIn(after ?? before);
    const isClear = mark !== undefined && mark !== '.';
    // An hour alone needs am or pm: "5 morning classes" has no time.
    const isSure = alone !== undefined || /^ ?[ap]\.? ?m/i.test(after?.[0] ?? '');
    if (period === 'other' || !(isClear || (period && isSure))) continue;
    const parts = [hourOf(Number(hour), period), Number(minute), Number(second)] as const;
    if (!isTime(...parts)) continue;
    const start = found.index - (before?.[0].length ?? 0);
    yield { time: new ClockTime(...parts), start, end: end + (after?.[0].length ?? 0) };
  }
}

/** Reads a text that is a time of day as people type it; undefined for any other text. */
export function readTime(written: string): ClockTime | undefined {
  const text = written.trim();
  if (text.length > 60) return undefined;
  const [only] = timesIn(text);
  return only?.start === 0 && /^[.\s]*$/.test(plainDigits(text).slice(only.end)) ? only.time : undefined;
}

const periodIn = (match: RegExpExecArray | null): Period | undefined =>
  (Object.keys(PERIODS) as Period[]).find((name) => match?.groups?.[name] !== undefined);

function hourOf(hour: number, period: Period | undefined): number {
  if (period === undefined || hour > 12) return hour;
  const isAfternoon = period === 'pm' || (period === 'night' && hour >= 6 && hour < 12);
  return (hour % 12) + (isAfternoon ? 12 : 0);
}

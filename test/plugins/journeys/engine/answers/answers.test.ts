import { readFileSync } from 'node:fs';
import t from 'tap';
import { findDate, readDate } from '../../../../../plugins/journeys/engine/answers/dates.js';
import type { AnswerLocale } from '../../../../../plugins/journeys/engine/answers/locale.js';
import { findNumber, isCode, type Numeric, readNumber } from '../../../../../plugins/journeys/engine/answers/numbers.js';
import { findPhone } from '../../../../../plugins/journeys/engine/answers/phones.js';
import { readTime, timesIn } from '../../../../../plugins/journeys/engine/answers/times.js';
import { readYesNo } from '../../../../../plugins/journeys/engine/answers/words.js';
import {
  CalendarDate,
  type DateTime,
  dateText,
  dateTimeText,
  timeText,
} from '../../../../../plugins/journeys/engine/expression/calendar.js';

/** The readings of a text. A row lists all: other readers must not read the text. */
interface Reading {
  readonly number?: number | string;
  /** A number that is more likely a code or a telephone number. */
  readonly code?: true;
  /** Found in the text, which is not that as a whole. */
  readonly firstNumber?: number | string;
  readonly date?: string;
  readonly firstDate?: string;
  readonly time?: string;
  readonly firstTime?: string;
  readonly phone?: string;
  readonly says?: boolean;
}

interface Group extends AnswerLocale {
  readonly about: string;
  readonly answers: Readonly<Record<string, Reading>>;
}

const groups = JSON.parse(readFileSync('test/plugins/journeys/engine/answers/answers.json', 'utf8')) as Group[];

const numberText = (number: Numeric): number | string => (typeof number === 'bigint' ? String(number) : number);
const momentText = (date: CalendarDate | DateTime): string => (date instanceof CalendarDate ? dateText(date) : dateTimeText(date, 'UTC'));

function readingOf(text: string, locale: AnswerLocale): Reading {
  const [number, found] = [readNumber(text, locale), findNumber(text, locale)];
  const [date, foundDate] = [readDate(text, locale, 'UTC'), findDate(text, locale, 'UTC')];
  const [time, [foundTime]] = [readTime(text), [...timesIn(text)]];
  const [phone, says] = [findPhone(text, locale), readYesNo(text)];
  return {
    ...(number !== undefined && { number: numberText(number), ...(isCode(text) && { code: true }) }),
    ...(found !== undefined && found !== number && { firstNumber: numberText(found) }),
    ...(date && { date: momentText(date) }),
    ...(foundDate && !date && { firstDate: momentText(foundDate) }),
    ...(time && { time: timeText(time) }),
    ...(foundTime && !time && { firstTime: timeText(foundTime.time) }),
    ...(phone !== undefined && { phone }),
    ...(says !== undefined && { says }),
  };
}

t.test('answers are read as people mean them in their language and country, and nothing else is read', async (t) => {
  const texts = groups.flatMap(({ answers }) => Object.keys(answers));
  t.ok(texts.length >= 300, `${texts.length} answers`);
  t.ok(new Set(groups.map(({ language }) => language)).size >= 12);
  for (const { about, answers, language, country } of groups) {
    const readings = Object.keys(answers).map((text) => [text, readingOf(text, { language, country })]);
    t.strictSame(Object.fromEntries(readings), answers, about);
  }
});

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { addDays, addMonths, EARLIEST, LATEST, longDate, monthName, partsOf, today, weekdays, weeksOf, within } from '../dates.js';
import { texts } from '../texts.js';

export interface CalendarProps {
  /** The initial day, which has the focus: the chosen day, or today. */
  readonly at: string;
  readonly chosen: readonly string[];
  readonly min: string;
  readonly max: string;
  readonly isSelectable: (date: string) => boolean;
  readonly choose: (date: string) => void;
}

const steps: Readonly<Record<string, (date: string) => string>> = {
  ArrowUp: (date) => addDays(date, -7),
  ArrowDown: (date) => addDays(date, 7),
  PageUp: (date) => addMonths(date, -1),
  PageDown: (date) => addMonths(date, 1),
};
const fullNames: Readonly<Record<string, string>> = {
  Sun: texts.sunday,
  Mon: texts.monday,
  Tue: texts.tuesday,
  Wed: texts.wednesday,
  Thu: texts.thursday,
  Fri: texts.friday,
  Sat: texts.saturday,
};

/** The days of a month. Arrow keys move by days and weeks, Page Up and Page Down by months. */
export function Calendar({ at, chosen, min, max, isSelectable, choose }: CalendarProps) {
  const [low, high] = [min || EARLIEST, max || LATEST];
  const [day, setDay] = useState(within(at, low, high));
  const [isMoved, setMoved] = useState(false);
  const current = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isMoved) current.current?.focus();
  }, [day, isMoved]);
  const [year, month] = partsOf(day);
  const now = today();
  const show = (target: string) => {
    setMoved(false);
    setDay(within(target, low, high));
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl';
    const sideways = { ArrowLeft: isRtl ? 1 : -1, ArrowRight: isRtl ? -1 : 1 }[event.key];
    const step = sideways === undefined ? steps[event.key] : (date: string) => addDays(date, sideways);
    if (!step) return;
    event.preventDefault();
    setMoved(true);
    setDay((from) => within(step(from), low, high));
  };
  const years = Array.from({ length: partsOf(high)[0] - partsOf(low)[0] + 1 }, (_, i) => partsOf(low)[0] + i);
  const bandOf = (date: string): string | undefined => {
    const [first = '', last = ''] = chosen;
    if (last === '' || first === last || date < first || date > last) return undefined;
    return date === first ? 'from' : date === last ? 'to' : 'between';
  };
  return (
    <div class="calendar">
      <div class="calendar-head">
        <button type="button" class="round" aria-label={texts.previousMonth} onClick={() => show(addMonths(day, -1))}>
          ‹
        </button>
        <select
          aria-label={texts.month}
          value={month}
          onChange={({ currentTarget }) => show(addMonths(day, Number(currentTarget.value) - month))}
        >
          {Array.from({ length: 12 }, (_, i) => (
            <option key={i} value={i + 1}>
              {monthName(`2024-${String(i + 1).padStart(2, '0')}-01`)}
            </option>
          ))}
        </select>
        <select
          aria-label={texts.year}
          value={year}
          onChange={({ currentTarget }) => show(addMonths(day, (Number(currentTarget.value) - year) * 12))}
        >
          {years.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <button type="button" class="round" aria-label={texts.nextMonth} onClick={() => show(addMonths(day, 1))}>
          ›
        </button>
      </div>
      <table role="grid" aria-label={`${monthName(day)} ${year}`} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekdays.map((name) => (
              <th key={name} scope="col" abbr={fullNames[name]!}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(day).map((week, i) => (
            <tr key={i}>
              {week.map((date, j) =>
                date === undefined ? (
                  <td key={j} />
                ) : (
                  <td key={date} class={bandOf(date)} aria-selected={chosen.includes(date)}>
                    <button
                      type="button"
                      ref={date === day ? current : null}
                      tabIndex={date === day ? 0 : -1}
                      data-first={date === day || undefined}
                      aria-current={date === now ? 'date' : undefined}
                      class={chosen.includes(date) ? 'day chosen' : 'day'}
                      aria-label={longDate(date)}
                      aria-disabled={!isSelectable(date)}
                      onClick={() => {
                        setMoved(true);
                        setDay(date);
                        if (isSelectable(date)) choose(date);
                      }}
                    >
                      {Number(date.slice(8))}
                    </button>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

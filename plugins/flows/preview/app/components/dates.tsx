import { useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { daysBetween, isDate, longDate, shortDate, today } from '../dates.js';
import { type ComponentProps, type Fields, fieldsOf, shownText } from '../definition.js';
import { Month } from '../icons.js';
import { isSelectable } from '../inputs.js';
import { useInput } from '../stage.js';
import { labelOf } from '../summary.js';
import { texts } from '../texts.js';
import { Calendar } from './calendar.js';
import { describedBy, FieldNotes, Optional } from './field.js';
import { renderText } from './render-text.js';

interface OpenerProps {
  readonly id: string;
  readonly label: unknown;
  readonly value: string;
  readonly required: unknown;
  readonly enabled: boolean;
  readonly help: unknown;
  readonly problem: string | undefined;
  readonly open: () => void;
}

const Opener = ({ id, label, value, required, enabled, help, problem, open }: OpenerProps) => (
  <div class={`field ${problem ? 'has-problem' : ''}`}>
    <button
      type="button"
      class={`box opener ${value ? 'filled' : ''}`}
      id={id}
      disabled={!enabled}
      aria-haspopup="dialog"
      aria-describedby={describedBy(id, help, problem)}
      onClick={open}
    >
      <span class="opener-label" dir="auto">
        {renderText(label)}
        <Optional required={required} />
      </span>
      {value && <span class="opener-value">{shortDate(value)}</span>}
      <Month />
    </button>
    <FieldNotes id={id} help={help} problem={problem} />
  </div>
);

/** A field that opens a calendar; also used for a CalendarPicker in single mode. */
export function DatePicker({ component }: ComponentProps) {
  const { id, props, value, enabled, problem, exchangesOnSelect, set, touch } = useInput(component);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    touch();
  };
  const choose = (day: string) => {
    set(day);
    if (exchangesOnSelect) close();
  };
  const date = shownText(value);
  return (
    <>
      <Opener
        id={id}
        label={props.label}
        value={date}
        required={props.required}
        enabled={enabled}
        help={props['helper-text']}
        problem={problem}
        open={() => setOpen(true)}
      />
      {isOpen && (
        <Sheet title={shownText(props.label)} close={close}>
          <Calendar
            at={isDate(date) ? date : today()}
            chosen={[date]}
            min={shownText(props['min-date'])}
            max={shownText(props['max-date'])}
            isSelectable={(day) => isSelectable(props, day)}
            choose={choose}
          />
          <p class="quiet" role="status">
            {date ? longDate(date) : texts.noDayChosen}
          </p>
          <div class="choices">
            <button type="button" class="button" onClick={close}>
              {texts.done}
            </button>
            {date && props.required !== true && (
              <button type="button" class="button plain" onClick={() => set('')}>
                {texts.clear}
              </button>
            )}
          </div>
        </Sheet>
      )}
    </>
  );
}

export function CalendarPicker({ component }: ComponentProps) {
  return component.mode === 'range' ? <RangePicker component={component} /> : <DatePicker component={component} />;
}

function RangePicker({ component }: ComponentProps) {
  const { id, props, value, enabled, problem, exchangesOnSelect, set, touch } = useInput(component);
  const [opened, setOpened] = useState<'start-date' | 'end-date'>();
  const range = fieldsOf(value);
  const [start, end] = [shownText(range['start-date']), shownText(range['end-date'])];
  const close = () => {
    setOpened(undefined);
    touch();
  };
  /** The first tap starts a range, the second ends it, a third starts a new one. */
  const choose = (date: string) => {
    const begins = start === '' || end !== '' || date < start;
    set(begins ? { 'start-date': date } : { ...range, 'end-date': date });
    if (exchangesOnSelect && !begins) close();
  };
  const days = start && end ? daysBetween(start, end) : undefined;
  return (
    <div class="range" role="group" aria-label={labelOf(props)} id={id} aria-describedby={describedBy(id, undefined, problem)}>
      {shownText(props.title) !== '' && (
        <h2 class="subheading" dir="auto">
          {renderText(props.title)}
        </h2>
      )}
      {shownText(props.description) !== '' && (
        <p class="quiet" dir="auto">
          {renderText(props.description)}
        </p>
      )}
      {(['start-date', 'end-date'] as const).map((key) => (
        <Opener
          key={key}
          id={`${id}-${key}`}
          label={of(props.label, key)}
          value={key === 'start-date' ? start : end}
          required={of(props.required, key)}
          enabled={enabled}
          help={of(props['helper-text'], key)}
          problem={undefined}
          open={() => setOpened(key)}
        />
      ))}
      <FieldNotes id={id} problem={problem} />
      {opened && (
        <Sheet title={labelOf(props)} close={close}>
          <Calendar
            at={[opened === 'end-date' ? end : start, start].find(isDate) ?? today()}
            chosen={end ? [start, end] : [start]}
            min={shownText(props['min-date'])}
            max={shownText(props['max-date'])}
            isSelectable={(day) => isSelectable(props, day)}
            choose={choose}
          />
          <p class="quiet" role="status">
            {start === ''
              ? texts.chooseTheFirstDay
              : end === ''
                ? texts.fromChooseTheLastDay(longDate(start))
                : texts.toDays(longDate(start), longDate(end), days)}
          </p>
          <div class="choices">
            <button type="button" class="button" onClick={close}>
              {texts.done}
            </button>
          </div>
        </Sheet>
      )}
    </div>
  );
}

/** A property of a range has one value for both days, or one for each. */
const of = (property: unknown, key: 'start-date' | 'end-date'): unknown =>
  typeof property === 'object' && property !== null ? (property as Fields)[key] : property;

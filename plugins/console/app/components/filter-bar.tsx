import { useEffect, useRef, useState } from 'preact/hooks';
import type { FilterState } from '../data/filters.js';
import { lazyPart } from './lazy-part.js';
import { texts } from './log-texts.js';

const Histogram = lazyPart(() => import('./histogram.js'));

/** A filter follows typing after this pause. */
const PAUSE_MS = 250;
/** Fewer have no shape in time. */
const LEAST_TIMES = 2;

export interface Field {
  /** Its name in the address and the admin API. */
  readonly name: string;
  readonly label: string;
  /** Values with their texts; without it, the field takes a text. `''` is every value. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  /** The value of a check box. */
  readonly checked?: string;
}

interface FilterBarProps {
  readonly filters: FilterState;
  /** Always shown. The first text is the one to which `/` leads. */
  readonly fields: readonly Field[];
  /** Shown on demand, with the times. */
  readonly more: readonly Field[];
  /** When the loaded records were, in milliseconds since 1970. */
  readonly times: readonly number[];
  /** Said of the histogram, such as `of the 100 loaded`. */
  readonly about: string | undefined;
}

/** The filters of a list. They are in the address, so that others can open the same list. */
export function FilterBar({ filters, fields, more, times, about }: FilterBarProps) {
  const { values, set } = filters;
  const chosen = [...more.map(({ name }) => name), 'from', 'before'].filter((name) => values[name] !== undefined);
  const first = fields.find(({ options, checked }) => options === undefined && checked === undefined);
  return (
    <>
      <div class="filters">
        {fields.map((field) => (
          <FieldInput key={field.name} field={field} filters={filters} isFirst={field === first} />
        ))}
      </div>
      {times.length >= LEAST_TIMES && <Histogram times={times} about={about} set={(changes) => set(changes, true)} />}
      <details class="more-filters">
        <summary>
          {texts.moreFilters}
          {chosen.length > 0 && <span class="count">{chosen.length}</span>}
        </summary>
        <div class="filters">
          {more.map((field) => (
            <FieldInput key={field.name} field={field} filters={filters} />
          ))}
          <TimeInput label={texts.from} value={values.from} set={(from) => set({ from })} />
          <TimeInput label={texts.until} value={values.before} set={(before) => set({ before })} />
        </div>
      </details>
      <label class="check group-choice">
        <input type="checkbox" checked={filters.isGrouped} onChange={({ currentTarget }) => filters.group(currentTarget.checked)} />
        {texts.groupEqualRows}
      </label>
      {(values.from !== undefined || values.before !== undefined) && (
        <p class="time-chosen">
          <small>{[values.from, values.before].map((at) => (at === undefined ? '…' : shownTime(at))).join(' – ')}</small>
          <button type="button" class="button plain" onClick={() => set({ from: '', before: '' }, true)}>
            {texts.anyTime}
          </button>
        </p>
      )}
    </>
  );
}

function FieldInput({ field, filters: { values, set }, isFirst = false }: { field: Field; filters: FilterState; isFirst?: boolean }) {
  const { name, label, options, checked } = field;
  const value = values[name] ?? '';
  if (checked !== undefined)
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === checked}
          onChange={({ currentTarget }) => set({ [name]: currentTarget.checked ? checked : '' }, true)}
        />
        {label}
      </label>
    );
  if (!options) return <TextInput label={label} value={value} isFirst={isFirst} set={(text) => set({ [name]: text }, value === '')} />;
  return (
    <select class="select" aria-label={label} value={value} onChange={({ currentTarget }) => set({ [name]: currentTarget.value }, true)}>
      {[...options, ...(options.some(([one]) => one === value) ? [] : [[value, value] as const])].map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface TextInputProps {
  readonly label: string;
  readonly value: string;
  readonly isFirst: boolean;
  readonly set: (text: string) => void;
}

function TextInput({ label, value, isFirst, set }: TextInputProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // Back and links change the address.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (next: string): void => {
    clearTimeout(timer.current);
    if (next.trim() !== value) set(next.trim());
  };
  return (
    <input
      class="input"
      type="search"
      {...(isFirst && { 'data-filter': true })}
      aria-label={label}
      placeholder={label}
      spellcheck={false}
      autocomplete="off"
      value={text}
      onInput={({ currentTarget: { value: next } }) => {
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => apply(next), next === '' ? 0 : PAUSE_MS);
      }}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
    />
  );
}

/** Follows when it loses the focus or Enter is pressed: while a date is typed, it is another one. */
function TimeInput({ label, value, set }: { label: string; value: string | undefined; set: (at: string) => void }) {
  const setTime = (local: string): void => {
    // The field shows no milliseconds.
    if (local !== (value === undefined ? '' : localTime(value))) set(local === '' ? '' : new Date(local).toISOString());
  };
  return (
    <label class="time-input">
      {label}
      <input
        class="input"
        type="datetime-local"
        step="1"
        value={value === undefined ? '' : localTime(value)}
        onBlur={({ currentTarget }) => setTime(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && setTime(currentTarget.value)}
      />
    </label>
  );
}

/** A time as `datetime-local` takes it, in the zone of this browser; empty if the address has none. */
export function localTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const shownTime = (at: string): string => localTime(at).replace('T', ' ') || at;

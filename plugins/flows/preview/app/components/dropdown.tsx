import { useState } from 'preact/hooks';
import { type ComponentProps, textOf } from '../definition.js';
import { Sheet } from '../overlays.js';
import { useInput } from '../stage.js';
import { OptionMedia, OptionText, optionsOf } from './choices.js';
import { Below, describedBy, Optional } from './field.js';

/** From here on there is a field to search the options. */
const MANY = 8;

/** A field that opens a sheet with the options. */
export function Dropdown({ component }: ComponentProps) {
  const { id, props, value, enabled, problem, set, touch } = useInput(component);
  const [isOpen, setOpen] = useState(false);
  const [search, setSearch] = useState('');
  const options = optionsOf(props['data-source']);
  const chosen = options.find((option) => option.id === value);
  const wanted = search.trim().toLowerCase();
  const found = options.filter(({ title, description }) => `${textOf(title)} ${textOf(description)}`.toLowerCase().includes(wanted));
  const close = () => {
    setOpen(false);
    setSearch('');
    touch();
  };
  return (
    <div class={`field ${problem ? 'has-problem' : ''}`}>
      <button
        type="button"
        class={`box opener ${chosen ? 'filled' : ''}`}
        id={id}
        disabled={!enabled}
        aria-haspopup="dialog"
        aria-describedby={describedBy(id, props['helper-text'], problem)}
        onClick={() => setOpen(true)}
      >
        <span class="opener-label" dir="auto">
          {textOf(props.label)}
          <Optional required={props.required} />
        </span>
        {chosen && (
          <span class="opener-value" dir="auto">
            {textOf(chosen.title)}
          </span>
        )}
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M6 9l6 6 6-6" fill="none" stroke="currentColor" stroke-width="2" />
        </svg>
      </button>
      <Below id={id} problem={problem} />
      {isOpen && (
        <Sheet title={textOf(props.label)} close={close}>
          {options.length >= MANY && (
            <input
              class="search"
              type="search"
              aria-label="Search"
              placeholder="Search"
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            />
          )}
          <div class="rows in-sheet" role="radiogroup" aria-label={textOf(props.label)}>
            {found.map((option) => (
              <label class="row" key={textOf(option.id)}>
                <OptionMedia option={option} />
                <OptionText option={option} />
                <input
                  type="radio"
                  name={`${id}-option`}
                  checked={option.id === value}
                  disabled={option.enabled === false}
                  onChange={() => set(option.id)}
                />
              </label>
            ))}
            {found.length === 0 && <p class="quiet">Nothing fits.</p>}
          </div>
          <button type="button" class="button" onClick={close}>
            Done
          </button>
        </Sheet>
      )}
    </div>
  );
}

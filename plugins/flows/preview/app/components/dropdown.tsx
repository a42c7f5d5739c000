import { useRef, useState } from 'preact/hooks';
import { Down } from '../../../../../core/web/icons.js';
import { Sheet } from '../../../../../core/web/sheet.js';
import { type ComponentProps, shownText } from '../definition.js';
import { useInput } from '../stage.js';
import { texts } from '../texts.js';
import { OptionMedia, OptionText, optionsOf } from './choices.js';
import { describedBy, FieldNotes, Optional } from './field.js';
import { renderText } from './render-text.js';

/** From this number of options on, the sheet has a search field. */
const MIN_FOR_SEARCH = 8;

export function Dropdown({ component }: ComponentProps) {
  const { id, props, value, enabled, problem, exchangesOnSelect, set, touch } = useInput(component);
  const [isOpen, setOpen] = useState(false);
  const [search, setSearch] = useState('');
  const options = optionsOf(props['data-source']);
  const chosen = options.find((option) => option.id === value);
  const query = search.trim().toLowerCase();
  const found = options.filter(({ title, description }) => `${shownText(title)} ${shownText(description)}`.toLowerCase().includes(query));
  const list = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    setSearch('');
    touch();
  };
  const chooseAndClose = (id: unknown) => {
    if (id !== value) set(id);
    close();
  };
  const enabledOptions = found.filter(({ enabled }) => enabled !== false);
  /** Arrow keys move only the focus, because choosing may run an action. */
  const onKeyDown = (event: KeyboardEvent) => {
    const radios = [...list.current!.querySelectorAll<HTMLInputElement>('input:enabled')];
    const at = radios.indexOf(event.target as HTMLInputElement);
    const inSearch = at < 0;
    if (event.key === 'Enter') {
      event.preventDefault();
      const option = enabledOptions[inSearch ? 0 : at];
      if (option) chooseAndClose(option.id);
      return;
    }
    const inList = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: radios.length - 1 };
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, ...(!inSearch && inList) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    radios[Math.min(Math.max(to, 0), radios.length - 1)]?.focus();
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
          {renderText(props.label)}
          <Optional required={props.required} />
        </span>
        {chosen && (
          <span class="opener-value" dir="auto">
            {renderText(chosen.title)}
          </span>
        )}
        <Down />
      </button>
      <FieldNotes id={id} problem={problem} />
      {isOpen && (
        <Sheet title={shownText(props.label)} close={close}>
          {options.length >= MIN_FOR_SEARCH && (
            <input
              class="search"
              type="search"
              aria-label={texts.search}
              placeholder={texts.search}
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          )}
          <div class="rows in-sheet" role="radiogroup" aria-label={shownText(props.label)} ref={list} onKeyDown={onKeyDown}>
            {found.map((option) => (
              <label class="row" key={shownText(option.id)}>
                <OptionMedia option={option} />
                <OptionText option={option} />
                <input
                  type="radio"
                  name={`${id}-option`}
                  checked={option.id === value}
                  disabled={option.enabled === false}
                  data-first={option === (chosen ?? enabledOptions[0]) || undefined}
                  onChange={() => (exchangesOnSelect ? chooseAndClose(option.id) : set(option.id))}
                />
              </label>
            ))}
            {found.length === 0 && <p class="quiet">{texts.noOptionMatches}</p>}
          </div>
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

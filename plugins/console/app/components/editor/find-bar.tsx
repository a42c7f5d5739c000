import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { number } from '../../../../../core/web/language.js';
import type { Finder, Found, Search } from './search.js';
import { texts } from './texts.js';

interface Props {
  readonly finder: Finder;
  readonly found: Found;
  /** The index of the match that is selected; -1 if none is. */
  readonly selected: number;
  readonly isReadOnly: boolean;
  /** Changes whenever the user asks for the bar: the field is focused again. */
  readonly asked: number;
  /** Ends the search and returns to the text. */
  readonly leave: () => void;
}

/** Finds and replaces in the text of an editor. Enter goes to the next match, Shift+Enter to the previous one, Escape returns to the text. */
export default function FindBar({ finder, found, selected, isReadOnly, asked, leave }: Props) {
  const { search, isBroken } = found;
  const field = useRef<HTMLInputElement>(null);
  const [replacement, setReplacement] = useState('');
  useLayoutEffect(() => field.current!.select(), [asked]);
  if (!search) return null;
  const look = (part: Partial<Search>): void => finder.look({ ...search, ...part });
  const press = (event: KeyboardEvent): void => {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    const isCommand = ctrlKey || metaKey;
    if (key === 'Escape') leave();
    else if (key === 'F3' || (isCommand && key === 'g')) finder.step(shiftKey ? -1 : 1);
    else if (isCommand && key === 'f') field.current!.select();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toggle = (sign: string, label: string, isOn: boolean, change: Partial<Search>) => (
    <button type="button" class="button plain" aria-label={label} title={label} aria-pressed={isOn} onClick={() => look(change)}>
      <span aria-hidden="true">{sign}</span>
    </button>
  );
  return (
    <search class="editor-find" aria-label={texts.findInTheText} onKeyDown={press}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          finder.step(1);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return;
          event.preventDefault();
          finder.step(-1);
        }}
      >
        <input
          ref={field}
          class="input"
          aria-label={texts.find}
          placeholder={texts.find}
          aria-invalid={isBroken}
          value={search.text}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => look({ text: currentTarget.value })}
        />
        <span class="quiet" role="status">
          {isBroken ? texts.notARegularExpression : search.text === '' ? '' : countOf(found, selected)}
        </span>
        <button
          type="button"
          class="button plain"
          aria-label={texts.previousMatch}
          title={texts.shiftEnter}
          onClick={() => finder.step(-1)}
        >
          <span aria-hidden="true">↑</span>
        </button>
        <button type="submit" class="button plain" aria-label={texts.nextMatch} title={texts.enter}>
          <span aria-hidden="true">↓</span>
        </button>
        {toggle('Aa', texts.matchCase, search.isCased, { isCased: !search.isCased })}
        {toggle('.*', texts.regularExpression, search.isPattern, { isPattern: !search.isPattern })}
        <button type="button" class="button plain" aria-label={texts.closeTheSearch} title={texts.escape} onClick={leave}>
          <span aria-hidden="true">✕</span>
        </button>
      </form>
      {!isReadOnly && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            finder.replace(replacement);
          }}
        >
          <input
            class="input"
            aria-label={texts.replaceWith}
            placeholder={texts.replaceWith}
            value={replacement}
            dir="auto"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setReplacement(currentTarget.value)}
          />
          {/* Never disabled: a button that is disabled loses the focus, and with it the keys of the bar. */}
          <button type="submit" class="button outlined">
            {texts.replace}
          </button>
          <button type="button" class="button outlined" onClick={() => finder.replaceAll(replacement)}>
            {texts.replaceAll}
          </button>
        </form>
      )}
    </search>
  );
}

/** Such as `2 of 14`. */
function countOf({ matches: { length }, isCut }: Found, selected: number): string {
  if (length === 0) return texts.noMatch;
  const count = `${number(length)}${isCut ? texts.orMore : ''}`;
  return selected < 0 ? texts.countPluralLengthMatch(count, length) : texts.of(number(selected + 1), count);
}

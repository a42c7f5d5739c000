import { useEffect, useRef, useState } from 'preact/hooks';
import { useChat } from './context.js';
import { Check, Down } from './icons.js';
import type { Message, Option } from './types.js';

/** Longer lists open in a list box. */
const MAX_INLINE = 10;

/** `next` is the message after it, with which its options are closed. */
type ChoicesProps = { message: Message; next: Message | undefined; labelledBy: string };

/** The buttons or rows of a message. */
export function Choices({ message, next, labelledBy }: ChoicesProps) {
  const { chat, say } = useChat();
  const { id, options = [], list_button } = message;
  const find = () =>
    chat.queue.pending.value.find(({ body, refused }) => refused === undefined && body.type === 'tap' && body.option.message === id);
  const waiting = find();
  const tapped = next?.type === 'interactive' ? options.findIndex(({ title }) => title === next.text?.body) : -1;
  const chosen = waiting?.body.type === 'tap' ? waiting.body.option.index : (message.chosen ?? (tapped < 0 ? undefined : tapped));
  const isDisabled = next !== undefined || chosen !== undefined;
  const choose = (index: number): void => {
    // A second tap may come before this is rendered again.
    if (!isDisabled && !find()) chat.queue.add({ type: 'tap', option: { message: id, index }, title: options[index]!.title });
  };
  if (options.length > MAX_INLINE)
    return <LongList label={list_button ?? say('options')} {...{ options, chosen, isDisabled, choose, labelledBy }} />;
  return (
    <div class="options" role="group" aria-labelledby={labelledBy}>
      {options.map((option, i) => [
        option.section && option.section !== options[i - 1]?.section && (
          <p key={`${i} section`} class="section" dir="auto">
            {option.section}
          </p>
        ),
        // Not `disabled`, which would drop the focus after a choice.
        <button
          key={i}
          type="button"
          class={i === chosen ? 'option is-chosen' : 'option'}
          aria-disabled={isDisabled}
          onClick={() => choose(i)}
        >
          <Label option={option} isChosen={i === chosen} />
        </button>,
      ])}
    </div>
  );
}

function Label({ option: { title, description }, isChosen }: { option: Option; isChosen: boolean }) {
  const { say } = useChat();
  return (
    <>
      <span dir="auto">
        {title}
        {description && <small>{description}</small>}
      </span>
      {isChosen && (
        <>
          <Check />
          <span class="unseen">{say('chosen')}</span>
        </>
      )}
    </>
  );
}

type LongListProps = { label: string; options: readonly Option[]; chosen: number | undefined; isDisabled: boolean } & {
  choose(index: number): void;
  labelledBy: string;
};

/** A button that opens a list box, with the sections as groups. */
function LongList({ label, options, chosen, isDisabled, choose, labelledBy }: LongListProps) {
  const [active, setActive] = useState<number | undefined>();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = active !== undefined && !isDisabled;
  const idOf = (i: number): string => `${labelledBy}-option-${i}`;

  useEffect(() => {
    if (!isOpen) return;
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  useEffect(() => list.current?.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' }), [active]);

  const close = (): void => {
    setActive(undefined);
    button.current?.focus();
  };
  const pick = (i: number): void => {
    choose(i);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = active ?? 0;
    const last = options.length - 1;
    const letter = event.key.length === 1 && event.key !== ' ' ? event.key.toLocaleLowerCase() : '-';
    const found = (i: number): boolean => options[i]!.title.toLocaleLowerCase().startsWith(letter);
    const moves: Readonly<Record<string, number>> = { ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last };
    const next = moves[event.key] ?? options.map((_, i) => (at + 1 + i) % options.length).find(found);
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' || event.key === ' ') pick(at);
    else if (next !== undefined) setActive(next);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const sections = [...new Set(options.map(({ section }) => section))];
  return (
    <div class="options">
      <button
        ref={button}
        type="button"
        class="option"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-disabled={isDisabled}
        onClick={() => setActive(isOpen || isDisabled ? undefined : 0)}
      >
        {chosen === undefined ? label : <Label option={options[chosen]!} isChosen />}
        {chosen === undefined && <Down />}
      </button>
      {isOpen && (
        <div
          ref={list}
          class="listbox"
          role="listbox"
          tabIndex={0}
          aria-label={label}
          aria-activedescendant={idOf(active)}
          onKeyDown={onKeyDown}
        >
          {sections.map((section) => (
            <div key={section} role="group" aria-label={section ?? label}>
              {section && (
                <p class="section" role="presentation" dir="auto">
                  {section}
                </p>
              )}
              {options.map(
                (option, i) =>
                  option.section === section && (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the focus and the keys
                    <div
                      key={i}
                      id={idOf(i)}
                      role="option"
                      tabIndex={-1}
                      class={i === active ? 'row is-active' : 'row'}
                      aria-selected={i === active}
                      // Browsers report moves of a resting pointer when the list scrolls below it.
                      onPointerMove={({ movementX, movementY }) => (movementX || movementY) && setActive(i)}
                      onClick={() => pick(i)}
                    >
                      <Label option={option} isChosen={false} />
                    </div>
                  ),
              )}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

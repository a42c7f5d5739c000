import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useChat } from './context.js';
import { FileView, kindOf } from './file.js';
import { Choices } from './options.js';
import { Formatted, plain } from './text.js';
import type { Say } from './texts.js';
import type { Message } from './types.js';

/** A message in words, for announcements. */
export function summaryOf({ header, text, file, options, form }: Message, say: Say): string {
  const parts = [plain(header), plain(text), file && (plain(file.caption) || file.name || say(kindOf(file))), form?.cta];
  const titles = options?.map(({ title }) => title).join(', ');
  return [...parts, titles && `${say('options')}: ${titles}`].filter(Boolean).join('. ') || say('unsupported');
}

/** `box` is the one that scrolls. */
type BubbleProps = { message: Message; next: Message | undefined; isLastOwn: boolean; box: RefObject<HTMLElement> };

export function Bubble({ message, next, isLastOwn, box }: BubbleProps) {
  const { chat, say, language } = useChat();
  const bubble = useRef<HTMLElement>(null);
  const { id, position, direction, header, text, footer, file, options, form, status, at } = message;
  const isOut = direction === 'out';
  const isEmpty = !header && !text && !file && !options && !form;
  const body = `body-${position}`;
  const isAnswered = chat.history.messages.value.some((one) => one.form && one.direction === 'in' && one.context === id);
  const isClosed = isAnswered || !form?.url;

  useEffect(() => {
    if (!isOut || !bubble.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (document.hidden || !entries.some(({ isIntersecting }) => isIntersecting)) return;
        stop();
        chat.see(position);
      },
      { root: box.current },
    );
    // A message that was in view while the page was hidden is seen when it is shown.
    const look = (): void => {
      observer.disconnect();
      if (bubble.current) observer.observe(bubble.current);
    };
    const stop = (): void => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', look);
    };
    document.addEventListener('visibilitychange', look);
    look();
    return stop;
  }, [position]);

  const state = status === 'read' ? 'seen' : status === 'failed' ? 'not_sent' : 'sent';
  return (
    <article ref={bubble} class={`bubble ${direction}`}>
      <span class="unseen">{isOut ? chat.config.name : say('you')}</span>
      {header && (
        <p class="head" dir="auto">
          <Formatted text={header} />
        </p>
      )}
      {file && <FileView file={file} />}
      <div id={body}>
        {text && (
          <p class="text" dir="auto">
            <Formatted text={text} />
          </p>
        )}
        {isEmpty && <p class="text">{say('unsupported')}</p>}
      </div>
      {footer && (
        <p class="foot" dir="auto">
          {footer}
        </p>
      )}
      {options && options.length > 0 && <Choices message={message} next={next} labelledBy={body} />}
      {form && isOut && (
        <div class="options">
          <button
            type="button"
            class="option"
            id={`form-${position}`}
            aria-disabled={isClosed}
            onClick={() => {
              if (!isClosed) chat.form.value = message;
            }}
          >
            <span dir="auto">{form.cta}</span>
          </button>
        </div>
      )}
      {form && !isOut && <p class="text">{say('form_sent')}</p>}
      <p class="meta">
        <time dateTime={at}>{new Date(at).toLocaleTimeString(language, { timeStyle: 'short' })}</time>
        {!isOut && (isLastOwn || status === 'failed') && <span>{say(state)}</span>}
      </p>
    </article>
  );
}

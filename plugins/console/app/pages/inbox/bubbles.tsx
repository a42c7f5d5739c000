import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageRecord } from '#core';
import { number } from '../../../../../core/web/language.js';
import { reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { visits } from '../../data/visits.js';
import { Bubble, type BubbleActions, reactionsIn } from './bubble.js';
import { idOf, summaryOf } from './content.js';
import { useSecondsUntil } from './platform-clock.js';
import { texts } from './texts.js';
import type { Thread } from './thread.js';
import { useVirtualLines } from './virtual-lines.js';

/** Within this distance of the end, the newest message stays visible. */
const STICK_PX = 60;

interface BubblesProps {
  readonly thread: Thread;
  readonly name: string;
  /** The message that is shown first and marked, by its uuid. */
  readonly found: string | undefined;
  readonly isPlayable: boolean;
  readonly actions: BubbleActions;
}

/**
 * The messages of a conversation, of which only those near the visible ones are in the page. Stays at the newest while it is there, and
 * otherwise keeps its place and counts new messages.
 */
export function Bubbles({ thread, name, found, isPlayable, actions }: BubblesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const isAtEnd = useRef(true);
  /** Where the thread is as far as this page knows; undefined while it is not displayed. */
  const knownTop = useRef<number>();
  const lastSeen = useRef<number>();
  /** The message that a quote led to: it gets the focus as soon as it is in the page. */
  const wanted = useRef<string>();
  const [added, setAdded] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  const messages = thread.messages.value;
  const newest = messages.at(-1);
  const oldest = messages[0]?.position;
  const troubles = thread.troubles.value;
  const typing = thread.detail.value?.views.typing;
  const isTyping = typing?.state === 'loaded' && typing.data !== null;
  const { lines, height, measure, keep, scrollTo } = useVirtualLines(scroller, list, messages, (write) => scroll(write));
  const noteTop = (element: HTMLElement): void => {
    knownTop.current = element.clientHeight > 0 ? element.scrollTop : undefined;
  };
  /** Scrolls the thread. The reader may have scrolled before, and the event is still to come: `isAtEnd` is right again for `write`. */
  const scroll = (write: (element: HTMLElement) => void): void => {
    const element = scroller.current;
    if (!element) return;
    const isElsewhere = knownTop.current !== undefined && Math.abs(element.scrollTop - knownTop.current) > 1;
    if (isElsewhere && !isNearEnd(element)) isAtEnd.current = false;
    write(element);
    noteTop(element);
  };

  useLayoutEffect(() => {
    const before = lastSeen.current;
    lastSeen.current = newest?.position;
    if (before === undefined || newest === undefined || newest.position <= before) return;
    const fresh = messages.filter(({ position }) => position > before);
    if (!isAtEnd.current) setAdded((count) => count + fresh.length);
    announce(fresh.map((message) => texts.directionInboundNameToName(message.direction, name, summaryOf(message))).join('. '));
  }, [newest?.position]);

  // After every change of height: statuses, images and the typing indicator change it, too.
  useLayoutEffect(() => {
    if (wanted.current !== undefined) isAtEnd.current = false;
    scroll((element) => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    if (wanted.current === undefined) return;
    const line = scroller.current!.querySelector<HTMLElement>(`[data-message="${wanted.current}"]`);
    // Older messages are rendered after they are loaded.
    if (!line) return scrollTo(wanted.current);
    wanted.current = undefined;
    line.focus({ preventScroll: true });
  });

  // The last scroll event may come when the page has left the thread: the reference is empty then, the event has its element.
  const scrolled = ({ currentTarget: element }: { currentTarget: HTMLDivElement }): void => {
    noteTop(element);
    isAtEnd.current = isNearEnd(element);
    if (isAtEnd.current) setAdded(0);
  };
  const toEnd = (): void => {
    scroll((element) => {
      isAtEnd.current = true;
      element.scrollTop = element.scrollHeight;
    });
    setAdded(0);
  };
  const loading = async (load: () => Promise<void>): Promise<void> => {
    setLoading(true);
    setProblem(undefined);
    isAtEnd.current = false;
    await load().catch((error: unknown) => setProblem(reasonOf(error)));
    setLoading(false);
  };
  const showMessage = useCallback(
    (id: string) =>
      void loading(async () => {
        const uuid = await thread.loadMessage(id);
        wanted.current = uuid;
        scrollTo(uuid);
      }),
    [thread],
  );

  const visit = visits.value;
  const isLoaded = newest !== undefined;
  useEffect(() => {
    if (found !== undefined && isLoaded) showMessage(found);
  }, [found, isLoaded, visit]);

  const byId = useMemo(() => new Map(messages.flatMap((one) => [[idOf(one), one] as const, [one.uuid, one] as const])), [messages]);
  const reactions = useMemo(() => reactionsIn(messages), [messages]);
  return (
    <>
      <div class="bubbles-frame">
        <div
          ref={scroller}
          class="bubbles"
          role="log"
          aria-live="off"
          aria-label={texts.messagesWith(name)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard
          tabIndex={0}
          onScroll={scrolled}
        >
          <p class="older">
            {oldest === 1 && <small class="quiet">{texts.beginningOfTheConversation}</small>}
            {oldest !== undefined && oldest > 1 && (
              <button type="button" class="button outlined" disabled={isLoading} onClick={() => void loading(() => thread.loadOlder())}>
                {isLoading ? texts.loading : texts.showOlderMessages(number(oldest - 1))}
              </button>
            )}
          </p>
          <ul ref={list} class="lines" style={{ height: `${height}px` }}>
            {lines.map(({ index, start }) => {
              const message = messages[index]!;
              return (
                <li
                  key={message.uuid}
                  ref={measure}
                  data-index={index}
                  aria-posinset={message.position}
                  aria-setsize={newest?.position}
                  aria-current={message.uuid === found ? true : undefined}
                  style={{ transform: `translateY(${start}px)` }}
                  onFocusIn={() => keep(message.uuid)}
                >
                  <Bubble
                    message={message}
                    quoted={quotedBy(message, byId)}
                    reactions={reactions.get(idOf(message)) ?? ''}
                    trouble={troubles.get(message.uuid)}
                    isPlayable={isPlayable}
                    actions={actions}
                    showQuoted={showMessage}
                  />
                </li>
              );
            })}
          </ul>
          {thread.isWriting.value && <p class="typing">{texts.isWriting(name)}</p>}
          {isTyping && typing.data && <Typing until={typing.data.until} />}
        </div>
        {added > 0 && (
          <button type="button" class="button to-end" onClick={toEnd}>
            {added === 1 ? texts.n1NewMessage : texts.newMessages(added)} <span aria-hidden="true">↓</span>
          </button>
        )}
      </div>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

const isNearEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean => scrollHeight - scrollTop - clientHeight < STICK_PX;

const quotedBy = ({ context }: MessageRecord, byId: ReadonlyMap<string, MessageRecord>): MessageRecord | undefined =>
  context?.id === undefined ? undefined : byId.get(context.id);

function Typing({ until }: { until: string }) {
  const seconds = useSecondsUntil(until);
  if (seconds === 0) return null;
  return (
    <p class="typing">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {texts.typingS(seconds)}
    </p>
  );
}

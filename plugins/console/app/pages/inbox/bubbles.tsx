import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageRecord } from '#core';
import { reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { Bubble, type BubbleActions, reactionsIn } from './bubble.js';
import { idOf, summaryOf } from './content.js';
import { useSecondsUntil } from './platform-clock.js';
import type { Thread } from './thread.js';

/** Within this distance of the end, the newest message stays visible. */
const STICK_PX = 60;

interface BubblesProps {
  readonly thread: Thread;
  readonly name: string;
  readonly isPlayable: boolean;
  readonly actions: BubbleActions;
}

/** The messages of a conversation. Stays at the newest while it is there, and otherwise keeps its place and counts new messages. */
export function Bubbles({ thread, name, isPlayable, actions }: BubblesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  /** A message that must stay where it is while older ones are added above it. */
  const anchor = useRef<{ readonly line: Element; readonly top: number }>();
  const lastSeen = useRef<number>();
  const [added, setAdded] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  const messages = thread.messages.value;
  const newest = messages.at(-1);
  const oldest = messages[0]?.position;
  const troubles = thread.troubles.value;
  const typing = thread.detail.value?.views.typing;
  const isTyping = typing?.state === 'loaded' && typing.data !== null;

  useLayoutEffect(() => {
    const held = anchor.current;
    anchor.current = undefined;
    if (!held) return;
    const element = scroller.current!;
    const restore = (): void => {
      element.scrollTop += held.line.getBoundingClientRect().top - held.top;
    };
    restore();
    // Lines have their real heights once they have been on screen.
    requestAnimationFrame(() => requestAnimationFrame(restore));
  }, [oldest]);

  useLayoutEffect(() => {
    const element = scroller.current!;
    const before = lastSeen.current;
    lastSeen.current = newest?.position;
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    if (before === undefined || newest === undefined || newest.position <= before) return;
    const fresh = messages.filter(({ position }) => position > before);
    if (!isAtEnd.current) setAdded((count) => count + fresh.length);
    announce(fresh.map((message) => `${message.direction === 'inbound' ? name : `To ${name}`}: ${summaryOf(message)}`).join('. '));
  }, [newest?.position]);

  // Statuses, images and the typing indicator change heights, too.
  useEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element.firstElementChild!);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The last scroll event may come when the page has left the thread: the reference is empty then, the event has its element.
  const scrolled = ({ currentTarget: element }: { currentTarget: HTMLDivElement }): void => {
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < STICK_PX;
    if (isAtEnd.current) setAdded(0);
  };
  const toEnd = (): void => {
    isAtEnd.current = true;
    scroller.current!.scrollTop = scroller.current!.scrollHeight;
    setAdded(0);
  };
  const loadOlder = async (): Promise<void> => {
    setLoading(true);
    setProblem(undefined);
    isAtEnd.current = false;
    const line = scroller.current!.querySelector('.line');
    if (line) anchor.current = { line, top: line.getBoundingClientRect().top };
    try {
      await thread.loadOlder();
    } catch (error) {
      setProblem(reasonOf(error));
    }
    setLoading(false);
  };

  const byId = new Map(messages.flatMap((message) => [[idOf(message), message] as const, [message.uuid, message] as const]));
  const reactions = reactionsIn(messages);
  return (
    <div class="bubbles-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard */}
      <div ref={scroller} class="bubbles" role="log" aria-live="off" aria-label={`Messages with ${name}`} tabIndex={0} onScroll={scrolled}>
        <div>
          {oldest !== undefined && oldest > 1 && (
            <p class="older">
              <button type="button" class="button outlined" disabled={isLoading} onClick={() => void loadOlder()}>
                {isLoading ? 'Loading…' : `Show older messages (${oldest - 1})`}
              </button>
              {problem && <span role="alert">{problem}</span>}
            </p>
          )}
          <ul class="lines">
            {messages.map((message) => (
              <Bubble
                key={message.uuid}
                message={message}
                quoted={quotedBy(message, byId)}
                reactions={reactions.get(idOf(message)) ?? ''}
                trouble={troubles.get(message.uuid)}
                isPlayable={isPlayable}
                actions={actions}
              />
            ))}
          </ul>
          {isTyping && typing.data && <Typing until={typing.data.until} />}
        </div>
      </div>
      {added > 0 && (
        <button type="button" class="button to-end" onClick={toEnd}>
          {added === 1 ? '1 new message' : `${added} new messages`} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  );
}

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
      typing · {seconds} s
    </p>
  );
}

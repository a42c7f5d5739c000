import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useChat } from './context.js';
import { Bubble } from './message.js';
import { PendingBubble, UploadBubble } from './pending.js';

/** The visitor is at the end of the conversation when no more than this is below. */
const AT_END_PX = 60;

/** The messages, oldest first. New ones are announced by a region of their own: this one also receives the history. */
export function Log() {
  const { chat, say, language } = useChat();
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const scrolled = useRef(0);
  const shown = useRef<{ first: number | undefined; last: string; height: number }>({ first: undefined, last: '', height: 0 });
  const [hasNew, setNew] = useState(false);
  const messages = chat.history.messages.value;
  const stored = new Set(messages.map(({ client_id }) => client_id));
  const pending = chat.queue.pending.value.filter(({ client_id }) => !stored.has(client_id));
  const uploads = chat.uploads.all.value;
  const isTyping = chat.isTyping.value;
  const last = messages.at(-1);
  const lastOwn = messages.findLast(({ direction }) => direction === 'in');
  const own = pending.length + uploads.length;
  const end = `${last?.position} ${own} ${isTyping}`;

  useLayoutEffect(() => {
    const box = log.current!;
    const { first, last: lastEnd, height } = shown.current;
    const isPrepended = first !== undefined && messages[0] !== undefined && messages[0].position < first;
    if (isPrepended) box.scrollTop += box.scrollHeight - height;
    else if (lastEnd !== end) {
      if (isAtEnd.current || own > 0) box.scrollTop = box.scrollHeight;
      else if (last?.direction === 'out') setNew(true);
    }
    shown.current = { first: messages[0]?.position, last: end, height: box.scrollHeight };
  });

  useEffect(() => {
    // The box gets smaller when the keyboard of a phone opens or the text grows.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) log.current!.scrollTop = log.current!.scrollHeight;
    });
    observer.observe(log.current!);
    // A box that libraries for page changes take out of the page and put back is at its top.
    const { host } = log.current!.getRootNode() as ShadowRoot;
    const restore = (): void => log.current!.scrollTo(0, scrolled.current);
    host.addEventListener('attached', restore);
    return () => {
      observer.disconnect();
      host.removeEventListener('attached', restore);
    };
  }, []);

  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = log.current!;
    scrolled.current = scrollTop;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
    if (isAtEnd.current) setNew(false);
    if (scrollTop < AT_END_PX) earlier();
  };
  const earlier = (): void => void chat.loadEarlier().catch(() => undefined);

  let day = '';
  return (
    <div class="middle">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div ref={log} class="log" role="log" aria-live="off" aria-label={say('conversation')} tabIndex={0} onScroll={onScroll}>
        {chat.hasEarlier.value && (
          <button type="button" class="link" onClick={earlier}>
            {say('earlier')}
          </button>
        )}
        {messages.length === 0 && own === 0 && chat.state.value === 'ready' && <p class="quiet">{say('start')}</p>}
        {messages.map((message, i) => {
          const before = day;
          day = new Date(message.at).toLocaleDateString(language, { weekday: 'long', day: 'numeric', month: 'long' });
          return [
            before !== day && (
              <p key={`${message.id} day`} class="quiet">
                {day}
              </p>
            ),
            <Bubble key={message.id} message={message} next={messages[i + 1]} isLastOwn={message === lastOwn} box={log} />,
          ];
        })}
        {uploads.map((upload) => (
          <UploadBubble key={upload.id} upload={upload} />
        ))}
        {pending.map((entry) => (
          <PendingBubble key={entry.client_id} entry={entry} />
        ))}
        {isTyping && (
          <p class="quiet" dir="auto">
            {say('typing', { name: chat.config.name })}
          </p>
        )}
      </div>
      {hasNew && (
        <button type="button" class="button newer" onClick={() => log.current!.scrollTo({ top: log.current!.scrollHeight })}>
          {say('newer')}
        </button>
      )}
    </div>
  );
}

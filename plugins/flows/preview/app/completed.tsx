import { Json, useFocus } from './panels.js';
import { SENT, type Sending } from './sending.js';
import type { Completion, Event } from './session.js';

interface CompletedProps {
  readonly completion: Completion;
  readonly dispatch: (event: Event) => void;
  /** Undefined when the response stays on the page. */
  readonly sending: Sending | undefined;
}

/** The conversation: a bubble with what was filled in, and the response that is sent. */
export function Completed({ completion, dispatch, sending }: CompletedProps) {
  const title = useFocus<HTMLHeadingElement>();
  const outcome = sending?.outcome ?? SENT;
  return (
    <section class="chat completed" aria-labelledby="completed">
      <div class={outcome.isOpen === undefined ? 'bubble' : outcome.isOpen ? 'bubble is-unsent' : 'bubble is-closed'}>
        <h1 id="completed" ref={title} tabIndex={-1}>
          {outcome.title}
        </h1>
        {completion.summary.length > 0 && (
          <dl>
            {completion.summary.map(({ label, value }, i) => (
              <div key={i}>
                <dt dir="auto">{label}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {!sending ? (
        <div class="card">
          <h2>What is sent</h2>
          <p class="quiet">This is a preview: it stays on this page. In a conversation this is the response of the message.</p>
          <Json value={completion.response} label="The response" id="response" />
          <button type="button" class="button" onClick={() => dispatch({ kind: 'restart' })}>
            Start again
          </button>
        </div>
      ) : (
        <div class="card">
          <p role="status">{outcome.sentence}</p>
          {outcome.isOpen && (
            <button
              type="button"
              class="button"
              onClick={() => {
                title.current?.focus();
                sending.send();
              }}
            >
              Try again
            </button>
          )}
        </div>
      )}
    </section>
  );
}

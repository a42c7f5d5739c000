import { useEffect, useState } from 'preact/hooks';
import { Json, useFocus } from './panels.js';
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

/** What became of a response. */
interface Outcome {
  readonly title: string;
  readonly sentence: string;
  /** Of what may not have been sent: whether trying again may send it. */
  readonly isOpen?: boolean;
}

const SENDING: Outcome = { title: 'Sending…', sentence: 'One moment.' };
const SENT: Outcome = { title: 'Response sent', sentence: 'It is in the conversation.' };
const KEPT = 'Your answers are kept on this page.';

/** Sent before, or too late: which of them, the page cannot know. */
const OVER: Outcome = {
  title: 'Form closed',
  sentence: `This form has been sent already, or was opened more than a day ago. Open it again from the conversation. ${KEPT}`,
  isOpen: false,
};

/** The response of a completed flow on its way to the conversation. */
export interface Sending {
  readonly outcome: Outcome;
  readonly send: () => void;
}

/** Sends a response once when the flow is completed, and again when asked to. @param answers where to; without it nothing is sent */
export function useSending(answers: string | undefined, completion: Completion | undefined): Sending | undefined {
  const [outcome, setOutcome] = useState(SENDING);
  const send = async (): Promise<void> => {
    if (answers === undefined || !completion) return;
    setOutcome(SENDING);
    const body = JSON.stringify({ response: completion.response });
    const sent = await fetch(answers, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
    setOutcome(outcomeOf(sent));
  };
  useEffect(() => {
    void send();
  }, [completion]);
  return answers === undefined ? undefined : { outcome, send: () => void send() };
}

function outcomeOf(answer: Response | undefined): Outcome {
  if (!answer) {
    const why = 'There is no answer, so we do not know whether it arrived: you may be offline, or the service is not running.';
    return { title: 'No answer', sentence: `${why} ${KEPT}`, isOpen: true };
  }
  if (answer.ok) return SENT;
  if (answer.status === 404) return OVER;
  return { title: 'Response not sent', sentence: `It was not taken (${answer.status}). ${KEPT}`, isOpen: true };
}

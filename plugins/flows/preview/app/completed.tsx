import { useEffect, useState } from 'preact/hooks';
import { Json, useFocus } from './panels.js';
import type { Completion, Event } from './session.js';
import { texts } from './texts.js';

interface CompletedProps {
  readonly completion: Completion;
  readonly dispatch: (event: Event) => void;
  /** Undefined in a preview, which sends no response. */
  readonly sending: Sending | undefined;
}

/** The conversation after completion: a bubble with the summary, and the response or the outcome of sending it. */
export function Completed({ completion, dispatch, sending }: CompletedProps) {
  const title = useFocus<HTMLHeadingElement>();
  const outcome = sending?.outcome ?? SENT;
  return (
    <section class="chat completed" aria-labelledby="completed">
      <div class={outcome.canRetry === undefined ? 'bubble' : outcome.canRetry ? 'bubble is-unsent' : 'bubble is-closed'}>
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
          <h2>{texts.response}</h2>
          <p class="quiet">{texts.aPreviewSendsNothingIn}</p>
          <Json value={completion.response} label={texts.response} id="response" />
          <button type="button" class="button" onClick={() => dispatch({ kind: 'restart' })}>
            {texts.startAgain}
          </button>
        </div>
      ) : (
        <div class="card">
          <p role="status">{outcome.detail}</p>
          {outcome.canRetry && (
            <button
              type="button"
              class="button"
              onClick={() => {
                title.current?.focus();
                sending.send();
              }}
            >
              {texts.tryAgain}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

interface Outcome {
  readonly title: string;
  readonly detail: string;
  /** Whether to offer "Try again"; undefined while the response is being sent and after it was sent. */
  readonly canRetry?: boolean;
}

const SENDING: Outcome = { title: texts.sending, detail: texts.pleaseWait };
const SENT: Outcome = { title: texts.responseSent, detail: texts.yourResponseIsInThe };
const ANSWERS_KEPT = texts.yourAnswersAreStillOn;

const CLOSED: Outcome = {
  title: texts.formClosed,
  detail: texts.thisFormWasSentAlready(ANSWERS_KEPT),
  canRetry: false,
};

export interface Sending {
  readonly outcome: Outcome;
  readonly send: () => void;
}

/** Sends the response when the flow is completed; `send` repeats it. @param responseUrl URL that takes the response; undefined in a preview */
export function useSending(responseUrl: string | undefined, completion: Completion | undefined): Sending | undefined {
  const [outcome, setOutcome] = useState(SENDING);
  const send = async (): Promise<void> => {
    if (responseUrl === undefined || !completion) return;
    setOutcome(SENDING);
    const body = JSON.stringify({ response: completion.response });
    const sent = await fetch(responseUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
    setOutcome(outcomeOf(sent));
  };
  useEffect(() => {
    void send();
  }, [completion]);
  return responseUrl === undefined ? undefined : { outcome, send: () => void send() };
}

function outcomeOf(answer: Response | undefined): Outcome {
  if (!answer) {
    const why = texts.theServerDidNotReply;
    return { title: texts.noReplyFromTheServer, detail: `${why} ${ANSWERS_KEPT}`, canRetry: true };
  }
  if (answer.ok) return SENT;
  if (answer.status === 404 || answer.status === 410) return CLOSED;
  return { title: texts.responseNotSent, detail: texts.theServerRefusedIt(answer.status, ANSWERS_KEPT), canRetry: true };
}

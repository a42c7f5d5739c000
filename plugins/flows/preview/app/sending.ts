import { useEffect, useState } from 'preact/hooks';
import type { Completion } from './session.js';

/** What became of a response. */
export interface Outcome {
  readonly title: string;
  readonly sentence: string;
  /** Of what may not have been sent: whether trying again may send it. */
  readonly isOpen?: boolean;
}

const SENDING: Outcome = { title: 'Sending…', sentence: 'One moment.' };
export const SENT: Outcome = { title: 'Response sent', sentence: 'It is in the conversation.' };
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

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ComponentView } from './components/component-view.js';
import { Footer } from './components/footer.js';
import { type Screen, textOf } from './definition.js';
import { resolve, resolveText } from './evaluate.js';
import { isVisible, problemsOf, shownComponents } from './inputs.js';
import { ExchangePanel, UrlDialog } from './overlays.js';
import { Json, useFocus } from './panels.js';
import { type Completion, type Event, type Session, scopeOf, screenOf } from './session.js';
import { StageContext } from './stage.js';
import { Chevron } from './task-bar.js';

interface PhoneProps {
  readonly session: Session;
  readonly dispatch: (event: Event) => void;
  readonly interactive: boolean;
  /** Where what is filled in goes; without it, it stays on the page. */
  readonly answers: string | undefined;
  readonly notice: string | undefined;
}

/** The sheet with the screen on show, or what became of the flow. */
export function Phone({ session, dispatch, interactive, answers, notice }: PhoneProps) {
  const screen = screenOf(session);
  if (session.completion) return <Completed completion={session.completion} dispatch={dispatch} answers={answers} />;
  if (!screen) return <p class="panel">The flow has no screen that can be shown.</p>;
  return (
    <div class="chat">
      <div class="sheet">
        {notice && (
          <p class="notice" role="status">
            {notice}
          </p>
        )}
        <ScreenView key={screen.id} session={session} screen={screen} dispatch={dispatch} interactive={interactive} />
      </div>
    </div>
  );
}

interface ScreenProps extends Pick<PhoneProps, 'session' | 'dispatch' | 'interactive'> {
  readonly screen: Screen;
}

function ScreenView({ session, screen, dispatch, interactive }: ScreenProps) {
  const scope = scopeOf(session, screen.id);
  const form = session.forms[screen.id] ?? {};
  const problems = problemsOf(screen, scope, form);
  const shown = shownComponents(screen.children, scope).filter((component) => isVisible(component, scope));
  const footer = shown.find(({ type }) => type === 'Footer');
  const firstHeading = shown.find(({ type }) => type === 'TextHeading' || type === 'TextSubheading');
  const subheading = firstHeading?.type === 'TextHeading' ? ('h3' as const) : ('h2' as const);
  const stage = { scope, form, problems, touched: session.touched, dispatch, subheading };
  const title = useRef<HTMLHeadingElement>(null);
  const isFirst = session.stack.length <= 1;
  // Not on arrival: a page in a frame must not take the focus of the page around it.
  useEffect(() => {
    if (session.log.length > 0) title.current?.focus();
  }, []);
  const direction = useMemo(
    () => directionOf([screen.title, ...shown.flatMap((one) => [one.text, one.label].map((part) => resolve(part, scope)))]),
    [screen.id],
  );
  return (
    <StageContext.Provider value={stage}>
      <section class="screen" aria-labelledby="screen-title" dir={direction}>
        <header class="top-bar">
          {isFirst ? (
            <button type="button" class="round" aria-label="Close and start again" onClick={() => dispatch({ kind: 'restart' })}>
              <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
                <path d="M6 6l12 12M18 6L6 18" fill="none" stroke="currentColor" stroke-width="2" />
              </svg>
            </button>
          ) : (
            <button type="button" class="round" aria-label="Back" onClick={() => dispatch({ kind: 'back' })}>
              <Chevron back />
            </button>
          )}
          <h1 id="screen-title" ref={title} tabIndex={-1} dir="auto">
            {resolveText(screen.title, scope) || screen.id}
          </h1>
          <span class="round" aria-hidden="true" />
        </header>
        <div class="content" inert={!interactive}>
          {shown
            .filter((component) => component !== footer)
            .map((component, i) => (
              <ComponentView key={`${component.type} ${textOf(component.name) || i}`} component={component} />
            ))}
        </div>
        <div class="bottom" inert={!interactive}>
          {footer && <Footer component={footer} />}
          <p class="managed">Managed by the business</p>
        </div>
        {session.overlay?.kind === 'url' && <UrlDialog url={session.overlay.url} dispatch={dispatch} />}
        {session.overlay?.kind === 'exchange' && <ExchangePanel overlay={session.overlay} dispatch={dispatch} />}
      </section>
    </StageContext.Provider>
  );
}

/** The conversation again: a bubble with what was filled in, and what is sent. */
function Completed({ completion, dispatch, answers }: { completion: Completion } & Pick<PhoneProps, 'dispatch' | 'answers'>) {
  const title = useFocus<HTMLHeadingElement>();
  const { outcome, send } = useSending(answers, completion);
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
      {answers === undefined ? (
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
                send();
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

/** How the sending stands. */
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

/** Sends what was filled in, once by itself and then whenever it is asked to, and says how that goes. */
function useSending(answers: string | undefined, { response }: Completion): { outcome: Outcome; send: () => void } {
  const [outcome, setOutcome] = useState(answers === undefined ? SENT : SENDING);
  const send = async (): Promise<void> => {
    if (answers === undefined) return;
    setOutcome(SENDING);
    const body = JSON.stringify({ response });
    const sent = await fetch(answers, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
    setOutcome(outcomeOf(sent));
  };
  useEffect(() => {
    void send();
  }, []);
  return { outcome, send };
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

/** By the first letter that has a direction. */
function directionOf(texts: readonly unknown[]): 'rtl' | 'ltr' {
  const letter = /\p{L}/u.exec(texts.filter((text) => typeof text === 'string' && !text.startsWith('$')).join(' '))?.[0] ?? '';
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter) ? 'rtl' : 'ltr';
}

import { useState } from 'preact/hooks';
import { Link, useLocation, useSearchParams } from 'wouter-preact';
import type { ContactRecord, MessageRecord, NumberRecord } from '#core';
import { textOf } from '../../../../../core/events/message-text.js';
import { addSheet } from '../../components/page-sheet.js';
import { RecordLink } from '../../components/record-link.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time, WithTimes } from '../../components/time.js';
import { admin, CallFailed, queryOf } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import whySheet from '../../styles/why.page.css';
import { nameOf } from '../inbox/content.js';
import { AdviceOn, ChainSteps, FixBox } from './chain.js';
import { Recent } from './recent.js';
import type { Chain, Fix, Step } from './step.js';
import { texts } from './texts.js';

addSheet(whySheet);

const RECENT_MS = 5 * 60_000;
/** Of a message in the heading, in characters. */
const MAX_TEXT = 60;

/** Events after which the chain may be another one. */
const CHANGES = ['message.', 'delivery.', 'journey.', 'webhook.', 'number.', 'clock.'];

/** Explains what happened to a message, from the call to the outcome, and why nothing more did. */
export default function Why() {
  const [query] = useSearchParams();
  const [message, contact, since] = ['message', 'contact', 'since'].map((name) => query.get(name) ?? undefined);
  const question = message === undefined ? { contact, since } : { message };
  const path = (message ?? contact ?? since) === undefined ? undefined : `/why${queryOf(question)}`;
  return (
    <div class="content why">
      <div class="head">
        <h1>
          {texts.why} {message !== undefined && <Asked key={message} id={message} />}
        </h1>
        {path !== undefined && (
          <Link href="/why" class="button outlined">
            {texts.chooseAnother}
          </Link>
        )}
      </div>
      {path === undefined ? <Choose /> : <Answer key={path} path={path} />}
    </div>
  );
}

/** The message of the question; nothing for an operator who may not read its text. */
function Asked({ id }: { id: string }) {
  const { message } = useQuery<{ message: MessageRecord }>(`/messages/${encodeURIComponent(id)}`).data ?? {};
  const { contact } = useQuery<{ contact: ContactRecord }>(message && `/contacts/${message.contact}`).data ?? {};
  if (!message || !contact) return null;
  const text = textOf(message);
  const who = (message.direction === 'inbound' ? texts.askedFrom : texts.askedTo)(nameOf(contact));
  return (
    <small>
      <bdi>{texts.quoted(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)}</bdi> <bdi>{who}</bdi>{' '}
      <Time at={message.recorded_at} />
    </small>
  );
}

function Choose() {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<CallFailed>();
  const [isCalling, setCalling] = useState(false);
  const justNow = async (): Promise<void> => {
    // By the clock of the sandbox, which may have been moved; other platforms have no such route.
    const now = await admin<{ now: string }>('GET', '/clock').then(
      (clock) => Date.parse(clock.now),
      () => Date.now(),
    );
    navigate(`/why?since=${encodeURIComponent(new Date(now - RECENT_MS).toISOString())}`);
  };
  const find = async (): Promise<void> => {
    const id = text.trim();
    if (id === '') return;
    setCalling(true);
    setFailure(undefined);
    try {
      const isMessage = await admin('GET', `/why${queryOf({ message: id })}`).then(
        () => true,
        (error: unknown) => {
          if (error instanceof CallFailed && error.status === 404) return false;
          throw error;
        },
      );
      if (!isMessage) await admin('GET', `/why${queryOf({ contact: id })}`);
      navigate(`/why${queryOf(isMessage ? { message: id } : { contact: id })}`);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      setFailure(error.status === 404 ? new CallFailed(texts.noMessageAndNoContact(id), 404, undefined) : error);
      setCalling(false);
    }
  };
  return (
    <>
      <p class="lead">{texts.chooseAMessageOrA}</p>
      <div class="cards">
        <section class="card" aria-labelledby="why-now">
          <h2 id="why-now">{texts.justNow}</h2>
          <p>{texts.theNewestMessageOfThe}</p>
          <div class="buttons">
            <button type="button" class="button" onClick={() => void justNow()}>
              {texts.checkTheLastFiveMinutes}
            </button>
          </div>
        </section>
        <section class="card" aria-labelledby="why-id">
          <h2 id="why-id">{texts.aMessageOrContact}</h2>
          <form
            class="why-form"
            onSubmit={(event) => {
              event.preventDefault();
              void find();
            }}
          >
            <input
              class="input"
              data-filter
              aria-label={texts.messageOrContact}
              placeholder={texts.idOfAMessageOr}
              autocomplete="off"
              spellcheck={false}
              value={text}
              aria-invalid={failure !== undefined}
              aria-describedby={failure ? 'why-failure' : undefined}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
            <button type="submit" class="button outlined" disabled={isCalling}>
              {texts.explain}
            </button>
          </form>
          {failure && (
            <p id="why-failure" class="error" role="alert">
              {failure.message}
            </p>
          )}
        </section>
      </div>
      <Recent />
    </>
  );
}

function Answer({ path }: { path: string }) {
  const { data, error, reload } = useQuery<Chain>(path, CHANGES);
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  const { about, links, first } = data;
  const step = first === null ? undefined : links[first];
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      <dl class="facts">
        {about.message !== null && (
          <>
            <dt>{texts.message}</dt>
            <dd>
              <RecordLink kind="message" id={about.message} />
            </dd>
          </>
        )}
        {about.contact !== null && (
          <>
            <dt>{texts.contact}</dt>
            <dd>
              <Contact id={about.contact} />
            </dd>
          </>
        )}
        {about.since !== null && (
          <>
            <dt>{texts.since}</dt>
            <dd>
              <Time at={about.since} />
            </dd>
          </>
        )}
      </dl>
      <Verdict step={step} last={links.at(-1)} isClean={links.every(({ state }) => state !== 'broken')} reload={reload} />
      <ChainSteps chain={data} />
    </>
  );
}

/** A contact by its address and name. */
function Contact({ id }: { id: string }) {
  const { data } = useQuery<{ contact: ContactRecord }>(`/contacts/${encodeURIComponent(id)}`);
  const { number } = useQuery<{ number: NumberRecord }>(data && `/numbers/${data.contact.number}`).data ?? {};
  if (!data) return <RecordLink kind="contact" id={id} />;
  const { address: written, fields } = data.contact;
  // The network writes phone numbers without a plus.
  const address = number && number.kind !== 'channel' && /^\d+$/.test(written) ? `+${written}` : written;
  return <RecordLink kind="contact" id={id} shown={typeof fields.name === 'string' ? `${address} ${fields.name}` : address} />;
}

interface VerdictProps {
  /** The first step that did not happen, or that is pending. */
  readonly step: Step | undefined;
  readonly last: Step | undefined;
  readonly isClean: boolean;
  readonly reload: () => void;
}

/** The answer in short: the outcome, or the step that is missing with its fix. */
function Verdict({ step, last, isClean, reload }: VerdictProps) {
  const [done, setDone] = useState<string>();
  // The step whose fix was made usually has none in the chain that is read next.
  const fixed = (fix: Fix): void => {
    setDone(fix.action);
    reload();
  };
  const isBroken = step?.state === 'broken';
  return (
    <>
      {done !== undefined && (
        <p class="callout ok" role="status">
          <Status tone="ok">{texts.doneItAppliesFromNow}</Status> <span dir="auto">{done}</span>
        </p>
      )}
      <section class={`callout verdict ${step ? (isBroken ? 'bad' : '') : 'ok'}`} aria-label={texts.verdict}>
        <p role="status">
          <b>{step ? (isBroken ? texts.theFirstStepThatDid : texts.theFirstStepThatIs) : texts.everyStepHappened}</b>{' '}
          <span dir="auto">
            <WithTimes text={(step ?? last)?.summary ?? ''} />
          </span>{' '}
          {step ? <a href="#first-step">{texts.showTheStep}</a> : isClean ? texts.ifSomethingIsStillMissing : texts.theRefusedCallsAreThose}
        </p>
        {step?.fix && <FixBox fix={step.fix} fixed={fixed} />}
        {step?.advice && <AdviceOn advice={step.advice} />}
      </section>
    </>
  );
}

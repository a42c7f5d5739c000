import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { withPosthorn } from '../../data/own-command.js';
import { type Query, useQuery } from '../../data/query.js';
import sheet from '../../styles/conformance.page.css';
import { ActButton, ActError, Field, useAct } from '../act.js';
import { CopyAs, CopyText } from '../copy.js';
import { addSheet } from '../page-sheet.js';
import { Snippet } from '../snippet.js';
import { Failure, Loading } from '../status.js';
import { CheckSheet } from './check-sheet.js';
import { Failures, Results } from './results.js';
import { commandOf, headlineOf, type Run, runOf, type Target } from './runs.js';
import { Outcome, Progress } from './state.js';
import { texts } from './texts.js';

addSheet(sheet);

interface Props {
  readonly target: Target;
  readonly runs: Query<{ runs: readonly Run[] }>;
}

/** Checks an endpoint against the API specification, and shows the results of the newest run. */
export default function Conformance({ target, runs: { data, error, reload } }: Props) {
  const [path] = useLocation();
  const [search, setSearch] = useSearchParams();
  const result = useRef<HTMLElement>(null);
  const run = data?.runs[0];
  const known = useRef<Run['state'] | undefined>(undefined);
  const shownId = search.get('check');
  useEffect(() => {
    const before = known.current;
    known.current = run?.state;
    if (before === undefined || before === run?.state || !run) return;
    if (before === 'running') announce(headlineOf(run).text);
    // The control that had the focus is gone.
    if (document.activeElement === document.body) result.current?.focus();
  }, [run?.state]);
  if (error?.status === 404) return <NotHere target={target} />;
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const set = (name: string, value: string | undefined): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === undefined) next.delete(name);
      else next.set(name, value);
      return next;
    });
  const hrefOf = (id: string): string => `${path}?${new URLSearchParams({ ...Object.fromEntries(search), check: id })}`;
  const isRunning = run?.state === 'running';
  return (
    <div class="conformance">
      {run && (
        <section class="card conformance-result" ref={result} tabIndex={-1} aria-label={texts.resultOfTheChecks}>
          {isRunning ? <Progress run={run} stopped={reload} /> : <Outcome target={target} run={run} started={reload} />}
        </section>
      )}
      {!run && <RunForm target={target} started={reload} />}
      {run && !isRunning && target.kind === 'connector' && (
        <details class="more" key={run.id}>
          <summary>{texts.withAnotherDriver}</summary>
          <RunForm target={target} drive={run.drive ?? ''} started={reload} />
        </details>
      )}
      {!isRunning && <OtherRun subject={target.subject} />}
      {run && <Failures run={run} hrefOf={hrefOf} />}
      {run && <Results run={run} hrefOf={hrefOf} shown={search.get('results') ?? 'all'} show={(one) => set('results', one)} />}
      {run && shownId !== null && (
        <CheckSheet key={shownId} target={target} run={run} id={shownId} close={() => set('check', undefined)} started={reload} />
      )}
    </div>
  );
}

interface RunFormProps {
  readonly target: Target;
  /** The driver of the previous run; undefined before the first one. */
  readonly drive?: string;
  readonly started: () => void;
}

function RunForm({ target, drive: given, started }: RunFormProps) {
  const { kind, url } = target;
  const [drive, setDrive] = useState(given ?? '');
  const { isBusy, error, run: perform } = useAct();
  const isConnector = kind === 'connector';
  const action = runOf(target, drive);
  return (
    <form
      class="form"
      aria-label={texts.checkThe(kind)}
      onSubmit={(event) => {
        event.preventDefault();
        void perform(action).then((made) => {
          if (made === undefined) return;
          announce(texts.theChecksHaveStarted);
          started();
        });
      }}
    >
      {given === undefined && <p>{texts.checksTheAgainstTheApi(kind, isConnector)}</p>}
      <dl class="facts">
        <dt>{texts.endpoint}</dt>
        <dd>
          <CopyText text={url} label={texts.theEndpoint} />
        </dd>
        <dt>{texts.requests}</dt>
        <dd>
          {texts.atMostFourASecond(isConnector)} {isConnector ? texts.contactsAreCalledPosthorn() : texts.contactsHaveNumbersThat}
        </dd>
      </dl>
      {isConnector && <DriveField value={drive} set={setDrive} />}
      <ActError error={error} />
      <div class="buttons">
        <button type="submit" class={given === undefined ? 'button' : 'button outlined'} {...controlOf(action, isBusy)}>
          {texts.runAllChecks}
        </button>
        <CopyAs action={action} />
      </div>
    </form>
  );
}

const DRIVER = `{ "from": "posthorn-conformance-1", "text": "hi" }
{ "from": "posthorn-conformance-1", "text": "Yes", "quote": "your-id-of-a-message" }
{ "from": "posthorn-conformance-1", "tap": "Yes, please" }
{ "from": "posthorn-conformance-1", "message": { "type": "image", "image": { "id": "1", "mime_type": "image/png" } } }
{ "from": "posthorn-conformance-1", "status": "read", "id": "your-id-of-a-message" }`;

const DriveField = ({ value, set }: { value: string; set: (value: string) => void }) => (
  <>
    <Field
      label={texts.driverUrlOptional}
      type="url"
      value={value}
      set={set}
      required={false}
      placeholder="http://127.0.0.1:3000/phone"
      note={texts.aUrlOfYourConnector}
    />
    <details class="more">
      <summary>{texts.requestsToADriver}</summary>
      <div>
        <p>{texts.aPostForEachAction()}</p>
        <Snippet text={DRIVER} label={texts.bodiesThatADriverReceives} />
      </div>
    </details>
  </>
);

/** A platform runs one at a time, so a run of another endpoint must end first. */
function OtherRun({ subject }: { subject: string }) {
  const { data, reload } = useQuery<{ runs: readonly Run[] }>('/conform/runs?limit=1', ['conform.']);
  const [run] = data?.runs ?? [];
  if (run?.state !== 'running' || run.subject === subject) return null;
  return (
    <div class="callout">
      <p>{texts.theChecksOfAnotherEndpoint(run.url, run.of - run.remaining.length, run.of)}</p>
      <ActButton look="button outlined" action={{ method: 'POST', path: `/conform/runs/${run.id}/cancel` }} done={reload}>
        {texts.stopThem}
      </ActButton>
    </div>
  );
}

const NotHere = ({ target }: { target: Target }) => (
  <div class="conformance">
    <p>{texts.thisPlatformDoesNotRun()}</p>
    <Snippet text={withPosthorn(commandOf(target, null))} label={texts.theCommand} />
  </div>
);

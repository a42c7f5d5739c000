import { SERVER } from '../../data/address.js';
import { ActButton } from '../act.js';
import { Draw } from '../icons.js';
import { Status } from '../status.js';
import { duration, Time } from '../time.js';
import { failuresOf, headlineOf, type Run, repeatOf, runOf, type Target } from './runs.js';
import { texts } from './texts.js';

/** A run in progress, with a button that cancels it. */
export function Progress({ run, stopped }: { run: Run; stopped: () => void }) {
  const done = run.of - run.remaining.length;
  const [next] = run.remaining;
  return (
    <>
      <div class="head">
        <h3>{texts.checking(run.url)}</h3>
        <ActButton
          look="button outlined"
          action={{ method: 'POST', path: `/conform/runs/${run.id}/cancel` }}
          announcement={texts.theRunWasCancelled}
          done={stopped}
        >
          {texts.stop}
        </ActButton>
      </div>
      <progress max={run.of} value={done} aria-label={texts.ofDone(done, run.of)} />
      <p class="conformance-counts figure">
        <span>{texts.of3(done, run.of)}</span>
        <Counts run={run} />
      </p>
      <p class="quiet">{next ? texts.now(next.id, next.title) : texts.theResultsAreBeing}</p>
    </>
  );
}

interface OutcomeProps {
  readonly target: Target;
  readonly run: Run;
  readonly started: () => void;
}

/** The outcome of a run that has ended, and what to do next. */
export function Outcome({ target, run, started }: OutcomeProps) {
  const { tone, text } = headlineOf(run);
  const failed = failuresOf(run).length;
  const ids = run.to_repeat;
  const rest = run.remaining.map(({ id }) => id);
  const tookMs = run.ended_at === null ? undefined : Date.parse(run.ended_at) - Date.parse(run.started_at);
  return (
    <>
      <h3 class="conformance-headline">
        <Status tone={tone}>{text}</Status>
      </h3>
      {run.unreachable !== null && (
        <p class="callout bad" dir="auto">
          {texts.checkThatTheProgramRuns(run.unreachable)}
        </p>
      )}
      {run.error !== null && (
        <p class="callout bad" dir="auto">
          {run.error}
        </p>
      )}
      <p class="conformance-counts figure">
        <Counts run={run} />
        <span class="quiet">
          <Time at={run.ended_at ?? run.started_at} />
          {tookMs !== undefined && tookMs > 0 && <>{texts.after(duration(tookMs))}</>}
        </span>
      </p>
      {run.url !== target.url && <p class="callout">{texts.theseResultsAreOfThe(run.url)}</p>}
      <Skipped run={run} />
      <div class="buttons">
        {ids.length > 0 && (
          <ActButton action={repeatOf(target, run, ids)} announcement={texts.theChecksHaveStarted} done={started}>
            {texts.reRunFailedChecks}
          </ActButton>
        )}
        {ids.length > failed && <span class="quiet">{texts.withSkippedBecauseOfThem(ids.length - failed)}</span>}
        {run.state === 'cancelled' && rest.length > 0 && (
          <ActButton
            look={ids.length > 0 ? 'button outlined' : 'button'}
            action={repeatOf(target, run, rest)}
            announcement={texts.theChecksHaveStarted}
            done={started}
          >
            {texts.continueWithTheOther(rest.length)}
          </ActButton>
        )}
        <ActButton
          look={ids.length + rest.length > 0 ? 'button outlined' : 'button'}
          action={runOf(target, run.drive ?? '')}
          announcement={texts.theChecksHaveStarted}
          done={started}
        >
          {texts.runAllChecksAgain}
        </ActButton>
        <a class="button plain" href={new URL(`admin/v1/conform/runs/${run.id}`, SERVER).href} download={`conformance-${run.kind}.json`}>
          <Draw name="code" /> {texts.reportAsJson}
        </a>
      </div>
    </>
  );
}

function Counts({ run }: { run: Run }) {
  const of = (result: string): number => run.checks.filter((check) => check.result === result).length;
  const failed = failuresOf(run);
  const isMust = failed.some(({ level }) => level === 'MUST');
  return (
    <>
      <Status tone="ok">{texts.passed2(of('pass'))}</Status>
      <Status tone={failed.length === 0 ? 'neutral' : isMust ? 'bad' : 'warn'}>{texts.failed3(failed.length)}</Status>
      <Status tone="neutral">{texts.skipped2(of('skipped'))}</Status>
    </>
  );
}

/** Why checks were skipped, unless because of a failed one. */
function Skipped({ run }: { run: Run }) {
  const because = new Set(run.to_repeat);
  const reasons = new Map<string, number>();
  for (const { id, result, reason = '' } of run.checks)
    if (result === 'skipped' && !because.has(id)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  if (reasons.size === 0) return null;
  return (
    <ul class="conformance-reasons">
      {[...reasons].map(([reason, times]) => (
        <li key={reason} class="quiet" dir="auto">
          {texts.skipped3(times, HINTS.find(([begin]) => reason.startsWith(begin))?.[1] ?? reason)}
        </li>
      ))}
    </ul>
  );
}

/** The reasons of the command, in the words of this page. */
const HINTS: readonly (readonly [begin: string, text: string])[] = [
  ['needs a contact:', texts.theyNeedAContactThat],
  ['needs the token of the channel:', texts.theyNeedATokenOf],
];

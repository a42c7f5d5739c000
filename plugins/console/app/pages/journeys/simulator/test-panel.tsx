import { useEffect, useId, useState } from 'preact/hooks';
import { ActError, useAct } from '../../../components/act.js';
import type { Action } from '../../../components/copy.js';
import { Empty, NotLoaded, Status } from '../../../components/status.js';
import { ToolButton } from '../../../components/tool-button.js';
import { announce } from '../../../data/announce.js';
import { controlOf } from '../../../data/operator.js';
import { useQuery } from '../../../data/query.js';
import { type TestRun, useCoverage } from '../coverage.js';
import { recording, turnAtLine } from './recording.js';
import type { Setup } from './setup.js';
import type { Played, Simulator } from './simulation.js';
import { texts } from './texts.js';

const TONES = { passed: 'ok', failed: 'bad', skipped: 'neutral' } as const;

interface Props {
  readonly simulator: Simulator;
  readonly branch: readonly Played[];
}

interface Recorded {
  readonly tests: string;
  readonly name: string;
  readonly notes: readonly string[];
}

/** Writes the branch that is shown as a test, runs it alone or with the tests of the newest run, and marks a failure in the transcript. */
export function TestPanel({ simulator, branch }: Props) {
  const { journey, setup, test, mark } = simulator;
  const id = useId();
  const act = useAct();
  const covered = useCoverage(journey);
  const [started, setStarted] = useState<{ readonly run: string; readonly branch: readonly Played[] }>();
  const { data, reload } = useQuery<{ run: TestRun }>(started && `/tests/runs/${started.run}`, ['tests.']);
  const run = started && data?.run;
  // A run may end between its start and the first event that this page receives.
  useEffect(() => {
    if (!started || run?.state !== 'running') return;
    const timer = setInterval(reload, 1_000);
    return () => clearInterval(timer);
  }, [started, run?.state]);
  useEffect(() => {
    if (!run || !started || run.state === 'running') return;
    const failed = run.tests.find((one) => one.status === 'failed' && one.name === test.value?.name);
    const line = failed?.failure?.at?.line;
    const at = line === undefined ? undefined : started.branch[Math.max(0, turnAtLine(run.source, line))];
    mark.value = failed && at && { turn: at.turn.id, message: failed.failure!.message };
    announce(failed ? texts.testFailed : texts.runEnded);
  }, [run?.state, run?.id]);
  if (covered.hasNoPlugin) return <NotLoaded plugin="tests" />;
  if (branch.length === 0)
    return (
      <Empty title={texts.nothingToRecord}>
        <p>{texts.playSomeTurns}</p>
      </Empty>
    );
  const suite = covered.run?.source;
  const record = async (addTo?: string): Promise<void> => {
    const action = recordingOf(journey, setup.value, branch, addTo);
    if (!action) return;
    const recorded = await act.run<Recorded>(action);
    if (!recorded) return;
    test.value = { ...recorded, isSuite: addTo !== undefined };
    setStarted(undefined);
    announce(texts.testWritten);
  };
  const running: Action = {
    method: 'POST',
    path: '/tests/runs',
    payload: { tests: test.value?.tests ?? '', journey, coverage: true },
    command: 'posthorn test FILE',
  };
  const start = async (): Promise<void> => {
    const answer = await act.run<{ run: { id: string } }>(running);
    if (answer) setStarted({ run: answer.run.id, branch });
  };
  return (
    <div class="sim-forms sim-test">
      <div class="buttons">
        <ToolButton
          label={texts.recordAsTest}
          action={recordingOf(journey, setup.value, branch) ?? running}
          isDisabled={act.isBusy}
          onClick={() => void record()}
        />
        {suite !== undefined && (
          <button
            type="button"
            class="button outlined"
            {...controlOf(recordingOf(journey, setup.value, branch, suite) ?? running, act.isBusy)}
            onClick={() => void record(suite)}
          >
            {texts.addToTests}
          </button>
        )}
      </div>
      {!recordingOf(journey, setup.value, branch) && <p class="act-error">{texts.unreadableFields}</p>}
      <ActError error={act.error} />
      {test.value && (
        <>
          {test.value.notes.map((note) => (
            <p key={note} class="callout" dir="auto">
              {note}
            </p>
          ))}
          <div class="field">
            <label for={id}>{test.value.isSuite ? texts.testsInFile : texts.testInFile}</label>
            <textarea
              id={id}
              class="area mono"
              rows={12}
              spellcheck={false}
              dir="auto"
              value={test.value.tests}
              onInput={({ currentTarget }) => {
                test.value = { ...test.value!, tests: currentTarget.value };
              }}
            />
          </div>
          <ToolButton
            label={test.value.isSuite ? texts.runAllTests : texts.runTest}
            look="button"
            action={running}
            isDisabled={act.isBusy || run?.state === 'running'}
            onClick={() => void start()}
          />
        </>
      )}
      {run && (
        <section aria-label={texts.results} aria-live="polite">
          <h2>{run.state === 'running' ? texts.running : run.state === 'failed' ? texts.runFailed : texts.results}</h2>
          {run.error && <p class="callout bad">{run.error}</p>}
          {run.problems.map(({ line, message }) => (
            <p key={`${line} ${message}`} class="callout bad" dir="auto">
              {texts.problemAt(line, message)}
            </p>
          ))}
          <ul class="journey-rows">
            {run.tests.map(({ name, status, line, reason, failure }) => (
              <li key={`${line} ${name}`}>
                <Status tone={TONES[status]}>{status}</Status>
                <bdi>{name}</bdi>
                {(failure?.message ?? reason) && <pre dir="auto">{failure?.message ?? reason}</pre>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Undefined while a form cannot be read. */
function recordingOf(journey: string, setup: Setup, branch: readonly Played[], addTo?: string): Action | undefined {
  try {
    return recording(journey, setup, branch, addTo);
  } catch {
    return undefined;
  }
}

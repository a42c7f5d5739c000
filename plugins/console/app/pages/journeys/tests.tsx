import { useEffect, useState } from 'preact/hooks';
import { ActButton } from '../../components/act.js';
import { coverageOf } from '../../components/journey-graph/graph-data.js';
import { lazyPart } from '../../components/lazy-part.js';
import { NotLoaded, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { PlayedTest } from './channel-columns.js';
import { type TestRun, useCoverage } from './coverage.js';
import type { Draft } from './draft.js';
import type { Journey } from './records.js';
import { texts } from './texts.js';

interface Props {
  readonly journey: Journey;
  readonly draft: Draft;
  readonly show: (tab: string, card?: string) => void;
}

const ChannelColumns = lazyPart(() => import('./channel-columns.js'));

const EXAMPLE = `tests:
  - name: the conversation begins
    steps:
      - say: hi
        expect: { state: waiting_for_input }
`;
/** Texts that were typed, by journey, so that they outlast a look at the graph. */
const typed = new Map<string, string>();
const TONES = { passed: 'ok', failed: 'bad', skipped: 'neutral' } as const;

/** Runs tests of the draft and says what they do not reach. The tests of the newest run are in the form. */
export default function Tests({ journey: { uuid, name }, draft, show }: Props) {
  const covered = useCoverage(uuid);
  const [started, setStarted] = useState<string>();
  const [text, keepText] = useState(typed.get(uuid));
  const [played, setPlayed] = useState<PlayedTest>();
  const [chosen, choose] = useState<string>();
  const setText = (value: string): void => {
    typed.set(uuid, value);
    keepText(value);
  };
  const { data, reload } = useQuery<{ run: TestRun }>(started && `/tests/runs/${started}`, ['tests.']);
  const run = data?.run ?? covered.run;
  // A run in memory may end between its start and the first event that this page receives.
  useEffect(() => {
    if (data?.run.state !== 'running') return;
    const timer = setInterval(reload, 1_000);
    return () => clearInterval(timer);
  }, [data?.run.state]);
  if (covered.hasNoPlugin) return <NotLoaded plugin="tests" />;
  const tests = text ?? covered.run?.source ?? EXAMPLE;
  const missed =
    draft.graph && covered.parts ? [...coverageOf(draft.graph, covered.parts).nodes].filter(([, isReached]) => !isReached) : [];
  return (
    <div class="journey-tests">
      <div class="field">
        <label for="tests">{texts.testsOfDraft}</label>
        <textarea
          id="tests"
          class="area"
          rows={12}
          spellcheck={false}
          dir="auto"
          value={tests}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <div class="buttons">
        <ActButton<{ run: { id: string } }>
          action={{
            method: 'POST',
            path: '/tests/runs',
            payload: { tests, journey: uuid, coverage: true },
            command: 'posthorn test FILE',
          }}
          done={(answer) => setStarted(answer.run.id)}
        >
          {texts.runTests}
        </ActButton>
        <ActButton<PlayedTest>
          look="button outlined"
          action={{
            method: 'POST',
            path: '/tests/channels',
            payload: { tests, journey: uuid, ...(played?.names.includes(chosen ?? '') && { name: chosen }) },
            command: 'posthorn test FILE --channels all',
          }}
          announcement={texts.playedOnChannels}
          done={setPlayed}
        >
          {texts.playOnChannels}
        </ActButton>
        <label class="button outlined">
          {texts.openFile}
          <input
            type="file"
            class="unseen"
            accept=".yaml,.yml"
            onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(setText)}
          />
        </label>
      </div>
      {draft.isChanged && <p class="quiet">{texts.testsRunSavedDraft}</p>}
      {run && (
        <section aria-label={texts.results} aria-live="polite">
          <h2>
            {run.state === 'running' ? texts.running : run.state === 'failed' ? texts.runFailed : texts.results}
            {covered.percent !== undefined && run.state === 'ended' && ` · ${texts.ofCovered(covered.percent, name.slice(0, 60))}`}
          </h2>
          {run.error && <p class="callout bad">{run.error}</p>}
          {run.problems.map(({ line, message }) => (
            <p key={`${line} ${message}`} class="callout bad" dir="auto">
              {texts.problemAt(line, message)}
            </p>
          ))}
          <ul class="journey-rows">
            {run.tests.map(({ name: title, status, line, reason, failure }) => (
              <li key={`${line} ${title}`}>
                <Status tone={TONES[status]}>{status}</Status>
                <bdi>{title}</bdi>
                <small>{texts.atLine(line)}</small>
                {(failure?.message ?? reason) && <pre dir="auto">{failure?.message ?? reason}</pre>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {played && <ChannelColumns played={played} chosen={chosen ?? played.name} choose={choose} />}
      {missed.length > 0 && (
        <section aria-label={texts.cardsNotReached}>
          <h2>{texts.cardsNotReached}</h2>
          <ul class="links">
            {missed.map(([id]) => (
              <li key={id}>
                <button type="button" class="button plain" onClick={() => show('graph', id)}>
                  <bdi>{id}</bdi>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

import { useState } from 'preact/hooks';
import { number } from '../../../../../core/web/language.js';
import {
  type Graph,
  type GraphTraffic,
  leftWords,
  nodeOfCard,
  type Traffic,
  trafficOf,
} from '../../components/journey-graph/graph-data.js';
import { addSheet } from '../../components/page-sheet.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import sheet from '../../styles/journey-overview.page.css';
import { useCoverage } from './coverage.js';
import type { Draft } from './draft.js';
import { texts } from './overview-texts.js';
import { Publication } from './publication.js';
import type { Session } from './records.js';

addSheet(sheet);

interface Props {
  readonly draft: Draft;
  readonly show: (tab: string, card?: string) => void;
}

const CHANGES = ['journey.', 'state.', 'clock.'];

/** Shows an author first who is in the journey now, what contacts answer, the last test, and what was published last. */
export default function Overview({ draft, show }: Props) {
  const { uuid, revisions } = draft.journey!;
  const [hours, setHours] = useState(24);
  const revision = revisions.production === null ? 'draft' : 'production';
  const graph = useQuery<{ graph: Graph | null }>(`/journeys/${uuid}/graph?revision=${revision}`, ['journey.changed', 'state.']).data
    ?.graph;
  const counted = useQuery<{ traffic: Traffic }>(`/journeys/${uuid}/traffic?hours=${hours}`, CHANGES).data?.traffic;
  return (
    <div class="journey-overview">
      <Now uuid={uuid} graph={graph ?? undefined} show={show} />
      <LastTest uuid={uuid} show={show} />
      <Publication draft={draft} show={show} />
      <section class="card wide" aria-label={texts.answersPerQuestion}>
        <div class="head">
          <h2>{texts.answersPerQuestion}</h2>
          <select
            class="select"
            aria-label={texts.period}
            value={hours}
            onChange={({ currentTarget }) => setHours(Number(currentTarget.value))}
          >
            <option value={24}>{texts.last24Hours}</option>
            <option value={168}>{texts.last7Days}</option>
          </select>
        </div>
        {graph && counted && <Questions graph={graph} traffic={trafficOf(graph, counted)} since={counted.since} show={show} />}
      </section>
    </div>
  );
}

function Now({ uuid, graph, show }: { uuid: string; graph: Graph | undefined; show: Props['show'] }) {
  const { data } = useQuery<{ sessions: readonly Session[] }>(`/journeys/${uuid}/sessions?waiting=true&limit=500`, CHANGES);
  const counts = new Map<string, number>();
  for (const { card } of data?.sessions ?? []) counts.set(card, (counts.get(card) ?? 0) + 1);
  const cards = [...counts].sort(([, a], [, b]) => b - a);
  return (
    <section class="card" aria-label={texts.sessionsNow}>
      <h2>{texts.sessionsNow}</h2>
      {data && (
        <button type="button" class="button plain big" onClick={() => show('sessions')}>
          {data.sessions.length === 500 ? texts.atLeast500 : data.sessions.length}
          <span> {texts.open}</span>
        </button>
      )}
      {data?.sessions.length === 0 && <p class="quiet">{texts.noContact}</p>}
      <ul class="links">
        {cards.slice(0, 5).map(([card, count]) => (
          <li key={card}>
            {texts.at(count)}{' '}
            <button type="button" class="button plain" onClick={() => show('graph', graph ? nodeOfCard(graph, card)?.id : undefined)}>
              <bdi>{card}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {cards.length > 5 && <p class="quiet">{texts.atOtherCards(cards.length - 5)}</p>}
    </section>
  );
}

function LastTest({ uuid, show }: { uuid: string; show: Props['show'] }) {
  const { run, percent, hasNoPlugin } = useCoverage(uuid);
  if (hasNoPlugin) return null;
  const failed = run?.tests.filter(({ status }) => status === 'failed') ?? [];
  return (
    <section class="card" aria-label={texts.lastTest}>
      <h2>{texts.lastTest}</h2>
      {!run && <p class="quiet">{texts.noTest}</p>}
      {run && (
        <p>
          <Status tone={run.state === 'failed' || failed.length > 0 ? 'bad' : run.state === 'running' ? 'neutral' : 'ok'}>
            {run.state === 'running'
              ? texts.running
              : failed.length > 0
                ? texts.ofFailed(failed.length, run.tests.length)
                : run.state === 'failed'
                  ? texts.runFailed
                  : texts.passed(run.tests.length)}
          </Status>{' '}
          <Time at={run.started_at} />
          {percent !== undefined && `, ${texts.covered(percent)}`}
        </p>
      )}
      <ul class="links">
        {failed.slice(0, 3).map(({ name, line }) => (
          <li key={`${line} ${name}`}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <button type="button" class="button plain" onClick={() => show('tests')}>
        {run ? texts.showTests : texts.writeTest}
      </button>
    </section>
  );
}

interface QuestionsProps {
  readonly graph: Graph;
  readonly traffic: GraphTraffic;
  readonly since: string;
  readonly show: Props['show'];
}

/** Each card that waits for an answer: how often it asked, what contacts chose, and how many left. */
function Questions({ graph, traffic, since, show }: QuestionsProps) {
  const asked = graph.nodes.flatMap((node) => {
    const counts = traffic.nodes.get(node.id);
    return node.waits && counts ? [{ node, counts }] : [];
  });
  if (asked.length === 0) return <p class="quiet">{texts.noQuestionSince(<Time at={since} />)}</p>;
  return (
    <ul class="questions">
      {asked.map(({ node, counts }) => {
        const ways = graph.edges.filter(({ from }) => from === node.id);
        const options = node.options.map((label, i) => ({
          label,
          count: ways.reduce((sum, edge) => sum + (edge.option === i ? (traffic.edges.get(edge) ?? 0) : 0), 0),
        }));
        return (
          <li key={node.id}>
            <p>
              <button type="button" class="button plain" onClick={() => show('graph', node.id)}>
                <bdi>{node.says || node.label}</bdi>
              </button>
            </p>
            <small>
              <bdi>{node.label}</bdi> · {texts.asked(counts.asked)}
              {counts.unclear > 0 && ` · ${texts.notUnderstood(counts.unclear)}`}
              {counts.left > 0 && (
                <>
                  {' · '}
                  <span class="left">{leftWords(counts)}</span>
                </>
              )}
            </small>
            {options.length > 0 && (
              <dl class="bars">
                {options.map(({ label, count }, i) => (
                  <div key={i}>
                    <dt>
                      <bdi>{label}</bdi>
                    </dt>
                    <dd>
                      <span class="bar" style={{ inlineSize: `${Math.min(100, (100 * count) / Math.max(1, counts.asked))}%` }} />
                      {number(count)}
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        );
      })}
    </ul>
  );
}

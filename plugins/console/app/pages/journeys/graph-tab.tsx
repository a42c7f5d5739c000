import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { TextPosition } from '../../components/editor/editor-props.js';
import { type Coverage, countsOf, coverageOf, type Graph, nodeOfCard } from '../../components/journey-graph/graph-data.js';
import { JourneyGraph } from '../../components/journey-graph/journey-graph.js';
import { Empty, Loading, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import { useCoverage } from './coverage.js';
import type { Draft } from './draft.js';
import { GraphList } from './graph-list.js';
import type { Session } from './records.js';

interface Props {
  readonly draft: Draft;
  readonly card: string | undefined;
  readonly show: (tab: string, card?: string) => void;
  readonly openText: (place: TextPosition) => void;
}

const REVISIONS = { draft: 'Draft, as in the editor', staging: 'Staging', production: 'Production' } as const;

/** The graph of the draft or of a published revision, with the open sessions at their cards and what tests reach; or the same as a list. */
export function GraphTab({ draft, card, show, openText }: Props) {
  const journey = draft.journey!;
  const [isList, setList] = useState(false);
  const [revision, setRevision] = useState<keyof typeof REVISIONS>('draft');
  const [hasCoverage, setCoverage] = useState(true);
  const stored = useQuery<{ graph: Graph | null }>(
    revision === 'draft' ? undefined : `/journeys/${journey.uuid}/graph?revision=${revision}`,
    ['journey.changed', 'state.'],
  );
  const open = useQuery<{ sessions: readonly Session[] }>(`/journeys/${journey.uuid}/sessions?waiting=true&limit=500`, OPEN).data?.sessions;
  const { run, parts } = useCoverage(journey.uuid);
  const graph = revision === 'draft' ? draft.graph : (stored.data?.graph ?? undefined);
  const sessions = open ?? [];
  const hasErrors = revision === 'draft' && draft.problems?.some(({ severity }) => severity === 'error');
  if (!graph)
    return stored.data?.graph === null || hasErrors ? (
      <Empty title="The text has errors">
        <p>The graph appears when the text has none.</p>
      </Empty>
    ) : (
      <Loading />
    );
  const counts = countsOf(
    graph,
    sessions.map((session) => session.card),
  );
  const elsewhere = sessions.filter((session) => !nodeOfCard(graph, session.card)).length;
  const coverage = hasCoverage && parts ? coverageOf(graph, parts) : undefined;
  const selected = graph.nodes.find(({ id }) => id === card);
  return (
    <div class="journey-graph-tab">
      <div class="buttons">
        <label>
          <span class="unseen">Revision</span>
          <select
            class="select"
            value={revision}
            onChange={({ currentTarget }) => setRevision(currentTarget.value as keyof typeof REVISIONS)}
          >
            {(Object.keys(REVISIONS) as (keyof typeof REVISIONS)[])
              .filter((name) => name === 'draft' || journey.revisions[name] !== null)
              .map((name) => (
                <option key={name} value={name}>
                  {REVISIONS[name]}
                </option>
              ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={isList} onChange={() => setList(!isList)} /> As a list
        </label>
        {run && parts && (
          <label class="check">
            <input type="checkbox" checked={hasCoverage} onChange={() => setCoverage(!hasCoverage)} /> Test coverage
          </label>
        )}
        {coverage ? <Covered coverage={coverage} /> : !run && <span class="quiet">Run tests to see which cards they reach.</span>}
        <span class="quiet">
          {sessions.length} open {sessions.length === 1 ? 'session' : 'sessions'}
          {elsewhere > 0 && `, ${elsewhere} at cards of another revision`}
        </span>
      </div>
      {hasErrors && <p class="callout">The text has errors. This is its graph before them.</p>}
      {isList ? (
        <GraphList {...{ graph, coverage, counts, openText }} selected={card} />
      ) : (
        <JourneyGraph
          graph={graph}
          label={`Graph of ${journey.name.slice(0, 100)}`}
          selected={card}
          onSelect={({ id }) => show('graph', id)}
          sessions={counts}
          coverage={coverage}
        />
      )}
      {!isList && selected && (
        <section class="journey-card" aria-label="Selected card">
          <GraphList {...{ graph, coverage, counts, openText }} only={selected.id} />
          <ul class="links">
            {sessions
              .filter((session) => nodeOfCard(graph, session.card) === selected)
              .slice(0, 10)
              .map(({ uuid }) => (
                <li key={uuid}>
                  <Link href={`/events?about=${uuid}`}>Session …{uuid.slice(-8)}</Link>
                </li>
              ))}
          </ul>
        </section>
      )}
    </div>
  );
}

const OPEN = ['journey.', 'state.', 'clock.'];

function Covered({ coverage: { nodes } }: { coverage: Coverage }) {
  const missed = [...nodes.values()].filter((isReached) => !isReached).length;
  return missed === 0 ? (
    <Status tone="ok">tests reach every card</Status>
  ) : (
    <Status tone="bad">
      tests reach {nodes.size - missed} of {nodes.size} cards
    </Status>
  );
}

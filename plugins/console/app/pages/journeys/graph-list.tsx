import type { TextPosition } from '../../components/editor/editor-props.js';
import { type Coverage, type Graph, type GraphEdge, type GraphTraffic, leftWords } from '../../components/journey-graph/graph-data.js';
import { Status } from '../../components/status.js';
import { texts } from './texts.js';

interface Props {
  readonly graph: Graph;
  readonly coverage: Coverage | undefined;
  readonly traffic: GraphTraffic | undefined;
  /** Numbers of open sessions, by node. */
  readonly counts: ReadonlyMap<string, number>;
  readonly openText: (place: TextPosition) => void;
  readonly selected?: string | undefined;
  /** The id of the only node to show. */
  readonly only?: string;
}

/** The cards of a graph in the order of the text, with what leads on from them: what the graph shows, as text. */
export const GraphList = ({ graph, coverage, traffic, counts, openText, selected, only }: Props) => {
  const labels = new Map(graph.nodes.map(({ id, label }) => [id, label]));
  const ways = new Map<string, GraphEdge[]>();
  for (const edge of graph.edges) ways.set(edge.from, [...(ways.get(edge.from) ?? []), edge]);
  return (
    <ol class="graph-list">
      {graph.nodes
        .filter(({ id }) => only === undefined || id === only)
        .map(({ id, label, says, media, options, is_first, waits, places: [place] }) => {
          const covered = coverage?.nodes.get(id);
          const count = counts.get(id) ?? 0;
          const asked = traffic?.nodes.get(id);
          return (
            <li key={id} aria-current={id === selected ? true : undefined}>
              <div class="buttons">
                <strong>
                  <bdi>{label}</bdi>
                </strong>
                <small>
                  {[is_first && texts.firstCard, waits && texts.waits, count > 0 && texts.openSessions(count)].filter(Boolean).join(' · ')}
                </small>
                {covered !== undefined && <Status tone={covered ? 'ok' : 'bad'}>{covered ? texts.reached : texts.notReached}</Status>}
                {place && (
                  <button type="button" class="button plain" onClick={() => openText(place)}>
                    {texts.line(place.line)}
                    <span class="unseen"> {texts.ofCard(label.slice(0, 100))}</span>
                  </button>
                )}
              </div>
              {(says !== '' || media.length > 0) && (
                <p>
                  {media.map((kind) => `[${kind}] `)}
                  <bdi>{says}</bdi>
                </p>
              )}
              {asked && (
                <p>
                  {texts.asked(asked.asked)}
                  {asked.unclear > 0 && `, ${texts.notUnderstood(asked.unclear)}`}
                  {asked.left > 0 && `, ${leftWords(asked)}`}
                </p>
              )}
              {options.length > 0 && <small>{options.join(' · ')}</small>}
              <ul>
                {(ways.get(id) ?? []).map((edge) => (
                  <li key={`${edge.to} ${edge.label}`}>
                    {edge.words !== '' && (
                      <>
                        <bdi>{edge.words}</bdi>:{' '}
                      </>
                    )}
                    {edge.to === null ? texts.theEnd : <bdi>{labels.get(edge.to)}</bdi>}
                    {traffic && <small> {texts.taken(traffic.edges.get(edge) ?? 0)}</small>}
                    {coverage?.edges.get(edge) === false && (
                      <small>
                        {' '}
                        <Status tone="bad">{texts.notTaken}</Status>
                        {coverage.reach.has(edge) && <>{texts.toTakeIt(coverage.reach.get(edge))}</>}
                      </small>
                    )}
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
    </ol>
  );
};

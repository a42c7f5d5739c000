import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { TextPosition } from '../../components/editor/editor-props.js';
import {
  type Coverage,
  countsOf,
  coverageOf,
  type Graph,
  type GraphNode,
  nodeOfCard,
  type Traffic,
  trafficOf,
} from '../../components/journey-graph/graph-data.js';
import { JourneyGraph } from '../../components/journey-graph/journey-graph.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Menu } from '../../components/menu.js';
import { Empty, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { admin, reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { useCanvas } from './canvas.js';
import { useCoverage } from './coverage.js';
import type { Draft } from './draft.js';
import { GraphList } from './graph-list.js';
import type { Session } from './records.js';
import { texts } from './texts.js';

interface Props {
  readonly draft: Draft;
  readonly card: string | undefined;
  readonly show: (tab: string, card?: string) => void;
  readonly openText: (place: TextPosition) => void;
}

const CardEditor = lazyPart(() => import('./card-editor.js'));

const REVISIONS = { draft: texts.draftInEditor, staging: texts.staging, production: texts.production } as const;

/** The choices of what the graph shows besides its cards. */
const OVERLAYS = { tests: texts.testCoverage, day: texts.last24Hours, week: texts.last7Days, none: texts.openSessionsOnly } as const;
const HOURS: Readonly<Record<string, number>> = { day: 24, week: 168 };

/**
 * The graph of the draft or of a published revision, with the open sessions at their cards, and what tests or sessions took; or the same as
 * a list. Sections can be collapsed.
 */
export function GraphTab({ draft, card, show, openText }: Props) {
  const journey = draft.journey!;
  const [isList, setList] = useState(false);
  const [revision, setRevision] = useState<keyof typeof REVISIONS>('draft');
  const [overlay, setOverlay] = useState<keyof typeof OVERLAYS>('tests');
  const [closed, setClosed] = useState<readonly number[]>([]);
  const stored = useQuery<{ graph: Graph | null }>(
    revision === 'draft'
      ? undefined
      : `/journeys/${journey.uuid}/graph?revision=${revision}${closed.length > 0 ? `&collapsed=${closed.join(',')}` : ''}`,
    ['journey.changed', 'state.'],
  );
  const collapsed = useCollapsed(draft, closed);
  const canvas = useCanvas(draft);
  /** The card whose text is to get the focus. */
  const [edited, setEdited] = useState<string>();
  /** The card that the editor has made or renamed, which the graph has only once it is drawn again. */
  const [made, setMade] = useState<string>();
  const open = useQuery<{ sessions: readonly Session[] }>(`/journeys/${journey.uuid}/sessions?waiting=true&limit=500`, OPEN).data?.sessions;
  const hours = HOURS[overlay];
  const counted = useQuery<{ traffic: Traffic }>(hours === undefined ? undefined : `/journeys/${journey.uuid}/traffic?hours=${hours}`, OPEN)
    .data?.traffic;
  const { run, parts } = useCoverage(journey.uuid);
  const graph = revision === 'draft' ? collapsed : (stored.data?.graph ?? undefined);
  const sessions = open ?? [];
  const hasErrors = revision === 'draft' && draft.problems?.some(({ severity }) => severity === 'error');
  if (!graph)
    return stored.data?.graph === null || hasErrors ? (
      <Empty title={texts.theTextHasErrors}>
        <p>{texts.graphAppearsLater}</p>
      </Empty>
    ) : (
      <Loading />
    );
  const counts = countsOf(
    graph,
    sessions.map((session) => session.card),
  );
  const elsewhere = sessions.filter((session) => !nodeOfCard(graph, session.card)).length;
  const coverage = overlay === 'tests' && parts ? coverageOf(graph, parts) : undefined;
  const traffic = hours !== undefined && counted ? trafficOf(graph, counted) : undefined;
  const selected = graph.nodes.find(({ id }) => id === card);
  const shown = selected?.id ?? (card === made ? made : undefined);
  const isCollapsed = ({ section }: GraphNode): boolean => section !== undefined && graph.sections[section]!.is_collapsed;
  const select = (node: GraphNode): void => {
    const { id, section, cards } = node;
    if (section !== undefined && isCollapsed(node)) {
      setClosed(closed.filter((one) => one !== section));
      announce(texts.cardsShown(cards.length, graph.sections[section]!.title));
    } else show('graph', id);
  };
  const canEdit = revision === 'draft' && draft.language === 'notebook';
  const cards = graph.nodes.flatMap((node) => node.cards);
  const connect = (from: GraphNode, option: number | undefined, to: GraphNode): void => {
    if (isCollapsed(to)) announce(texts.openSectionFirst);
    else {
      show('graph', from.id);
      void canvas.connect(from.id, option, to.id);
    }
  };
  const edit = (node: GraphNode): void => {
    if (isCollapsed(node)) return;
    show('graph', node.id);
    setEdited(node.id);
  };
  return (
    <div class="journey-graph-tab">
      <div class="buttons">
        <label>
          <span class="unseen">{texts.revision}</span>
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
          <input type="checkbox" checked={isList} onChange={() => setList(!isList)} /> {texts.asAList}
        </label>
        <label>
          <span class="unseen">{texts.showOnTheGraph}</span>
          <select class="select" value={overlay} onChange={({ currentTarget }) => setOverlay(currentTarget.value as keyof typeof OVERLAYS)}>
            {(Object.keys(OVERLAYS) as (keyof typeof OVERLAYS)[]).map((name) => (
              <option key={name} value={name}>
                {OVERLAYS[name]}
              </option>
            ))}
          </select>
        </label>
        {graph.sections.length > 0 && <Sections graph={graph} set={setClosed} />}
        {coverage && <Covered coverage={coverage} />}
        {overlay === 'tests' && !run && <span class="quiet">{texts.runTestsToSee}</span>}
        {traffic && counted && <Counted traffic={counted} />}
        <span class="quiet">
          {texts.openSessions(sessions.length)}
          {elsewhere > 0 && `, ${texts.elsewhere(elsewhere)}`}
        </span>
      </div>
      {hasErrors && <p class="callout">{texts.graphBeforeErrors}</p>}
      {isList ? (
        <GraphList {...{ graph, coverage, traffic, counts, openText }} selected={card} />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys for what has the focus in it
        <div class="graph-and-card" onKeyDown={canEdit ? canvas.keys : undefined}>
          <JourneyGraph
            graph={graph}
            label={texts.graphOf(journey.name.slice(0, 100))}
            selected={card}
            onSelect={select}
            onConnect={canEdit ? connect : undefined}
            onEdit={canEdit ? edit : undefined}
            sessions={counts}
            coverage={coverage}
            traffic={traffic}
          />
          {shown !== undefined && (
            <section class="journey-card" aria-label={texts.selectedCard}>
              {canEdit ? (
                <CardEditor
                  {...{ canvas, cards }}
                  card={shown}
                  select={(id) => {
                    setMade(id);
                    show('graph', id);
                  }}
                  isEdited={edited === shown}
                  begun={() => setEdited(undefined)}
                />
              ) : (
                <p class="quiet">{draft.language === 'notebook' ? texts.revisionIsFixed : texts.definitionIsFixed}</p>
              )}
              <GraphList {...{ graph, coverage, traffic, counts, openText }} only={shown} />
              <ul class="links">
                {sessions
                  .filter((session) => nodeOfCard(graph, session.card) === selected)
                  .slice(0, 10)
                  .map(({ uuid }) => (
                    <li key={uuid}>
                      <Link href={`/events?about=${uuid}`}>{texts.sessionNamed(uuid.slice(-8))}</Link>
                    </li>
                  ))}
              </ul>
            </section>
          )}
        </div>
      )}
    </div>
  );
}

/** The graph of the text in the editor with these sections collapsed. */
function useCollapsed({ graph, text, language, journey }: Draft, closed: readonly number[]): Graph | undefined {
  const [drawn, setDrawn] = useState<{ readonly of: Graph | undefined; readonly graph: Graph }>();
  useEffect(() => {
    if (closed.length === 0) return;
    const abort = new AbortController();
    const payload = { [language]: text, collapsed: closed };
    admin<{ graph: Graph | null }>('POST', `/journeys/${journey!.uuid}/graph`, payload, abort.signal).then(
      (answer) => answer.graph && setDrawn({ of: graph, graph: answer.graph }),
      (error) => {
        if (!abort.signal.aborted) announce(texts.notCollapsed(reasonOf(error)));
      },
    );
    return () => abort.abort();
  }, [graph, closed]);
  return closed.length > 0 && drawn?.of === graph ? drawn?.graph : graph;
}

function Sections({ graph: { sections }, set }: { graph: Graph; set: (closed: readonly number[]) => void }) {
  const closed = sections.flatMap(({ is_collapsed }, i) => (is_collapsed ? i : []));
  return (
    <Menu
      look="button outlined"
      items={[
        { id: 'all', label: texts.collapseAll, select: () => set(sections.map((_, i) => i)) },
        { id: 'none', label: texts.openAll, select: () => set([]) },
        ...sections.map(({ title, cards, is_collapsed }, i) => ({
          id: `${i}`,
          label: (is_collapsed ? texts.openSection : texts.collapseSection)(title.slice(0, 60)),
          note: texts.cards(cards),
          select: () => set(is_collapsed ? closed.filter((one) => one !== i) : [...closed, i]),
        })),
      ]}
    >
      {texts.sections}
      {closed.length > 0 && ` ${sections.length - closed.length}/${sections.length}`}
    </Menu>
  );
}

function Counted({ traffic: { since, exits, cards } }: { traffic: Traffic }) {
  if (exits.length === 0) return <span class="quiet">{texts.noTurns}</span>;
  const left = cards.reduce((sum, card) => sum + card.left, 0);
  return (
    <span class="quiet">
      {texts.countedSince(<Time at={since} />)}
      {left > 0 && `, ${texts.waitsWithoutAnswer(left)}`}
    </span>
  );
}

const OPEN = ['journey.', 'state.', 'clock.'];

function Covered({ coverage: { nodes } }: { coverage: Coverage }) {
  const missed = [...nodes.values()].filter((isReached) => !isReached).length;
  return missed === 0 ? (
    <Status tone="ok">{texts.testsReachAll}</Status>
  ) : (
    <Status tone="bad">{texts.testsReachSome(nodes.size - missed, nodes.size)}</Status>
  );
}

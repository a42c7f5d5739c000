import { useState } from 'preact/hooks';
import { type Graph, nodeOfCard } from '../../../components/journey-graph/graph-data.js';
import { JourneyGraph } from '../../../components/journey-graph/journey-graph.js';
import { addSheet } from '../../../components/page-sheet.js';
import { Tabs } from '../../../components/tabs.js';
import { useQuery } from '../../../data/query.js';
import simulatorSheet from '../../../styles/simulator.page.css';
import type { Draft } from '../draft.js';
import { Mocks } from './mocks.js';
import { ModelForm } from './model-form.js';
import { branchTo, type Simulator, simulatorOf } from './simulation.js';
import { StartForm } from './start-form.js';
import { TestPanel } from './test-panel.js';
import { texts } from './texts.js';
import { Transcript } from './transcript.js';
import { TurnDetail } from './turn-detail.js';

addSheet(simulatorSheet);

interface Props {
  readonly draft: Draft;
  readonly show: (tab: string, card?: string) => void;
}

/** Plays a journey turn by turn beside its graph, with what each turn did. */
export default function SimulatorTab({ draft, show }: Props) {
  const journey = draft.journey!;
  const simulator = simulatorOf(journey.uuid);
  const [tab, setTab] = useState(simulator.end.value === undefined ? 'start' : 'turn');
  const branch = branchTo(simulator, simulator.end.value);
  const played = simulator.turns.value.get(simulator.selected.value ?? '');
  const count = played ? branch.indexOf(played) + 1 : 0;
  return (
    <div class="simulator">
      {draft.isChanged && <p class="quiet sim-wide">{texts.playsSavedDraft}</p>}
      <Transcript simulator={simulator} played={() => setTab('turn')} />
      <PlayedGraph simulator={simulator} draft={draft} show={show} />
      <div class="sim-side">
        <Tabs
          label={texts.partsOfSimulation}
          current={tab}
          select={setTab}
          tabs={[
            {
              id: 'turn',
              label: count > 0 ? texts.turnNumber(count) : texts.turn,
              content: () =>
                played ? (
                  <TurnDetail key={played.turn.id} simulator={simulator} played={played} openMocks={() => setTab('mocks')} />
                ) : (
                  <p class="quiet">{texts.whatTurnsDo}</p>
                ),
            },
            { id: 'start', label: texts.start, content: () => <StartForm simulator={simulator} journey={journey} /> },
            {
              id: 'mocks',
              title: texts.whatMocksAre,
              label: simulator.setup.value.mocks.length > 0 ? texts.mocksCount(simulator.setup.value.mocks.length) : texts.mocks,
              content: () => <Mocks simulator={simulator} />,
            },
            { id: 'test', label: texts.test, content: () => <TestPanel simulator={simulator} branch={branch} /> },
            { id: 'model', label: texts.aiAgents, content: () => <ModelForm simulator={simulator} number={journey.number} show={show} /> },
          ]}
        />
      </div>
    </div>
  );
}

/** The graph of the revision that is played, with the way of the branch and the place of the selected turn. */
function PlayedGraph({ simulator, draft, show }: { simulator: Simulator } & Props) {
  const { revision } = simulator.setup.value;
  const { uuid, name } = draft.journey!;
  const stored = useQuery<{ graph: Graph | null }>(revision === 'draft' ? undefined : `/journeys/${uuid}/graph?revision=${revision}`);
  const graph = revision === 'draft' ? draft.graph : (stored.data?.graph ?? undefined);
  if (!graph) return <div class="sim-graph" />;
  const { selected, turns } = simulator;
  const branch = branchTo(simulator, selected.value);
  const cards = new Set(branch.flatMap(({ turn }) => [turn.card, ...turn.events.flatMap(({ at }) => at?.card ?? [])]));
  const visited = new Set([...cards].flatMap((card) => nodeOfCard(graph, card)?.id ?? []));
  const card = turns.value.get(selected.value ?? '')?.turn.card;
  return (
    <div class="sim-graph">
      <JourneyGraph
        graph={graph}
        label={texts.graphOf(name)}
        current={card === undefined ? undefined : nodeOfCard(graph, card)?.id}
        visited={branch.length > 0 ? visited : undefined}
        onSelect={(node) => show('graph', node.id)}
      />
    </div>
  );
}

import { createHash } from 'node:crypto';
import type { Session } from '#engine';
import { CoverageHits, type JourneyHits, noHits } from '../coverage/hits.js';
import type { Settings } from '../format/index.js';
import type { Action } from '../record/written-steps.js';
import { Conversation, type TestTurn } from '../run/conversation.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { act } from '../run/run-test.js';
import { Answers, statusesIn } from './answers.js';
import { type Assumptions, NO_ASSUMPTIONS, StubbedTurn, type StubOptions } from './stubs.js';

/** A walk through the journey: an action and its turn, after another walk. */
export interface Walk {
  readonly before: Walk | undefined;
  readonly action: Action;
  readonly turn: TestTurn;
  readonly assumptions: Assumptions;
  /** Where the journey waits: the blocks of all flows that are running. */
  readonly position: string;
  readonly length: number;
}

export interface ExploreOptions extends StubOptions {
  readonly journey: JourneyUnderTest;
  readonly settings: Settings;
  /** The most turns that are run. */
  readonly budget: number;
}

export interface Explored {
  readonly walks: readonly Walk[];
  readonly turns: number;
  /** Whether the budget ended the search, so that parts may be missing. */
  readonly isCut: boolean;
  /** The parts of the journey that the walks ran. */
  readonly hits: JourneyHits;
  /** The journey and those that it called, by uuid. */
  readonly journeys: ReadonlyMap<string, JourneyUnderTest>;
}

/** The seed of random numbers: the same for every walk, and written into tests. */
export const SEED = 'explore';
const BEGINNING = '2026-01-05T08:00:00Z';
/** The search continues from a question with this many different sets of values, if reaching it showed nothing new. */
const VISITS = 4;
/** A test has at most 1,000 steps. */
const MAX_LENGTH = 900;

interface Open {
  readonly walk: Walk;
  readonly conversation: Conversation;
}

/**
 * Walks a journey breadth first: from each question it tries every answer, and every result of each effect. It continues where a turn took a
 * new exit, and for a few more of the states in which a question was reached, so the search ends also if the journey has loops.
 */
export async function explore({ journey, settings, budget, journeyNamed, ...given }: ExploreOptions): Promise<Explored> {
  const journeys = new Map([[journey.uuid, journey]]);
  const stubs: StubOptions = {
    statuses: statusesIn(journey),
    ...given,
    journeyNamed(id) {
      const found = journeyNamed(id);
      if (found) journeys.set(found.journey.uuid, found.journey);
      return found;
    },
  };
  const answers = new Answers(journey);
  const hits = new CoverageHits();
  const walks: Walk[] = [];
  const seenStates = new Set<string>();
  const visits = new Map<string, number>();
  const seenExits = new Set<string>();
  const queue: Open[] = [];
  let turns = 0;
  let isCut = false;
  const ofJourney = (): JourneyHits => hits.byJourney.get(journey.uuid) ?? noHits();

  const { contact = {}, parent, child, clock = BEGINNING, time_zone: timeZone = 'UTC', country } = settings;
  const beginning = new Conversation({
    journey,
    definitions: (revision) => (revision === journey.uuid ? journey : (stubs.journeyNamed(revision)?.journey ?? journey)).definition,
    perform: async () => ({ kind: 'failed', code: 'not_performed', reason: 'effects are performed in turns' }),
    contact,
    parent,
    child,
    timeZone,
    country,
    seed: SEED,
    now: Date.parse(clock),
    observe: hits.observe,
  });

  await follow(undefined, beginning, { kind: 'start' });
  for (let open = queue.shift(); open; open = queue.shift()) {
    for (const action of answers.at(open.conversation, open.walk.turn)) {
      if (turns >= budget) return { walks, turns, isCut: true, hits: ofJourney(), journeys };
      await follow(open.walk, open.conversation, action);
    }
  }
  return { walks, turns, isCut, hits: ofJourney(), journeys };

  /** Runs an action once for every combination of results of its effects. */
  async function follow(before: Walk | undefined, from: Conversation, action: Action): Promise<void> {
    const combinations: number[][] = [[]];
    for (let given = combinations.shift(); given; given = combinations.shift()) {
      if (turns >= budget) {
        isCut = true;
        return;
      }
      const stub = new StubbedTurn(before?.assumptions ?? NO_ASSUMPTIONS, given, stubs);
      const conversation = from.fork(stub.perform);
      const turn = await act(conversation, action);
      turns++;
      hits.count(turn.events, -1);
      const { assumptions, choices } = stub;
      const walk = { before, action, turn, assumptions, position: positionOf(turn), length: (before?.length ?? 0) + 1 };
      walks.push(walk);
      for (let i = given.length; i < choices.length; i++) {
        const taken = choices.slice(0, i).map((choice) => choice.taken);
        for (let k = 1; k < choices[i]!.of; k++) combinations.push([...taken, k]);
      }
      if (continues(walk)) queue.push({ walk, conversation });
    }
  }

  function continues({ turn, position, length }: Walk): boolean {
    const isNew = hasNewExits(turn);
    if (turn.state !== 'waiting_for_input') return false;
    const state = stateOf(turn.session);
    if (seenStates.has(state)) return false;
    seenStates.add(state);
    const visit = visits.get(position) ?? 0;
    if (!isNew && visit >= VISITS) return false;
    visits.set(position, visit + 1);
    if (length < MAX_LENGTH) return true;
    isCut = true;
    return false;
  }

  function hasNewExits({ events }: TestTurn): boolean {
    const before = seenExits.size;
    for (const event of events) if (event.type === 'exit_taken') seenExits.add(`${event.at.block} ${event.uuid ?? event.exit}`);
    return seenExits.size > before;
  }
}

const positionOf = ({ session, state }: TestTurn): string =>
  state === 'waiting_for_input' ? session.stack.map(({ flow, block }) => `${flow}/${block}`).join(' ') : state;

/** Everything that can influence what happens next, except the number of turns. */
const stateOf = ({ stack, contact, wait, memory }: Session): string =>
  createHash('sha1')
    .update(JSON.stringify([stack, contact, wait, memory]))
    .digest('base64');

/** The steps of a walk, the first one first. */
export function stepsOf(walk: Walk): readonly Walk[] {
  const steps: Walk[] = [];
  for (let at: Walk | undefined = walk; at; at = at.before) steps.unshift(at);
  return steps;
}

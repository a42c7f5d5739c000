import { type Signal, signal } from '@preact/signals';
import type { Action } from '../../../components/copy.js';
import { perform } from '../../../components/copy.js';
import { CallFailed, reasonOf } from '../../../data/admin.js';
import { announce } from '../../../data/announce.js';
import type { ModelReply, Turn } from './records.js';
import { everyTurn, firstTurn, newSetup, type Setup, Unreadable } from './setup.js';
import { texts } from './texts.js';

/** The author's action: a message, or time that passes; neither starts without a message. */
export interface Done {
  readonly input?: string;
  readonly wait_ms?: number;
  readonly model_replies?: readonly ModelReply[];
}

export interface Played {
  readonly turn: Turn;
  readonly done: Done;
  /** The whole payload, to repeat it. */
  readonly payload: object;
  readonly parent: string | undefined;
}

/** Why a test failed, at the turn that its step repeats. */
export interface TestMark {
  readonly turn: string;
  readonly message: string;
}

export interface RecordedTest {
  readonly tests: string;
  readonly name: string;
  readonly notes: readonly string[];
  /** Whether it is among the tests of an earlier run. */
  readonly isSuite: boolean;
}

/** The simulations of a journey: a tree of turns, of which one branch is shown. It outlasts a visit of another page. */
export interface Simulator {
  readonly journey: string;
  readonly turns: Signal<ReadonlyMap<string, Played>>;
  /** The last turn of the branch that is shown. */
  readonly end: Signal<string | undefined>;
  readonly selected: Signal<string | undefined>;
  readonly setup: Signal<Setup>;
  readonly isBusy: Signal<boolean>;
  readonly error: Signal<string | undefined>;
  readonly note: Signal<string | undefined>;
  readonly mark: Signal<TestMark | undefined>;
  /** The test that was recorded last, as it is in the form. */
  readonly test: Signal<RecordedTest | undefined>;
}

const simulators = new Map<string, Simulator>();

export function simulatorOf(journey: string): Simulator {
  const known = simulators.get(journey);
  if (known) return known;
  const made: Simulator = {
    journey,
    turns: signal(new Map()),
    end: signal(undefined),
    selected: signal(undefined),
    setup: signal(newSetup),
    isBusy: signal(false),
    error: signal(undefined),
    note: signal(undefined),
    mark: signal(undefined),
    test: signal(undefined),
  };
  simulators.set(journey, made);
  return made;
}

/** The turns from the start to a turn. */
export function branchTo({ turns }: Simulator, end: string | undefined): readonly Played[] {
  const branch: Played[] = [];
  for (let at = end; at !== undefined; ) {
    const played = turns.value.get(at);
    if (!played) break;
    branch.unshift(played);
    at = played.parent;
  }
  return branch;
}

/** The last turns of all branches, in the order in which they were played. */
export function endsOf({ turns }: Simulator): readonly string[] {
  const parents = new Set([...turns.value.values()].map(({ parent }) => parent));
  return [...turns.value.keys()].filter((id) => !parents.has(id));
}

/** The call that plays on after a turn, or starts. @throws Unreadable */
export function playing({ journey, setup }: Simulator, after: string | undefined, done: Done): Action {
  const payload = {
    ...(after === undefined ? firstTurn(setup.value) : { after }),
    ...done,
    ...everyTurn(setup.value),
  };
  return { method: 'POST', path: `/journeys/${journey}/simulated-turns`, payload };
}

/** The call to copy; a form that cannot be read has an example. */
export function copied(simulator: Simulator, after: string | undefined, done: Done): Action {
  try {
    return playing(simulator, after, done);
  } catch {
    return { method: 'POST', path: `/journeys/${simulator.journey}/simulated-turns`, payload: { ...(after && { after }), ...done } };
  }
}

/** Plays on after a turn, or starts; from an earlier turn, that is a fork. @returns whether it was played */
export async function play(simulator: Simulator, after: string | undefined, done: Done): Promise<boolean> {
  const { isBusy, error, note, turns, end, selected, mark } = simulator;
  if (isBusy.value) return false;
  isBusy.value = true;
  error.value = undefined;
  note.value = undefined;
  try {
    const action = playing(simulator, after, done);
    let parent = after;
    const answer = await perform<{ turn: Turn }>(action).catch(async (failure: unknown) => {
      if (after === undefined || !(failure instanceof CallFailed) || failure.status !== 404) throw failure;
      parent = await playAgain(simulator, after);
      note.value = texts.playedAgain;
      return perform<{ turn: Turn }>({ ...action, payload: { ...(action.payload as object), after: parent } });
    });
    const { turn } = answer;
    turns.value = new Map([...turns.value, [turn.id, { turn, done, payload: action.payload as object, parent }]]);
    end.value = turn.id;
    selected.value = turn.id;
    mark.value = undefined;
    announce(turn.message.slice(0, 300) || texts.noMessage);
    return true;
  } catch (failure) {
    error.value = failure instanceof Unreadable ? failure.message : reasonOf(failure);
    return false;
  } finally {
    isBusy.value = false;
  }
}

/** Plays a branch again that the server no longer has. @returns the id of its last turn */
async function playAgain(simulator: Simulator, end: string): Promise<string> {
  const { turns, journey } = simulator;
  let parent: string | undefined;
  for (const { done, payload } of branchTo(simulator, end)) {
    const { after: _, ...rest } = payload as { after?: string };
    const again = { ...rest, ...(parent !== undefined && { after: parent }) };
    const { turn } = await perform<{ turn: Turn }>({ method: 'POST', path: `/journeys/${journey}/simulated-turns`, payload: again });
    turns.value = new Map([...turns.value, [turn.id, { turn, done, payload: again, parent }]]);
    parent = turn.id;
  }
  return parent!;
}

/** Shows the branch that ends at a turn: what is played next continues there. */
export function forkAt({ end, selected, mark }: Simulator, turn: string): void {
  end.value = turn;
  selected.value = turn;
  mark.value = undefined;
}

/** Begins again; the branches stay. */
export function leave({ end, selected, error, note, mark }: Simulator): void {
  for (const one of [end, selected, error, note, mark]) one.value = undefined;
}

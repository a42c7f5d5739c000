import {
  collection,
  type JourneyRecord,
  type JsonObject,
  type NumberRecord,
  type PluginContext,
  queue,
  readContext,
  type Signal,
  type TurnResult,
} from '#core';
import { SimulationRefused } from './errors.js';
import { actionsOf, optionsOf, skillCallsOf, transcriptOf } from './transcript.js';

/** A simulated conversation, known by (number, journey, simulation_id) so that numbers never meet each other's. */
export interface SimulationRecord {
  readonly key: string;
  readonly state: 'waiting' | 'over';
  /** What the next step needs definitions of. */
  readonly revisions: readonly string[];
  /** The session as the engine returned it; empty once it is over. */
  readonly data: string;
  readonly turns: number;
  readonly expires_at: string;
}

export const simulations = collection<SimulationRecord>({ key: 'key' });

/** A simulation nobody went on with: its data goes first, and the memory that it was there a day later. */
export const expiries = queue<{ key: string; turns: number; step: 'expire' | 'forget' }>('simulation.expiries');

export interface SimulationRequest {
  readonly simulation_id: string;
  readonly revision: 'production' | 'staging';
  readonly contact: JsonObject;
  readonly parent: JsonObject | undefined;
  readonly child: JsonObject | undefined;
  readonly input: unknown;
}

const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000;
const EXPIRED = 'Simulation not found or expired';

/** Opens and continues simulations. Nothing real is touched: what the journey says is handed to no channel. */
export function createSimulations({ store, journeys, effects, ids, clock }: PluginContext, idleMs: number) {
  const records = store.open(simulations);
  const running = new Map<string, Promise<unknown>>();

  return {
    /** One request at a time for each simulation. */
    run(number: NumberRecord, journey: JourneyRecord, request: SimulationRequest) {
      const key = `${number.uuid}:${journey.uuid}:${request.simulation_id}`;
      const before = running.get(key) ?? Promise.resolve();
      const turn = before.catch(() => undefined).then(() => take(key, number, journey, request));
      running.set(key, turn);
      const forget = (): void => {
        if (running.get(key) === turn) running.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },

    async expire({ key, turns, step }: { key: string; turns: number; step: 'expire' | 'forget' }): Promise<void> {
      await store.transaction(async (tx) => {
        const record = await tx.in(simulations).get(key);
        if (record?.turns !== turns) return;
        if (step === 'forget') return tx.in(simulations).delete(key);
        tx.in(simulations).put({ ...record, state: 'over', revisions: [], data: '' });
        tx.push(expiries, { key, turns, step: 'forget' }, { id: key, notBefore: new Date(clock.now().getTime() + FORGOTTEN_AFTER_MS) });
      });
    },
  };

  async function take(key: string, number: NumberRecord, journey: JourneyRecord, request: SimulationRequest) {
    const known = await records.get(key);
    if (known && (known.state === 'over' || Date.parse(known.expires_at) <= clock.now().getTime()))
      throw new SimulationRefused(404, EXPIRED);
    const input = inputOf(request.input, known !== undefined);
    const results = known ? [await goOn(number, known, input ?? '')] : await begin(number, journey, request, input);
    const last = results.at(-1)!;
    await keep(key, known?.turns, last);
    const events = results.flatMap((result) => result.events);
    return {
      simulation_id: request.simulation_id,
      state: last.next.kind === 'wait' ? ('waiting_for_input' as const) : ('end' as const),
      message: transcriptOf(events),
      card: last.head.card,
      options: optionsOf(last.events),
      skill_calls: skillCallsOf(events),
      actions: actionsOf(events),
      http_calls: [],
      contact: last.head.contact,
      context: readContext(last.session),
    };
  }

  /** A first message answers the first wait, and the answer carries both the opening and the reply to it. */
  async function begin(
    number: NumberRecord,
    journey: JourneyRecord,
    request: SimulationRequest,
    input: string | undefined,
  ): Promise<TurnResult[]> {
    const revision = journey.revisions[request.revision]!;
    const { contact, parent, child } = request;
    const signal: Signal = {
      kind: 'start',
      session: ids.uuid(),
      journey: journey.uuid,
      revision,
      contact,
      globals: {
        number: { uuid: number.uuid, name: number.name, address: number.address },
        chat: {},
        event: input === undefined ? {} : { message: { type: 'text', text: { body: input } } },
        global: {},
        organisation: {},
      },
      ...(parent && { parent }),
      ...(child && { child }),
    };
    const opening = await turn(number, [revision], null, signal);
    if (input === undefined || opening.next.kind !== 'wait') return [opening];
    return [opening, await turn(number, opening.head.revisions, opening.session, { kind: 'input', input: { type: 'text', text: input } })];
  }

  function goOn(number: NumberRecord, known: SimulationRecord, input: string): Promise<TurnResult> {
    return turn(number, known.revisions, known.data, { kind: 'input', input: { type: 'text', text: input } });
  }

  /** Models, skills, cards and other journeys are asked as in a real run; requests over HTTP are not made. */
  function turn({ uuid }: NumberRecord, revisions: readonly string[], session: string | null, signal: Signal): Promise<TurnResult> {
    return journeys.runTurn({
      revisions,
      session,
      signal,
      perform: effects.performer(uuid, {
        http: async () => ({ kind: 'failed', code: 'not_simulated', reason: 'requests are not simulated' }),
      }),
    });
  }

  async function keep(key: string, turnsBefore: number | undefined, { next, head, session }: TurnResult): Promise<void> {
    const isWaiting = next.kind === 'wait';
    const expiresAt = new Date(clock.now().getTime() + idleMs);
    await store.transaction(async (tx) => {
      const current = await tx.in(simulations).get(key);
      if (current?.turns !== turnsBefore) throw new SimulationRefused(404, EXPIRED);
      tx.in(simulations).put({
        key,
        state: isWaiting ? 'waiting' : 'over',
        revisions: isWaiting ? head.revisions : [],
        data: isWaiting ? session : '',
        turns: head.turns,
        expires_at: expiresAt.toISOString(),
      });
      tx.push(expiries, { key, turns: head.turns, step: 'expire' }, { id: key, notBefore: expiresAt });
    });
  }
}

function inputOf(input: unknown, isNeeded: boolean): string | undefined {
  if (input === undefined && !isNeeded) return undefined;
  if (typeof input !== 'string' || input === '') throw new SimulationRefused(400, 'Invalid input, must be a non-empty string');
  return input;
}

import { type ChunkedText, ChunkMissing, type JsonObject, type NumberRecord, queue, type Transaction } from '#core';
import { namesStoredMedia, withStoredTypes } from '#core/messaging';
import type { JourneysContext } from '../journeys/plugin.js';
import {
  generations,
  isKnownSession,
  type JourneyRecord,
  type Perform,
  type RevisionName,
  type Signal,
  type TurnResult,
} from '../journeys/plugin.js';
import { SimulationRefused } from './errors.js';
import { inputFrom } from './input.js';
import { MockSequence, readMocks } from './mocks/mocks.js';
import { type SentRequest, simulatedPerformer } from './mocks/perform.js';
import { type Mock, type SimulationRecord, simulationMocks, simulations } from './records.js';
import { reportFor, responseOf } from './response/response.js';

/**
 * Timers of a simulation: `expire` ends an idle simulation and deletes its data; `forget` deletes its record a day later. Each simulation
 * has one. A turn does not store it again; when it fires and a turn has run since, it waits for the rest of the time.
 */
export const expiries = queue<{ key: string; turns: number; step: 'expire' | 'forget' }>('simulation.expiries', ({ key, step }) => ({
  kind: 'simulation',
  id: key,
  title: step === 'expire' ? `expiry of simulation ${key}` : `deletion of ended simulation ${key}`,
}));

export interface SimulationRequest {
  readonly simulation_id: string;
  readonly revision: 'production' | 'staging';
  readonly contact: JsonObject;
  readonly parent: JsonObject | undefined;
  readonly child: JsonObject | undefined;
  readonly input: unknown;
  readonly http_mocks: readonly unknown[];
  readonly fail_unmocked_http_calls: boolean | undefined;
  readonly debug: boolean;
}

/** A simulation as the store has it. */
interface StoredSimulation {
  readonly record: SimulationRecord;
  /** Null once it is over. */
  readonly session: string | null;
  readonly mocks: readonly Mock[];
  /** The version of the record, if known. */
  readonly version?: unknown;
}

interface SimulationState {
  readonly last: TurnResult;
  readonly sequence: MockSequence;
  readonly mocks: readonly Mock[];
  readonly failUnmocked: boolean;
}

/** A bound for the histories. Simulations end long before by their timers. */
const MAX_DAYS = 30;
/** The assumed size of a simulation without its session state. */
const RECORD_BYTES = 1_000;
const ENDED_RETENTION_MS = 24 * 60 * 60 * 1000;
/** Bytes in each of the two generations of the cache. */
const CACHED_BYTES = 8 * 1024 * 1024;
const EXPIRED = 'Simulation not found or expired';

/** The options of the plugin, with their defaults. */
export interface SimulationBounds {
  readonly idleMinutes: number;
  readonly kept: number;
  readonly keptBytes?: number;
}

/** Starts and continues simulations. Their messages are returned and never passed to a channel driver. */
export function createSimulations(context: JourneysContext, { idleMinutes, kept, keptBytes }: SimulationBounds) {
  const { store, journeys, media, ids, clock, chunks, history } = context;
  const idleMs = idleMinutes * 60_000;
  const records = store.open(simulations);
  const mocksOf = store.open(simulationMocks);
  /**
   * The last request of each simulation, in an object that `run` empties. V8 replaces the table of a busy map often, and an old table keeps
   * its entries, and so the results, until the next full collection (tenured per turn, with the same in the pool: 9.6 -> 6.1 KB).
   */
  const running = new Map<string, { turn: Promise<unknown> | undefined }>();
  /** Simulations after their last turn, so that the next turn need not read and parse them; valid while the store has the same version. */
  const recent = generations<StoredSimulation>(CACHED_BYTES);
  /** An evicted simulation ends as if it had expired. */
  const active = history<SimulationRecord>({
    name: 'simulations',
    type: simulations,
    index: 'active',
    at: ({ active_at }) => active_at,
    bytes: ({ kept_bytes = 0 }) => RECORD_BYTES + kept_bytes,
    limits: { count: kept, days: MAX_DAYS, bytes: keptBytes },
    evict: async (tx, record) => end(tx, record),
  });
  const ended = history<SimulationRecord>({
    name: 'simulations-over',
    type: simulations,
    index: 'over',
    at: ({ over_at }) => over_at,
    bytes: () => RECORD_BYTES,
    limits: { count: kept, days: MAX_DAYS, bytes: keptBytes },
    async evict(tx, { key }) {
      tx.in(simulations).delete(key);
      tx.cancel(expiries, key);
    },
  });

  return {
    /** Runs one request. Requests of the same simulation run one after the other. */
    run(number: NumberRecord, journey: JourneyRecord, request: SimulationRequest) {
      const key = `${number.uuid}:${journey.uuid}:${request.simulation_id}`;
      const before = running.get(key)?.turn;
      const turn = before
        ? before.catch(() => undefined).then(() => handle(key, number, journey, request))
        : handle(key, number, journey, request);
      const entry: { turn: Promise<unknown> | undefined } = { turn };
      running.set(key, entry);
      const remove = (): void => {
        if (running.get(key) === entry) running.delete(key);
        entry.turn = undefined;
      };
      turn.then(remove, remove);
      return turn;
    },

    async expire({ key, turns, step }: { key: string; turns: number; step: 'expire' | 'forget' }): Promise<void> {
      await store.transaction(async (tx) => {
        const record = await tx.in(simulations).get(key);
        if (!record) return;
        if (record.state === 'waiting') {
          const remainingMs = Date.parse(record.expires_at) - clock.now().getTime();
          if (record.turns !== turns && remainingMs > 0) {
            const notBefore = new Date(clock.now().getTime() + Math.min(remainingMs, idleMs));
            tx.push(expiries, { key, turns: record.turns, step: 'expire' }, { id: key, notBefore });
            return;
          }
          active.removed(tx, record);
          end(tx, record);
        } else if (record.turns !== turns) return;
        else if (step === 'expire') tx.push(expiries, { key, turns, step: 'forget' }, { id: key, notBefore: endOfRetention() });
        else {
          ended.removed(tx, record);
          tx.in(simulations).delete(key);
        }
      });
    },
  };

  /** Ends a simulation and deletes its data. Its record stays for a day, so that requests with its id get 404. */
  function end(tx: Transaction, record: SimulationRecord): void {
    const { key, turns, expires_at, fail_unmocked, data } = record;
    storeEnded(tx, { key, turns, expires_at, fail_unmocked }, data);
    tx.push(expiries, { key, turns, step: 'forget' }, { id: key, notBefore: endOfRetention() });
  }

  function storeEnded(
    tx: Transaction,
    about: Pick<SimulationRecord, 'key' | 'turns' | 'expires_at' | 'fail_unmocked'>,
    data: ChunkedText | undefined,
  ): void {
    const record: SimulationRecord = { ...about, state: 'over', revisions: [], data: '', used: [], over_at: clock.now().toISOString() };
    chunks.release(tx, data);
    tx.in(simulations).put(record);
    tx.in(simulationMocks).delete(about.key);
    ended.added(tx, record);
  }

  function endOfRetention(): Date {
    return new Date(clock.now().getTime() + ENDED_RETENTION_MS);
  }

  async function handle(key: string, number: NumberRecord, journey: JourneyRecord, request: SimulationRequest) {
    const stored = cached(key) ?? (await read(key));
    const known = stored?.record;
    if (known && (known.state === 'over' || Date.parse(known.expires_at) <= clock.now().getTime()))
      throw new SimulationRefused(404, EXPIRED);
    if (!known) requireRevision(journey, request.revision);
    const input = inputOf(request.input, known !== undefined);
    const before = stored?.mocks ?? [];
    const mocks = [...before, ...readMocks(request.http_mocks, before)];
    const sequence = new MockSequence(mocks, known?.used ?? []);
    const failUnmocked = request.fail_unmocked_http_calls ?? known?.fail_unmocked ?? false;
    const answers: SentRequest[] = [];
    const onAnswer = request.debug ? (answer: SentRequest) => void answers.push(answer) : undefined;
    let performer: Perform | undefined;
    // Most turns have no effects.
    const perform: Perform = (effect) => {
      performer ??= simulatedPerformer({ journeys }, number.uuid, { sequence, failUnmocked, onAnswer });
      return performer(effect);
    };

    const session = stored?.session ?? null;
    return journeys.withRoom(session?.length ?? 0, async () => {
      const startedAt = (clock.ofRequests ?? clock).monotonic();
      const turns =
        known && session !== null
          ? [await resume(known, session, input ?? '', perform, request.debug)]
          : await start(number, journey, { ...request, input }, perform);
      const results = turns.some(hasStoredMedia) ? await Promise.all(turns.map((result) => withTypes(number.uuid, result))) : turns;
      const last = results.at(-1)!;
      await commit(key, stored, { last, sequence, mocks, failUnmocked }, mocks.length > before.length);
      const elapsed = Math.round((clock.ofRequests ?? clock).monotonic() - startedAt);
      return responseOf(
        request.simulation_id,
        results,
        request.debug ? { elapsed_ms: elapsed, http_answers: answers.map((answer) => ({ ...answer })) } : undefined,
      );
    });
  }

  function cached(key: string): StoredSimulation | undefined {
    const found = recent.get(key);
    return found && found.version === records.version?.(key) ? found : undefined;
  }

  async function read(key: string): Promise<StoredSimulation | undefined> {
    const record = await records.get(key);
    if (!record) return undefined;
    if (record.state === 'over') return { record, session: null, mocks: [] };
    const mocks = (await mocksOf.get(key))?.mocks ?? [];
    const session = await chunks.expand(record.data).catch((error: unknown) => {
      // The simulation was evicted meanwhile.
      throw error instanceof ChunkMissing ? new SimulationRefused(404, EXPIRED) : error;
    });
    return { record, session, mocks };
  }

  /** Starts a simulation. With `input`, two turns run: the opening, and the answer to its first wait. */
  async function start(
    number: NumberRecord,
    journey: JourneyRecord,
    { contact, parent, child, input, ...request }: Omit<SimulationRequest, 'input'> & { readonly input: string | undefined },
    perform: Perform,
  ): Promise<TurnResult[]> {
    const revision = journey.revisions[request.revision]!;
    const signal: Signal = {
      kind: 'start',
      session: ids.uuid(),
      journey: journey.uuid,
      revision,
      contact,
      globals: {
        number: { uuid: number.uuid, name: number.name, address: number.address },
        chat: { uuid: null, contact_uuid: null, owner: `simulation:${request.simulation_id}` },
        event: input === undefined ? {} : { message: inputFrom(input).message ?? {} },
        global: {},
        organisation: {},
      },
      ...(parent && { parent }),
      ...(child && { child }),
    };
    const { debug } = request;
    const opening = await turn([revision], null, signal, perform, debug);
    if (input === undefined || opening.next.kind !== 'wait') return [opening];
    return [opening, await turn(opening.head.revisions, opening.session, answerOf(input), perform, debug)];
  }

  function resume({ revisions }: SimulationRecord, session: string, input: string, perform: Perform, debug: boolean): Promise<TurnResult> {
    return turn(revisions, session, answerOf(input), perform, debug).catch((error: unknown) => {
      // A later release has continued this session. The session stays stored for that release until it expires.
      throw isKnownSession(session) ? error : new SimulationRefused(404, EXPIRED);
    });
  }

  function turn(
    revisions: readonly string[],
    session: string | null,
    signal: Signal,
    perform: Perform,
    debug: boolean,
  ): Promise<TurnResult> {
    return journeys.runTurn({ revisions, session, signal, perform, report: reportFor(debug), here: true });
  }

  /** Adds the media types of stored media, which sending adds to a real message. */
  async function withTypes(number: string, result: TurnResult): Promise<TurnResult> {
    const events = result.events.map(async (event) =>
      event.type === 'message_out' ? { ...event, turn: await withStoredTypes(number, event.turn, media.about) } : event,
    );
    return { ...result, events: await Promise.all(events) };
  }

  async function commit(
    key: string,
    stored: StoredSimulation | undefined,
    { last, sequence, mocks, failUnmocked }: SimulationState,
    hasNewMocks: boolean,
  ): Promise<void> {
    const { next, head, session } = last;
    const isWaiting = next.kind === 'wait';
    const expiresAt = new Date(clock.now().getTime() + idleMs);
    await store.transaction(async (tx) => {
      const known = tx.in(simulations);
      const isCurrent = stored?.version !== undefined && known.version?.(key) === stored.version;
      const current = isCurrent ? stored.record : await known.get(key);
      // The simulation was evicted meanwhile, and its mocks are deleted.
      if (current?.turns !== stored?.record.turns || current?.state === 'over') throw new SimulationRefused(404, EXPIRED);
      if (current) active.removed(tx, current);
      const about = { key, turns: head.turns, expires_at: expiresAt.toISOString(), fail_unmocked: failUnmocked };
      if (isWaiting) {
        const { text, bytes } = chunks.pack(tx, session, { scope: key, before: current?.data });
        const record: SimulationRecord = {
          ...about,
          state: 'waiting',
          revisions: head.revisions,
          data: text,
          kept_bytes: bytes + bytesOf(mocks),
          used: sequence.used,
          active_at: clock.now().toISOString(),
        };
        known.put(record);
        active.added(tx, record);
        const version = known.version?.(key);
        if (version !== undefined)
          tx.afterCommit(() => recent.set(key, { record, session, mocks, version }, RECORD_BYTES + (record.kept_bytes ?? 0)));
        if (hasNewMocks) tx.in(simulationMocks).put({ key, mocks });
        if (current) return;
      } else storeEnded(tx, about, current?.data);
      tx.push(expiries, { key, turns: head.turns, step: 'expire' }, { id: key, notBefore: expiresAt });
    });
  }
}

const hasStoredMedia = ({ events }: TurnResult): boolean =>
  events.some((event) => event.type === 'message_out' && namesStoredMedia(event.turn));

const bytesOf = (mocks: readonly Mock[]): number =>
  mocks.reduce((sum, { url, body, headers }) => sum + url.length + body.length + JSON.stringify(headers).length, 0);

function inputOf(input: unknown, isNeeded: boolean): string | undefined {
  if ((input === undefined || input === null) && !isNeeded) return undefined;
  if (typeof input !== 'string' || input === '') throw new SimulationRefused(400, 'Invalid input, must be a non-empty string');
  return input;
}

const answerOf = (input: string): Signal => ({ kind: 'input', input: inputFrom(input) });

/** Checked for new simulations only, because a running simulation stays on its revision. */
function requireRevision(journey: JourneyRecord, revision: RevisionName): void {
  if (journey.revisions[revision] !== null) return;
  throw new SimulationRefused(
    400,
    revision === 'staging' ? 'Journey has no staging revision' : 'Journey has no published production revision',
  );
}

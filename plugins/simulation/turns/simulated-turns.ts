import { Conflict, type JsonObject, NotFound, type NumberRecord, type TypeOf } from '#core';
import { reservedFields, withStoredTypes } from '#core/messaging';
import type { JourneysContext } from '../../journeys/plugin.js';
import { generations, type JourneyRecord, type Signal, type TurnResult } from '../../journeys/plugin.js';
import { inputFrom } from '../input.js';
import { MockSequence, readMocks } from '../mocks/mocks.js';
import { simulatedPerformer, type TracedCall } from '../mocks/perform.js';
import type { Mock } from '../records.js';
import { detailsOf } from '../response/response.js';
import { actionsOf, optionsOf, skillCallsOf, transcriptOf } from '../response/transcript.js';
import { changesOf } from './changes.js';
import { type SimulatedModels, simulatedModels, type TracedModelCall } from './models.js';
import type { turnRequestSchema, turnSchema } from './schemas.js';

export type TurnRequest = TypeOf<typeof turnRequestSchema>;
export type SimulatedTurn = TypeOf<typeof turnSchema>;

/** A turn with all that a later turn needs to continue it. Nothing in it changes, so that it can be continued more than once. */
interface KeptTurn {
  readonly journey: string;
  readonly revision: SimulatedTurn['revision'];
  readonly state: SimulatedTurn['state'];
  readonly revisions: readonly string[];
  readonly session: string;
  readonly context: JsonObject;
  readonly contact: JsonObject;
  readonly card: string;
  readonly seed: string;
  /** Milliseconds since 1970, in the simulation. */
  readonly now: number;
  /** When the wait began. */
  readonly since: number;
  readonly wait: Extract<TurnResult['next'], { kind: 'wait' }> | undefined;
  readonly mocks: readonly Mock[];
  readonly used: readonly number[];
  readonly failUnmocked: boolean;
  readonly models: SimulatedModels;
}

type RunTurn = (revisions: readonly string[], session: string | null, signal: Signal, now: number) => Promise<TurnResult>;
interface Ran extends Pick<KeptTurn, 'state' | 'now' | 'since' | 'wait'> {
  readonly results: readonly TurnResult[];
}

/** Bytes in each of the two generations of turns. */
const KEPT_BYTES = 24 * 1024 * 1024;
const TURN_BYTES = 2_000;
/** A journey that asks again after each time-out would run for as long as time passes. */
const MAX_TIMEOUTS = 100;

/** Runs simulated turns and keeps them in memory, so that each can be continued later. They end with the process. */
export function createSimulatedTurns(context: JourneysContext) {
  const { journeys, media, ids, clock, dialect, numbers } = context;
  const kept = generations<KeptTurn>(KEPT_BYTES);

  return {
    /** @throws NotFound, Conflict, InvalidRequest, SimulationRefused for invalid mocks */
    async run(journey: JourneyRecord, request: TurnRequest): Promise<SimulatedTurn> {
      const { after } = request;
      const before = after === undefined ? undefined : kept.get(after);
      if (after !== undefined && before?.journey !== journey.uuid) throw new NotFound('simulated turn', after);
      if (before && before.state !== 'waiting_for_input')
        throw new Conflict(
          'simulation_over',
          before.state === 'end' ? 'The journey has ended in this turn' : 'The wait has expired in this turn',
        );
      const number = await numbers.require(journey.number);
      const earlier = before?.mocks ?? [];
      const mocks = request.http_mocks ? readMocks(request.http_mocks, []) : earlier;
      const isSame = (i: number): boolean => JSON.stringify(mocks[i]) === JSON.stringify(earlier[i]);
      const sequence = new MockSequence(mocks, before?.used.filter(isSame) ?? []);
      const failUnmocked = request.fail_unmocked_http_calls ?? before?.failUnmocked ?? true;
      const models = request.models ?? before?.models ?? {};
      const http_calls: TracedCall[] = [];
      const model_calls: TracedModelCall[] = [];
      const perform = simulatedPerformer({ journeys }, number.uuid, {
        sequence,
        failUnmocked,
        onCall: (call) => void http_calls.push(call),
        model: simulatedModels(context, {
          models,
          replies: request.model_replies ?? [],
          real: journeys.performer(number.uuid),
          onCall: (call) => void model_calls.push(call),
        }),
      });

      return journeys.withRoom(before?.session.length ?? 0, async () => {
        const time = clock.ofRequests ?? clock;
        const startedAt = time.monotonic();
        const seed = before?.seed ?? ids.uuid();
        const runTurn = (revisions: readonly string[], session: string | null, signal: Signal, now: number): Promise<TurnResult> =>
          journeys.runTurn({
            revisions,
            session,
            signal,
            perform,
            report: { context: true },
            at: { now: new Date(now).toISOString(), seed },
          });
        const ran = before ? await resume(before, request, runTurn) : await start(number, journey, request, runTurn);
        const results = await Promise.all(ran.results.map((result) => withTypes(number.uuid, result)));
        const last = results.at(-1);
        const events = results.flatMap((result) => result.events);
        const failure = last?.next.kind === 'end' ? (last.next.failure ?? null) : null;
        const turn: KeptTurn = {
          journey: journey.uuid,
          revision: before?.revision ?? request.revision ?? 'draft',
          state: ran.state,
          now: ran.now,
          since: ran.since,
          wait: ran.wait,
          seed,
          mocks,
          used: sequence.used,
          failUnmocked,
          models,
          ...(last
            ? {
                revisions: last.head.revisions,
                session: last.session,
                card: last.head.card,
                contact: last.head.contact as JsonObject,
                context: last.context ?? before?.context ?? {},
              }
            : {
                revisions: before!.revisions,
                session: before!.session,
                card: before!.card,
                contact: before!.contact,
                context: before!.context,
              }),
        };
        const id = ids.uuid();
        kept.set(id, turn, TURN_BYTES + turn.session.length * 2 + mocks.reduce((sum, { body }) => sum + body.length, 0));
        const { wait, since, now, revision, state, card, contact } = turn;
        const remaining = (seconds: number | undefined): number | null =>
          state === 'waiting_for_input' && seconds !== undefined ? Math.max(0, since + seconds * 1000 - now) : null;
        return {
          id,
          after: after ?? null,
          revision,
          at: new Date(now).toISOString(),
          state,
          failure,
          timeout_in_ms: remaining(wait?.timeoutIn),
          expires_in_ms: remaining(wait?.expiresIn),
          message: transcriptOf(events),
          card,
          options: last ? optionsOf(last.events) : [],
          skill_calls: skillCallsOf(events),
          actions: actionsOf(events),
          http_calls: http_calls.map((call) => ({ ...call, failures: [...call.failures], answer: call.answer && { ...call.answer } })),
          model_calls,
          contact,
          context: turn.context,
          changes: changesOf(before?.context ?? {}, turn.context),
          ...detailsOf(events),
          elapsed_ms: Math.round(time.monotonic() - startedAt),
        };
      });
    },
  };

  async function start(number: NumberRecord, journey: JourneyRecord, request: TurnRequest, runTurn: RunTurn): Promise<Ran> {
    const { revision: name = 'draft', input, parent, child, contact } = request;
    const revision = name === 'draft' ? journey.draft : journey.revisions[name];
    if (revision === null) throw new Conflict('no_such_revision', `The journey has no ${name} revision`);
    const message = input === undefined ? undefined : inputFrom(input);
    const now = clock.now().getTime();
    const signal: Signal = {
      kind: 'start',
      session: ids.uuid(),
      journey: journey.uuid,
      revision,
      contact: { ...reservedFields(dialect, number.kind === 'channel' ? null : 'simulated'), ...(contact as JsonObject) },
      globals: {
        number: { uuid: number.uuid, name: number.name, address: number.address },
        chat: { uuid: null, contact_uuid: null, owner: 'simulation' },
        event: message?.message ? { message: message.message } : {},
        global: {},
        organisation: {},
      },
      ...(message && { input: message }),
      ...(parent && { parent: parent as JsonObject }),
      ...(child && { child: child as JsonObject }),
    };
    return ranAt(now, [await runTurn([revision], null, signal, now)]);
  }

  async function resume(before: KeptTurn, { input, wait_ms = 0 }: TurnRequest, runTurn: RunTurn): Promise<Ran> {
    const { revisions, session, now } = before;
    if (input !== undefined) return ranAt(now, [await runTurn(revisions, session, { kind: 'input', input: inputFrom(input) }, now)]);
    return pass(before, now + wait_ms, runTurn);
  }

  /** Lets time pass until `until`: time-outs run when they are due, and a wait without one expires. */
  async function pass({ now, ...before }: KeptTurn, until: number, runTurn: RunTurn): Promise<Ran> {
    const results: TurnResult[] = [];
    let { revisions, session, since, wait } = before;
    for (let timeouts = 0; wait && timeouts < MAX_TIMEOUTS; timeouts++) {
      const expiry = since + wait.expiresIn * 1000;
      const timeout = wait.timeoutIn === undefined ? Number.POSITIVE_INFINITY : since + wait.timeoutIn * 1000;
      if (Math.min(expiry, timeout) > until) break;
      if (timeout > expiry) return { results, state: 'expired', now: until, since, wait: undefined };
      const result = await runTurn(revisions, session, { kind: 'timeout' }, timeout);
      results.push(result);
      ({ session } = result);
      ({ revisions } = result.head);
      since = timeout;
      wait = result.next.kind === 'wait' ? result.next : undefined;
    }
    return { results, state: wait ? 'waiting_for_input' : 'end', now: until, since, wait };
  }

  /** Adds the media types of stored media, which sending adds to a real message. */
  async function withTypes(number: string, result: TurnResult): Promise<TurnResult> {
    const events = result.events.map(async (event) =>
      event.type === 'message_out' ? { ...event, turn: await withStoredTypes(number, event.turn, media.about) } : event,
    );
    return { ...result, events: await Promise.all(events) };
  }
}

/** Where one turn of the engine leads. */
function ranAt(now: number, results: readonly [TurnResult]): Ran {
  const [{ next }] = results;
  const wait = next.kind === 'wait' ? next : undefined;
  return { results, state: wait ? 'waiting_for_input' : 'end', now, since: now, wait };
}

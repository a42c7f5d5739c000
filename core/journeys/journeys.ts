import { generations } from '../engine/generations.js';
import type { Finding } from '../engine/lint/finding.js';
import { type AssetLookup, unknownAssets } from '../engine/lint/references.js';
import type { Definitions, Environment } from '../engine/session.js';
import { type SharedDefinition, shareDefinition } from '../engine/shared-definition.js';
import { Conflict, NotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import { createRoom } from '../memory/room.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { WorkerPool } from '../ports/workers.js';
import { type JourneyRecord, journeyRecords, type RevisionName, type RevisionRecord, revisions, type Trigger } from './journey.js';
import { canRun, lintJourney } from './lint-journey.js';
import { type RunTurn, runTurn, type TurnResult } from './run-turn.js';
import { shadowedTriggers } from './shadowed-triggers.js';

/**
 * A turn whose session and input have more characters than this starts only when the heap has room for it. Such a turn needs about twenty
 * bytes per character, because the session is parsed, cloned to a worker, sent and stored.
 */
const SMALL_TURN = 65_536;
const HEAP_PER_CHARACTER = 100;
/** Bytes of definitions in each of the two cache generations. */
const CACHED_BYTES = 32 * 1024 * 1024;

/** Thrown for a draft with errors that prevent publishing; `problems` lists the errors. */
export class InvalidJourney extends Conflict {
  readonly problems: readonly Finding[];

  constructor(problems: readonly Finding[]) {
    super('invalid_journey', problems.map(({ path, message }) => `${path || '/'}: ${message}`).join('; '));
    this.problems = problems;
  }
}

/** The service for journeys, their revisions, and running their turns. */
export type Journeys = ReturnType<typeof createJourneys>;

export function createJourneys({
  store,
  ids,
  clock,
  workers,
  locale,
  heapBytes,
}: {
  store: Database;
  ids: Ids;
  clock: Clock;
  workers: Pick<WorkerPool, 'run'>;
  locale: Pick<Environment, 'timeZone' | 'country'>;
  /** The heap limit of Node. */
  heapBytes: number;
}) {
  const records = store.open(journeyRecords);
  const storedRevisions = store.open(revisions);
  const room = createRoom({ capacity: heapBytes / HEAP_PER_CHARACTER, small: SMALL_TURN });
  const definitions = generations<SharedDefinition>(CACHED_BYTES);

  return {
    get: (uuid: string): Promise<JourneyRecord | undefined> => records.get(uuid),

    /** Includes deleted and disabled journeys. @throws NotFound */
    async require(uuid: string): Promise<JourneyRecord> {
      const journey = await records.get(uuid);
      if (!journey) throw new NotFound('journey', uuid);
      return journey;
    },

    /** The journeys of a number that are not deleted, oldest first. */
    async ofNumber(number: string): Promise<JourneyRecord[]> {
      return (await records.find('number', { equals: [number] })).filter((journey) => journey.deleted_at === null);
    },

    /** Creates a journey or replaces its draft. The draft may have errors; `publish` rejects them. */
    async put(
      tx: Transaction,
      input: { uuid?: string | undefined; number: string; name: string; definition: JsonObject; triggers: readonly Trigger[] },
      hasAsset: AssetLookup = unknownAssets,
    ): Promise<{ journey: JourneyRecord; problems: readonly Finding[] }> {
      const now = clock.now().toISOString();
      const uuid = input.uuid ?? ids.uuid();
      const existing = await tx.in(journeyRecords).get(uuid);
      if (existing && existing.number !== input.number)
        throw new Conflict('journey_of_other_number', 'This journey belongs to another number; use a new uuid');
      const newest = { order: 'descending', limit: 1 } as const;
      const [last] = await tx.in(revisions).find('journey', { equals: [uuid], ...newest });
      const order =
        existing?.order ?? ((await tx.in(journeyRecords).find('number', { equals: [input.number], ...newest }))[0]?.order ?? 0) + 1;
      const draft: RevisionRecord = {
        uuid: ids.uuid(),
        journey: uuid,
        count: (last?.count ?? 0) + 1,
        created_at: now,
        definition: input.definition,
      };
      const journey: JourneyRecord = {
        enabled: true,
        revisions: { staging: null, production: null },
        created_at: existing?.created_at ?? now,
        // A deleted journey is recreated as a new one, so that none of its old revisions runs before the next publication.
        ...(existing?.deleted_at === null && existing),
        uuid,
        number: input.number,
        order,
        name: input.name,
        triggers: [...input.triggers],
        draft: draft.uuid,
        deleted_at: null,
        updated_at: now,
      };
      tx.in(revisions).put(draft);
      tx.in(journeyRecords).put(journey);
      const ofNumber = await tx.in(journeyRecords).find('number', { equals: [input.number] });
      return { journey, problems: [...(await lintJourney(input.definition, hasAsset)), ...shadowedTriggers(journey, ofNumber)] };
    },

    /**
     * Makes the draft the staging or production revision. Any error prevents publishing to production; to staging only errors that
     * would make a run fail, so that a journey can be tested before all its assets exist.
     * @throws NotFound, InvalidJourney
     */
    async publish(tx: Transaction, uuid: string, to: RevisionName, hasAsset: AssetLookup = unknownAssets): Promise<JourneyRecord> {
      const journey = await inTransaction(tx, uuid);
      const draft = await tx.in(revisions).get(journey.draft);
      const errors = (await lintJourney(draft?.definition, hasAsset)).filter(({ severity }) => severity === 'error');
      const isTried = to === 'staging' && (await canRun(draft?.definition));
      if (errors.length > 0 && !isTried) throw new InvalidJourney(errors);
      return change(tx, journey, { revisions: { ...journey.revisions, [to]: journey.draft } });
    },

    /** The findings about a journey's draft and its triggers, errors first. @throws NotFound */
    async lint(uuid: string, hasAsset: AssetLookup = unknownAssets): Promise<readonly Finding[]> {
      const journey = await records.get(uuid);
      const draft = journey && (await storedRevisions.get(journey.draft));
      if (!draft) throw new NotFound('journey', uuid);
      const ofNumber = await records.find('number', { equals: [journey.number] });
      return [...(await lintJourney(draft.definition, hasAsset)), ...shadowedTriggers(journey, ofNumber)];
    },

    /** @throws NotFound */
    async setEnabled(tx: Transaction, uuid: string, enabled: boolean): Promise<JourneyRecord> {
      return change(tx, await inTransaction(tx, uuid), { enabled });
    },

    /** Deletes a journey. Conversations in progress continue to their end. @throws NotFound */
    async delete(tx: Transaction, uuid: string): Promise<JourneyRecord> {
      return change(tx, await inTransaction(tx, uuid), { deleted_at: clock.now().toISOString() });
    },

    /** A revision with its definition. @throws NotFound */
    async revision(uuid: string): Promise<RevisionRecord> {
      const revision = await storedRevisions.get(uuid);
      if (!revision) throw new NotFound('revision', uuid);
      return revision;
    },

    /**
     * Runs a turn, including storing its result, as soon as there is room in memory for its number of characters. Bounds the memory of
     * all turns in flight together.
     */
    withRoom: room,

    /** Runs one turn of a session on the worker pool. `perform` performs its effects. */
    async runTurn(
      turn: Omit<RunTurn, 'definitions' | 'workers' | 'environment'> & { readonly revisions: readonly string[] },
    ): Promise<TurnResult> {
      const environment = { ...locale, now: clock.now().toISOString(), seed: String(ids.random()) };
      return runTurn({ ...turn, workers, environment, definitions: await sharedDefinitions(turn.revisions) });
    },

    /** The definition of a revision, for a `journey` effect. */
    definition: async (revision: string): Promise<SharedDefinition> => (await sharedDefinitions([revision]))[revision]!,
  };

  async function inTransaction(tx: Transaction, uuid: string): Promise<JourneyRecord> {
    const journey = await tx.in(journeyRecords).get(uuid);
    if (!journey || journey.deleted_at !== null) throw new NotFound('journey', uuid);
    return journey;
  }

  function change(tx: Transaction, journey: JourneyRecord, change: Partial<JourneyRecord>): JourneyRecord {
    const changed = { ...journey, ...change, updated_at: clock.now().toISOString() };
    tx.in(journeyRecords).put(changed);
    return changed;
  }

  /** The definitions that workers share; recently used ones are cached. */
  async function sharedDefinitions(revisionIds: readonly string[]): Promise<Definitions> {
    const found: Record<string, SharedDefinition> = {};
    for (const revision of revisionIds) found[revision] = definitions.get(revision) ?? (await load(revision));
    return found;
  }

  async function load(revision: string): Promise<SharedDefinition> {
    const record = await storedRevisions.get(revision);
    if (!record) throw new NotFound('revision', revision);
    const shared = shareDefinition(record.definition);
    definitions.set(revision, shared, shared.bytes.byteLength);
    return shared;
  }
}

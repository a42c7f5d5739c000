import {
  Conflict,
  InvalidRequest,
  type JsonObject,
  NotFound,
  type NumberRecord,
  PlatformError,
  type PluginContext,
  type Transaction,
  task,
} from '#core';
import { beginningOf, createRoom } from '#core/basics';
import { objectAt } from '../engine/compile.js';
import type { CompletionsInput } from '../engine/completions.task.js';
import type { Completions } from '../engine/editing/options.js';
import { generations } from '../engine/generations.js';
import type { GuardsInput, GuardsOutput } from '../engine/guards.task.js';
import type { CheckedChannel } from '../engine/lint/channel.js';
import type { Finding } from '../engine/lint/finding.js';
import { type AssetLookup, unknownAssets } from '../engine/lint/references.js';
import { NOTEBOOK_LIMITS } from '../engine/notebook/limits.js';
import type { Definitions, Environment } from '../engine/session.js';
import { type SharedDefinition, shareDefinition } from '../engine/shared-definition.js';
import { journeyChanged } from '../events.js';
import { journeyRecords, revisions } from '../records.js';
import type { Extensions } from '../running/extensions.js';
import { type RunTurn, runTurn, type TurnResult } from '../running/run-turn.js';
import { type CheckedJourney, checkJourney } from './check-journey.js';
import type { JourneyRecord, Republication, RevisionName, RevisionRecord, Trigger } from './journey.js';
import { triggersOf } from './notebook-triggers.js';
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
    super('invalid_journey', problems.map((problem) => `${placeOf(problem)}: ${problem.message}`).join('; '));
    this.problems = problems;
  }
}

const placeOf = ({ line, path }: Finding): string => (line === undefined ? path || '/' : `line ${line}`);

/** A new draft: a container, or the text of a notebook. */
export type NewDraft = {
  /** Without it, a new journey is created. */
  readonly uuid?: string | undefined;
  readonly number: string;
  /** The uuid of the draft that it replaces; by default any draft, or none. */
  readonly replaces?: string | undefined;
} & (
  | { readonly definition: JsonObject; readonly name: string; readonly triggers: readonly Trigger[] }
  | {
      readonly notebook: string;
      /** By default the first heading of the notebook, or the current name. */
      readonly name?: string | undefined;
      /** By default those of the notebook. */
      readonly triggers?: readonly Trigger[] | undefined;
    }
);

/** The text of an editor that was not saved. */
export type UnsavedText = { readonly notebook: string } | { readonly json: string };

export const triggerGuards = task<GuardsInput, GuardsOutput>('journey.guards', new URL('../engine/guards.task.js', import.meta.url));

const textCompletions = task<CompletionsInput, Completions>(
  'journey.completions',
  new URL('../engine/completions.task.js', import.meta.url),
  { weigh: (input) => ('notebook' in input ? input.notebook : input.json).length },
);

type CheckedAs = Parameters<typeof checkJourney> extends [unknown, ...infer Rest] ? Rest : never;

const UNNAMED = 'Journey';
const MAX_NAME = 256;

/** The service for journeys, their revisions, and running their turns. */
export type Journeys = ReturnType<typeof createJourneys>;

export function createJourneys({
  store,
  ids,
  clock,
  workers,
  numbers,
  channels,
  locale: { overNetworkLimit, ...locale },
  heapBytes,
  log,
  additions,
}: Pick<PluginContext, 'store' | 'ids' | 'clock' | 'numbers' | 'channels' | 'locale' | 'heapBytes' | 'log'> &
  Pick<Extensions, 'workers' | 'additions'>) {
  const records = store.open(journeyRecords);
  const storedRevisions = store.open(revisions);
  const room = createRoom({ capacity: heapBytes / HEAP_PER_CHARACTER, small: SMALL_TURN });
  const definitions = generations<SharedDefinition>(CACHED_BYTES);

  return {
    /** The journey with this uuid; undefined if there is none. */
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

    /**
     * Creates a journey or replaces its draft. The draft may have errors; `publish` rejects them.
     * @throws PlatformError 400 when checking takes too long, 413 for a notebook over the size limit, Conflict when the journey belongs to
     * another number or has another draft than `replaces`, NotFound when `replaces` is given for a journey that does not exist
     */
    async put(
      tx: Transaction,
      input: NewDraft,
      hasAsset: AssetLookup = unknownAssets,
    ): Promise<{ journey: JourneyRecord; problems: readonly Finding[] }> {
      if ('notebook' in input) checkNotebookSize(input.notebook);
      const now = clock.now().toISOString();
      const uuid = input.uuid ?? ids.uuid();
      const existing = await tx.in(journeyRecords).get(uuid);
      if (existing && existing.number !== input.number)
        throw new Conflict('journey_of_other_number', 'This journey belongs to another number; use a new uuid');
      if (input.replaces !== undefined) await checkDraft(tx, uuid, input.replaces);
      const newest = { order: 'descending', limit: 1 } as const;
      const [last] = await tx.in(revisions).find('journey', { equals: [uuid], ...newest });
      const order =
        existing?.order ?? ((await tx.in(journeyRecords).find('number', { equals: [input.number], ...newest }))[0]?.order ?? 0) + 1;
      const isNotebook = 'notebook' in input;
      const source = isNotebook
        ? { notebook: input.notebook, options: { uuid, name: input.name, lastModified: now } }
        : { json: JSON.stringify(input.definition) };
      const checked = await checkLogged(uuid, source, channelOf(await numbers.get(input.number)), guardsOf(input.triggers ?? []), hasAsset);
      const { container, triggers = [], title } = checked.compiled ?? {};
      const draft: RevisionRecord = {
        uuid: ids.uuid(),
        journey: uuid,
        count: (last?.count ?? 0) + 1,
        created_at: now,
        definition: isNotebook ? (JSON.parse(container ?? '{}') as JsonObject) : input.definition,
        ...(isNotebook && { notebook: input.notebook }),
        reads_answers: true,
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
        name: input.name ?? (title ? beginningOf(title, MAX_NAME) : (existing?.name ?? UNNAMED)),
        triggers: [...(input.triggers ?? triggersOf(triggers))],
        draft: draft.uuid,
        deleted_at: null,
        updated_at: now,
      };
      tx.in(revisions).put(draft);
      save(tx, journey);
      const ofNumber = await tx.in(journeyRecords).find('number', { equals: [input.number] });
      return { journey, problems: [...checked.findings, ...shadowedTriggers(journey, ofNumber)] };
    },

    /**
     * Makes the draft, or an earlier revision that becomes the draft again, the staging or production revision. Any error prevents publishing
     * to production; to staging only errors that would make a run fail, so that a journey can be tested before all its assets exist.
     * @throws NotFound, InvalidJourney, Conflict when the journey has another draft than `replaces`
     */
    async publish(
      tx: Transaction,
      uuid: string,
      to: RevisionName,
      hasAsset: AssetLookup = unknownAssets,
      { of, replaces }: Republication = {},
    ): Promise<JourneyRecord> {
      const journey = await inTransaction(tx, uuid);
      if (replaces !== undefined) await checkDraft(tx, uuid, replaces);
      const wanted = of ?? journey.draft;
      const draft = await tx.in(revisions).get(wanted);
      if (draft?.journey !== uuid) throw new NotFound('revision', wanted);
      const { findings, canRun, compiled } = await check(journey, draft, hasAsset);
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (errors.length > 0 && !(to === 'staging' && canRun)) throw new InvalidJourney(errors);
      const published_at = to === 'production' ? clock.now().toISOString() : draft.published_at;
      const published: RevisionRecord = { ...draft, reads_answers: true, ...(published_at !== undefined && { published_at }) };
      if (published_at !== draft.published_at || !draft.reads_answers) tx.in(revisions).put(published);
      if (!draft.reads_answers) cached(published);
      // A definition has no triggers of its own: those of now stay.
      const triggers = of !== undefined && compiled ? triggersOf(compiled.triggers) : journey.triggers;
      return change(tx, journey, { draft: wanted, triggers, revisions: { ...journey.revisions, [to]: wanted } });
    },

    /** The findings about a journey's draft and its triggers, errors first. @throws NotFound */
    async lint(uuid: string, hasAsset: AssetLookup = unknownAssets): Promise<readonly Finding[]> {
      const journey = await records.get(uuid);
      const draft = journey && (await storedRevisions.get(journey.draft));
      if (!draft) throw new NotFound('journey', uuid);
      const ofNumber = await records.find('number', { equals: [journey.number] });
      return [...(await check(journey, draft, hasAsset)).findings, ...shadowedTriggers(journey, ofNumber)];
    },

    /**
     * The findings that `lint` would report if a text were the draft of a journey. Stores nothing.
     * @param text a notebook, or a definition as JSON text
     * @throws NotFound, PlatformError as `put`
     */
    async lintText(uuid: string, text: UnsavedText, hasAsset: AssetLookup = unknownAssets): Promise<readonly Finding[]> {
      const journey = await records.get(uuid);
      if (!journey) throw new NotFound('journey', uuid);
      const isNotebook = 'notebook' in text;
      if (isNotebook) checkNotebookSize(text.notebook);
      const options = { uuid, name: journey.name, lastModified: journey.updated_at };
      const source = isNotebook ? { ...text, options } : text;
      const { findings, compiled } = await checkLogged(
        uuid,
        source,
        channelOf(await numbers.get(journey.number)),
        isNotebook ? [] : guardsOf(journey.triggers),
        hasAsset,
      );
      const ofNumber = await records.find('number', { equals: [journey.number] });
      const triggers = compiled ? triggersOf(compiled.triggers) : journey.triggers;
      return [...findings, ...shadowedTriggers({ ...journey, triggers }, ofNumber)];
    },

    /** The revisions of a journey, newest first. @param limit of them */
    revisionsOf: (uuid: string, limit: number): Promise<RevisionRecord[]> =>
      storedRevisions.find('journey', { equals: [uuid], order: 'descending', limit }),

    /** Enables or disables a journey: a disabled one starts no sessions. @throws NotFound */
    async setEnabled(tx: Transaction, uuid: string, enabled: boolean): Promise<JourneyRecord> {
      return change(tx, await inTransaction(tx, uuid), { enabled });
    },

    /** Renames a journey. @throws NotFound */
    async rename(tx: Transaction, uuid: string, name: string): Promise<JourneyRecord> {
      return change(tx, await inTransaction(tx, uuid), { name });
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

    /**
     * Runs one turn of a session on the worker pool; with `here`, short steps on this thread. `perform` performs its effects; `at` sets the
     * time and the seed of a simulated turn.
     */
    async runTurn(
      turn: Omit<RunTurn, 'definitions' | 'workers' | 'environment'> & {
        readonly revisions: readonly string[];
        readonly at?: Pick<Environment, 'now' | 'seed'>;
      },
    ): Promise<TurnResult> {
      const { session, signal, perform, report, at } = turn;
      const definitions = await sharedDefinitions(turn.revisions);
      const environment = at ? { ...newEnvironment(), ...at } : newEnvironment();
      // The language of a plugin can take as long as it wants.
      const here = turn.here === true && additions.modules.length === 0;
      return runTurn({ workers, perform, definitions, session, signal, environment, here, ...(report && { report }) });
    },

    /**
     * The position of the first trigger condition that is true; -1 if none is. A condition with an error is false; `warnings` says why.
     * @param context the names that a new session would have, such as `contact` and `event`
     */
    async firstTrue(guards: readonly string[], context: JsonObject): Promise<GuardsOutput> {
      return workers.run(triggerGuards, { guards, context, environment: newEnvironment() });
    },

    /** The completions of an editor at an offset of a text, in UTF-16 units. */
    async complete(text: UnsavedText, offset: number, contactFields: readonly string[]): Promise<Completions> {
      if ('notebook' in text) checkNotebookSize(text.notebook);
      return workers.run(textCompletions, { ...text, offset, contactFields });
    },

    /** The definition of a revision, for a `journey` effect. */
    definition: async (revision: string): Promise<SharedDefinition> => (await sharedDefinitions([revision]))[revision]!,
  };

  /** Returns the limits of a number's channel. */
  function channelOf(number: NumberRecord | undefined): CheckedChannel {
    return { ...(number && channels.capabilitiesOf(number)), severity: overNetworkLimit === 'warn' ? 'warning' : 'error' };
  }

  function newEnvironment(): Environment {
    return { ...locale, now: clock.now().toISOString(), seed: String(ids.random()) };
  }

  async function check(journey: JourneyRecord, draft: RevisionRecord, hasAsset: AssetLookup): Promise<CheckedJourney> {
    const { uuid, name, triggers } = journey;
    const { notebook, definition, created_at } = draft;
    const source =
      notebook === undefined ? { json: JSON.stringify(definition) } : { notebook, options: { uuid, name, lastModified: created_at } };
    return checkLogged(uuid, source, channelOf(await numbers.get(journey.number)), guardsOf(triggers), hasAsset);
  }

  /** Checks a journey, and logs which plugins could not check their blocks. */
  async function checkLogged(journey_id: string, ...about: CheckedAs): Promise<CheckedJourney> {
    const checked = await checkJourney(workers, ...about);
    for (const { code, message, block } of checked.findings)
      if (code === 'block_check_failed') log.error('a plugin failed to check a block of a journey', { journey_id, block, reason: message });
    return checked;
  }

  async function inTransaction(tx: Transaction, uuid: string): Promise<JourneyRecord> {
    const journey = await tx.in(journeyRecords).get(uuid);
    if (!journey || journey.deleted_at !== null) throw new NotFound('journey', uuid);
    return journey;
  }

  /** In the transaction of the write, so that the second of two simultaneous saves is refused. */
  async function checkDraft(tx: Transaction, uuid: string, replaced: string): Promise<void> {
    if ((await inTransaction(tx, uuid)).draft === replaced) return;
    throw new Conflict(
      'journey_changed',
      `Journey ${uuid} was changed after you read it. Read it again, and send the new text with the uuid of that draft`,
    );
  }

  function change(tx: Transaction, journey: JourneyRecord, change: Partial<JourneyRecord>): JourneyRecord {
    const changed = { ...journey, ...change, updated_at: clock.now().toISOString() };
    save(tx, changed);
    return changed;
  }

  function save(tx: Transaction, journey: JourneyRecord): void {
    tx.in(journeyRecords).put(journey);
    tx.emit(journeyChanged, { journey: journey.uuid, number: journey.number, name: journey.name });
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
    return cached(record);
  }

  function cached({ uuid, definition, reads_answers }: RevisionRecord): SharedDefinition {
    const shared = shareDefinition(reads_answers ? definition : withAnswersAsTexts(definition));
    definitions.set(uuid, shared, shared.bytes.byteLength);
    return shared;
  }
}

/** A definition of release 0.1.0, for which every answer was a text. */
function withAnswersAsTexts(definition: JsonObject): JsonObject {
  const metadata = objectAt(definition, 'vendor_metadata');
  return { ...definition, vendor_metadata: { ...metadata, svc: { ...objectAt(metadata, 'svc'), answers: 'texts' } } };
}

/** A notebook over the limit is not stored, unlike other notebooks with errors. */
function checkNotebookSize(notebook: string): void {
  const { bytes } = NOTEBOOK_LIMITS;
  if (notebook.length > bytes || Buffer.byteLength(notebook) > bytes)
    throw new PlatformError(413, 'notebook_too_large', `A notebook has at most ${bytes} bytes; split the journey`);
  if (/\p{Surrogate}/u.test(notebook)) {
    const message = 'notebook has half of a surrogate pair, which UTF-8 cannot encode';
    throw new InvalidRequest([{ path: ['notebook'], rule: 'any.invalid', message }]);
  }
}

const guardsOf = (triggers: readonly Trigger[]): (string | undefined)[] => triggers.map(({ when }) => when);

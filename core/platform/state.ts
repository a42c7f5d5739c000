import type Joi from 'joi';
import { Entry } from '../adapters/outbox/entry.js';
import { outboxEntries } from '../adapters/outbox/stored-outbox.js';
import { jobs } from '../adapters/queue/job-record.js';
import { MemoryStore } from '../adapters/store/index.js';
import { deliverySchema } from '../delivery/delivery.js';
import { settledId } from '../delivery/settled-delivery.js';
import { webhookSchema } from '../delivery/webhook.js';
import { messageOf } from '../errors.js';
import { CORE } from '../kernel/plugins/load.js';
import { contactSchema } from '../messaging/contact.js';
import { conversationSchema } from '../messaging/conversation.js';
import { mediaRecords, mediaSchema } from '../messaging/medium.js';
import { numberSchema } from '../messaging/number.js';
import { templateSchema } from '../messaging/template.js';
import { tokenSchema } from '../messaging/token.js';
import type { OutboxEntry, OutboxReader } from '../ports/outbox.js';
import type { CollectionType, LiveOwner, StoreTransaction } from '../ports/store.js';
import type { Parts } from './parts.js';
import { InvalidState, type PlatformState, type StateDocument } from './platform-state.js';
import { coreCollections } from './services.js';
import { collectionsOf } from './stored-collections.js';

type StateParts = Pick<Parts, 'rawStore' | 'secrets' | 'blobs' | 'outbox' | 'loaded' | 'log'>;
type AnyCollection = CollectionType<StateDocument>;

const OUTBOX = `${CORE}.outbox`;
const MAX_PROBLEMS = 5;

/** All collections with their names, except keys of the admin API, and secrets and the outbox, which are kept in another form. */
function everyCollection({ loaded }: StateParts): Map<string, AnyCollection> {
  const all = new Map<string, AnyCollection>([[`${CORE}.jobs`, jobs as unknown as AnyCollection]]);
  // A replaced state keeps the records of what operators did, and an operator who may import one must not make a key with more roles.
  const { audit: _, 'admin-keys': __, ...replaced } = coreCollections;
  for (const [name, type] of Object.entries(replaced)) all.set(`${CORE}.${name}`, type as unknown as AnyCollection);
  for (const { manifest } of loaded) for (const [name, type] of collectionsOf(manifest)) all.set(name, type);
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads everything that the platform stores, as of one moment. */
export async function readState(parts: StateParts): Promise<PlatformState> {
  const { rawStore, secrets, blobs, outbox } = parts;
  const types = everyCollection(parts);
  const collections = await rawStore.transaction(async (tx) => {
    const deliveries = everyDelivery(outbox.newest);
    tx.live!(outboxEntries).expect(() => isSame(everyDelivery(outbox.newest), deliveries));
    const read: [string, readonly StateDocument[]][] = [[OUTBOX, deliveries.map((entry) => inOrder(parsed(entry)))]];
    for (const [name, type] of types) read.push([name, (await tx.in(type).list()).map(inOrder)]);
    return Object.fromEntries(read.filter(([, documents]) => documents.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  const values: Record<string, string> = {};
  for (const name of ((await secrets.names?.()) ?? []).sort()) {
    const value = await secrets.get(name);
    if (value !== undefined) values[name] = value;
  }
  const media: Record<string, Uint8Array> = {};
  for (const sha256 of hashesIn(collections)) {
    const bytes = await blobs.get(sha256);
    if (bytes) media[sha256] = bytes;
  }
  return { collections, secrets: values, media };
}

/** A document with its fields in the order of their names: a field that was added later may be in another place. */
const inOrder = (document: StateDocument): StateDocument =>
  Object.fromEntries(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Also in the order of their keys. */
const everyDelivery = (outbox: OutboxReader<OutboxEntry>): OutboxEntry[] => [...outbox.oldest()].sort((a, b) => (a.id < b.id ? -1 : 1));

const isSame = (a: readonly object[], b: readonly object[]): boolean => a.length === b.length && a.every((one, i) => one === b[i]);

/** A delivery as it is stored: without the fields that `JSON.stringify` skips. */
const parsed = (entry: OutboxEntry): StateDocument => JSON.parse((entry as Entry).toText()) as StateDocument;

const hashesIn = (collections: PlatformState['collections']): string[] =>
  [...new Set((collections[`${CORE}.media`] ?? []).map(({ sha256 }) => String(sha256)))].sort();

/** Records whose stored form has a schema. */
const schemas: Readonly<Record<string, Joi.Schema>> = {
  [`${CORE}.numbers`]: numberSchema,
  [`${CORE}.tokens`]: tokenSchema,
  [`${CORE}.contacts`]: contactSchema,
  [`${CORE}.conversations`]: conversationSchema,
  [`${CORE}.media`]: mediaSchema,
  [`${CORE}.templates`]: templateSchema,
  [`${CORE}.webhooks`]: webhookSchema,
  [`${CORE}.settled-deliveries`]: deliverySchema,
};

/**
 * Checks a state by writing it to an empty store in memory.
 * @throws InvalidState for documents that are malformed, of unknown collections, or that violate a unique index
 */
export async function checkState(parts: StateParts, state: PlatformState): Promise<void> {
  const types = everyCollection(parts);
  const unknown = Object.keys(state.collections).filter((name) => name !== OUTBOX && !types.has(name));
  if (unknown.length > 0)
    throw new InvalidState(`it has records of ${unknown.join(' and ')}, which no plugin of this platform keeps; add the plugin that does`);
  const problems = Object.entries(state.collections).flatMap(([name, documents]) => problemsOf(name, documents, types.get(name)));
  if (problems.length > 0) {
    const more = problems.length - MAX_PROBLEMS;
    throw new InvalidState(`${problems.slice(0, MAX_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
  }
  const missing = hashesIn(state.collections).find((sha256) => !Object.hasOwn(state.media, sha256));
  if (missing !== undefined) throw new InvalidState(`the media file ${missing} is missing`);
  const trial = new MemoryStore({ log: parts.log });
  for (const [name, type] of types) trial.define(name, type);
  trial.defineLive(OUTBOX, outboxEntries, NO_OWNER);
  await trial.start();
  try {
    await trial.transaction((tx) => writeDocuments(tx, types, state.collections));
  } catch (error) {
    throw new InvalidState(messageOf(error));
  } finally {
    await trial.stop();
  }
}

const undo = () => undefined;
const NO_OWNER: LiveOwner<Entry> = { put: () => undo, patch: () => undo, delete: () => undo };

function problemsOf(name: string, documents: readonly StateDocument[], type: AnyCollection | undefined): string[] {
  const key = type?.key ?? outboxEntries.key;
  const seen = new Set<unknown>();
  return documents.flatMap((document, i) => {
    const at = `record ${i + 1} of ${name}`;
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return [`${at} is not an object`];
    const id = document[key];
    if (typeof id !== 'string' || id === '') return [`${at} has no ${key}`];
    if (seen.has(id)) return [`${name} has ${key} ${JSON.stringify(id)} twice`];
    seen.add(id);
    const { error } = schemas[name]?.validate(document, { convert: false, allowUnknown: true }) ?? {};
    if (error) return [`${at} (${id}) is invalid: ${error.message}`];
    const problem = problemsOfRecords[name]?.(document);
    return problem === undefined ? [] : [`${at} (${id}) is invalid: ${problem}`];
  });
}

const TEXTS = ['uuid', 'webhook', 'event', 'created_at'];
const STATES: readonly unknown[] = [undefined, 'queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'];

function problemOfSettled({ id, seq, number }: StateDocument): string | undefined {
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) return 'seq must be a whole number';
  return id === settledId(seq as number, String(number)) ? undefined : 'its id is not <seq>/<number>';
}

function problemOfDelivery(document: StateDocument): string | undefined {
  if (!/^.+\/\d{12,15}$/.test(String(document.id))) return 'its id is not <number>/<12 digits>';
  const missing = TEXTS.find((field) => typeof document[field] !== 'string');
  if (missing !== undefined) return `${missing} must be a text`;
  if (!isCountOrAbsent(document.attempts)) return 'attempts must be a number';
  return STATES.includes(document.state) ? undefined : 'its state is unknown';
}

/** The queue calculates with these numbers after the start, when a wrong one can no longer be refused. */
function problemOfJob({ dueAt, attempts }: StateDocument): string | undefined {
  if (!Number.isFinite(dueAt)) return 'dueAt must be a number of milliseconds';
  return isCountOrAbsent(attempts) ? undefined : 'attempts must be a number';
}

const isCountOrAbsent = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && (value as number) >= 0);

/** Records whose stored form has no schema. */
const problemsOfRecords: Readonly<Record<string, (document: StateDocument) => string | undefined>> = {
  [OUTBOX]: problemOfDelivery,
  [`${CORE}.settled-deliveries`]: problemOfSettled,
  [`${CORE}.jobs`]: problemOfJob,
};

async function writeDocuments(
  tx: StoreTransaction,
  types: ReadonlyMap<string, AnyCollection>,
  collections: PlatformState['collections'],
): Promise<void> {
  for (const [name, type] of types) for (const document of collections[name] ?? []) tx.in(type).put(document);
  const deliveries = tx.live!(outboxEntries);
  for (const document of collections[OUTBOX] ?? []) {
    const entry = Entry.stored(document);
    deliveries.put(entry, entry.toText());
  }
}

/** Replaces everything that the platform stores, in one transaction. Media files are stored before it, and unused ones deleted after it. */
export async function replaceState(parts: StateParts, state: PlatformState): Promise<void> {
  const { rawStore, secrets, blobs, outbox } = parts;
  const types = everyCollection(parts);
  for (const bytes of Object.values(state.media)) await blobs.put(bytes);
  const previousSecrets = (await secrets.names?.()) ?? [];
  const previousMedia = await rawStore.open(mediaRecords).list();
  await rawStore.transaction(async (tx) => {
    // A cluster refuses to replace its state.
    tx.acrossTenants?.();
    for (const type of types.values()) {
      const records = tx.in(type);
      for (const document of await records.list()) records.delete(document[type.key] as string);
    }
    // Deletions first: two deliveries with one id may belong to different webhooks.
    for (const { id } of outbox.newest.oldest()) tx.live!(outboxEntries).delete(id);
    await writeDocuments(tx, types, state.collections);
    for (const name of previousSecrets) if (!Object.hasOwn(state.secrets, name)) secrets.delete(tx, name);
    for (const [name, value] of Object.entries(state.secrets)) secrets.put(tx, name, value);
  });
  for (const { sha256 } of previousMedia) if (!Object.hasOwn(state.media, sha256)) await blobs.delete(sha256);
}

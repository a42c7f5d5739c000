import { nodeFileSystem } from '../../core/adapters/file-system.js';
import { scanData } from '../../core/adapters/store/check/scan-data.js';
import { mergePatch } from '../../core/adapters/store/files/merge-patch.js';

/** Paths in the documents of a collection to JSON types: `{"uuid": "string", "last?.at": "null|string", "words[]": "string"}`. */
export type Shape = Readonly<Record<string, string>>;
/** Shapes by collection. Payloads of jobs are listed by queue; sessions of journeys, which are JSON in a string, separately. */
export type Shapes = Readonly<Record<string, Shape>>;

/** JSON of users, clients or services. The code forwards it, and relies on nothing in it. */
const OPAQUE: ReadonlySet<string> = new Set([
  'core.contacts.fields',
  'core.connections.settings',
  ...['record.fields', 'replaced'].map((path) => `core.contact-merges.${path}`),
  'core.messages.content',
  'core.messages.channel',
  'core.messages.posted',
  ...['before', 'after'].map((path) => `core.audit.changes[].fields[].${path}`),
  'core.revisions.definition',
  'journeys.ai-connections.rules',
  'journeys.code-skills.parameters',
  ...['contact', 'globals.event', 'stack[].vars', 'stack[].results', 'stack[].answer'].map((path) => `journey sessions.${path}`),
]);
/** Objects whose keys are data. */
const DICTIONARIES: ReadonlySet<string> = new Set([
  'core.outbox.tries',
  'core.outbox.tries.*.response_headers',
  'core.outbox.content.headers',
  'core.settled-deliveries.tries',
  'core.settled-deliveries.tries.*.response_headers',
  'core.settled-deliveries.content.headers',
  'core.message-counts.days',
  ...['tens', 'minutes', 'quarters'].map((series) => `core.endpoints.counts.${series}`),
  'core.erasures.removed',
  'core.alerts.about',
  'core.audit.params',
  'core.webhooks.headers',
  'simulation.mocks.mocks[].headers',
  'journey sessions.memory',
  'journeys.traffic.counts',
  'sms.parts.ids',
  'sms.parts.states',
]);
/** Strings that contain our own JSON, with the name under which their shape is listed. */
const JSON_TEXTS: ReadonlyMap<string, string> = new Map([
  ['journeys.sessions.data', 'journey sessions'],
  ['journeys.prompts.data', 'journey sessions'],
  ['simulation.simulations.data', 'journey sessions'],
]);

/** How often a path occurred, and with which types. */
type Seen = Map<string, { readonly types: Set<string>; count: number }>;

/** The shapes of every version of every document in the snapshots and the journal of a data folder. */
export async function shapesIn(folder: string): Promise<Shapes> {
  const { snapshots, commits, damages } = await scanData(nodeFileSystem, folder);
  if (damages.length > 0) throw new Error(`${folder} is damaged: ${JSON.stringify(damages)}`);
  const found = new Map<string, Seen>();
  const look = (name: string, value: unknown): void => {
    const seen: Seen = found.get(name) ?? new Map();
    found.set(name, seen);
    see(seen, name, '', value);
  };
  function see(seen: Seen, name: string, path: string, value: unknown): void {
    const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
    const known = seen.get(path) ?? { types: new Set(), count: 0 };
    seen.set(path, known);
    known.types.add(type);
    known.count++;
    const full = `${name}.${path}`;
    const held = JSON_TEXTS.get(full);
    // Long strings are stored in pieces and chunks; the short ones show the shape.
    if (held !== undefined && typeof value === 'string' && value !== '') look(held, JSON.parse(value));
    if (OPAQUE.has(full)) return;
    if (Array.isArray(value)) for (const item of value) see(seen, name, `${path}[]`, item);
    else if (type === 'object') {
      for (const [key, field] of Object.entries(value as object)) {
        see(seen, name, `${path}${path && '.'}${DICTIONARIES.has(full) ? '*' : key}`, field);
      }
    }
  }
  const newest = new Map<string, object>();
  const document = (collection: string, key: string, stored: object): void => {
    newest.set(`${collection} ${key}`, stored);
    const fields = { ...stored } as Record<string, unknown>;
    if (collection === 'core.jobs') {
      look(`jobs of ${fields.queue}`, fields.payload);
      delete fields.payload;
    }
    look(collection, fields);
  };
  for (const [collection, { documents }] of snapshots)
    for (const [key, json] of documents) document(collection, key, JSON.parse(json) as object);
  for (const { collection, key, json, patch } of commits.flatMap(({ changes }) => changes)) {
    if (json !== undefined) document(collection, key, JSON.parse(json) as object);
    else if (patch !== undefined) document(collection, key, mergePatch(newest.get(`${collection} ${key}`), JSON.parse(patch)) as object);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, seen]) => [name, shapeOf(seen)]));
}

function shapeOf(seen: Seen): Shape {
  const shape: Record<string, string> = {};
  for (const [path, { types, count }] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (path === '') continue;
    const parent = seen.get(path.replace(/(\[\]|\.?[^.[\]]+)$/, ''))!;
    const isOptional = !path.endsWith(']') && !path.endsWith('*') && count < parent.count;
    shape[isOptional ? `${path}?` : path] = [...types].sort().join('|');
  }
  return shape;
}

/** A compatible change of a shape within a format, with the reason why older and newer code can read it. */
export interface Addition {
  readonly collection: string;
  /** As in a shape: with `?` if it is optional. */
  readonly path: string;
  readonly types: string;
  readonly because: string;
}

/** The recorded shapes of a format: those when it was new, and the additions since. */
export interface RecordedShapes {
  readonly shapes: Shapes;
  readonly additions: readonly Addition[];
}

/** A difference between two shapes, in the form of an addition. */
export type Change = Omit<Addition, 'because'> & { readonly what: string };

/**
 * Compares shapes. Additive changes: a new path, or one that is no longer optional or has fewer types; older code ignores it, and
 * newer code must read documents without it. All other changes are breaking: older code relies on the recorded shape.
 */
export function changesBetween(
  before: Shapes,
  now: Shapes,
): { readonly additive: readonly Change[]; readonly breaking: readonly Change[] } {
  const additive: Change[] = [];
  const breaking: Change[] = [];
  for (const collection of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const old = pathsOf(before[collection] ?? {});
    const current = pathsOf(now[collection] ?? {});
    for (const plain of new Set([...old.keys(), ...current.keys()])) {
      const [was, is] = [old.get(plain), current.get(plain)];
      const change = { collection, path: is?.path ?? was!.path, types: is?.types ?? was!.types };
      if (!is) breaking.push({ ...change, what: 'is gone' });
      else if (!was) additive.push({ ...change, what: 'is new' });
      else if (!within(is.types, was.types)) breaking.push({ ...change, what: `has type ${is.types}; it had ${was.types}` });
      else if (is.isOptional && !was.isOptional) breaking.push({ ...change, what: 'may be missing; it was always there' });
      else if (was.isOptional && !is.isOptional) additive.push({ ...change, what: 'is always there; it could be missing' });
      else if (is.types !== was.types) additive.push({ ...change, what: `has only type ${is.types}; it had ${was.types}` });
    }
  }
  return { additive, breaking };
}

/** The recorded shapes with their additions applied. @throws when a breaking change is recorded as an addition */
export function withAdditions({ shapes, additions }: RecordedShapes): Shapes {
  const all: Record<string, Record<string, string>> = structuredClone(shapes) as never;
  for (const { collection, path, types, because } of additions) {
    const known = all[collection] ?? {};
    const plain = path.replace(/\?$/, '');
    const added = { ...known, [path]: types };
    if (path !== plain) delete added[plain];
    else delete added[`${plain}?`];
    const { breaking } = changesBetween({ [collection]: known }, { [collection]: added });
    if (breaking.length > 0) throw new Error(`${collection}.${path} is recorded as an addition, but it ${breaking[0]!.what}`);
    if (because.trim() === '') throw new Error(`${collection}.${path} is recorded as an addition without a reason`);
    all[collection] = added;
  }
  return all;
}

const pathsOf = (shape: Shape) =>
  new Map(
    Object.entries(shape).map(([path, types]) => [path.replace(/\?$/, ''), { path, types, isOptional: path.endsWith('?') }] as const),
  );

const within = (types: string, others: string): boolean => types.split('|').every((type) => others.split('|').includes(type));

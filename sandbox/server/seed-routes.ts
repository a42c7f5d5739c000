import { anyValue, array, boolean, Conflict, InvalidRequest, integer, nullable, object, oneOf, type Route, route, string } from '#core';
import type { Seeded } from '../demo/apply-seed.js';
import { type FullSeed, InvalidSeed, type Seed } from '../demo/seed.js';
import { type Difference, differencesOf } from '../state/state-diff.js';
import { readStateFile, type StateFile, UnusableState } from '../state/state-file.js';

const MAX_SEED_BYTES = 8 * 1024 * 1024;
/** A comparison lists this many differences and fields of one, and this many characters of a value. */
const MAX_DIFFERENCES = 500;
const MAX_VALUE = 200;

export interface SeedServices {
  /** Undefined if the state was resumed or imported. */
  stateOfSeed(): StateFile | undefined;
  seed(): {
    readonly isDemo: boolean;
    readonly hasOwnKey: boolean;
    readonly seeded: Seeded;
    /** Absent for the demo. */
    readonly seed: FullSeed | undefined;
  };
  reseed(seed: Seed): Promise<readonly string[]>;
  exportState(): Promise<StateFile>;
}

const records = array(object({ uuid: string(), name: string() }));
const differencesSchema = object({
  /** How many there are; the list has the first of them. */
  count: integer(),
  differences: array(
    object({
      kind: oneOf('added', 'removed', 'changed'),
      of: string(),
      key: string(),
      fields: array(object({ name: string(), from: nullable(string()), to: nullable(string()) })),
    }),
  ),
});

/** Compares states, shows the seed, and applies a changed one. */
export const seedRoutes = (services: SeedServices, maxStateBytes: number): Route[] => [
  route({
    method: 'POST',
    path: '/state/compare',
    permission: 'state.export',
    shards: 'refused',
    summary:
      'Lists what differs between two states, record by record. The body is an exported state, which is compared with the current one; without a body, the state after the seed is compared with the current one; `{"from": …, "to": …}` compares two exported states.',
    body: 'bytes',
    maxBytes: 2 * maxStateBytes,
    keepsNothing: true,
    responses: { 200: differencesSchema },
    errors: [409],
    async handler({ payload }) {
      const [from, to] = await statesIn(Buffer.from((payload ?? []) as Uint8Array).toString(), services);
      const all = differencesOf(from, to);
      return { count: all.length, differences: all.slice(0, MAX_DIFFERENCES).map(shownDifference) };
    },
  }),
  route({
    method: 'GET',
    path: '/state/seed',
    permission: 'state.export',
    shards: 'refused',
    summary: 'Shows the seed that was applied last, without its tokens and secrets, and the records that it created.',
    responses: {
      200: object({
        /** Its document; null for the demo, which has another one in each run. */
        seed: anyValue(),
        is_demo: boolean(),
        /** Whether ids, tokens and secrets follow from a seed key of the user, and are the same in every run. */
        has_own_key: boolean(),
        /** Whether the current state can be compared with that of the seed. */
        comparable: boolean(),
        records: object({ numbers: records, channels: records, webhooks: records, journeys: records }),
      }),
    },
    handler() {
      const { isDemo, hasOwnKey, seeded, seed } = services.seed();
      const named = (all: readonly { readonly uuid: string; readonly name: string }[]) => all.map(({ uuid, name }) => ({ uuid, name }));
      return {
        seed: seed ? withoutSecrets(seed) : null,
        is_demo: isDemo,
        has_own_key: hasOwnKey,
        comparable: services.stateOfSeed() !== undefined,
        records: {
          numbers: named(seeded.numbers),
          channels: named(seeded.channels),
          webhooks: named(seeded.webhooks),
          journeys: named(seeded.journeys),
        },
      };
    },
  }),
  route({
    method: 'POST',
    path: '/state/seed',
    permission: 'state.import',
    shards: 'refused',
    summary:
      'Applies a changed seed without losing state: creates what is new, updates webhooks and journeys, deletes nothing. Its options are not applied.',
    maxBytes: MAX_SEED_BYTES,
    request: { payload: object({ seed: anyValue() }) },
    responses: { 200: object({ changes: array(string()) }) },
    async handler({ payload: { seed } }) {
      if (typeof seed !== 'object' || seed === null) throw invalid('seed must be an object, as in a seed file');
      // A path would read a file of this machine.
      const { journeys } = seed as Seed;
      if (Array.isArray(journeys) && journeys.some((journey) => typeof journey?.definition === 'string'))
        throw invalid('a journey needs its definition or notebook here; paths of files are for seed files');
      try {
        return { changes: [...(await services.reseed(seed as Seed))] };
      } catch (error) {
        if (error instanceof InvalidSeed) throw invalid(error.message);
        throw error;
      }
    },
  }),
];

const invalid = (message: string): InvalidRequest => new InvalidRequest([{ path: ['seed'], rule: 'any.invalid', message }], message);

/** @throws Conflict when a state cannot be compared */
async function statesIn(text: string, services: SeedServices): Promise<readonly [StateFile, StateFile]> {
  if (text.trim() === '' || text.trim() === '{}') {
    const seed = services.stateOfSeed();
    if (!seed) {
      const why = 'its state was resumed or imported, so the state after the seed is not known';
      throw new Conflict('seed_state_unknown', `This sandbox cannot compare with its seed: ${why}. Reset it, or compare with an export`);
    }
    return [seed, await services.exportState()];
  }
  try {
    const pair = JSON.parse(text) as { readonly from?: unknown; readonly to?: unknown } | null;
    if (pair?.from !== undefined && pair.to !== undefined)
      return [readStateFile(JSON.stringify(pair.from)), readStateFile(JSON.stringify(pair.to))];
  } catch {
    // `readStateFile` says what is wrong.
  }
  try {
    return [readStateFile(text), await services.exportState()];
  } catch (error) {
    if (!(error instanceof UnusableState)) throw error;
    throw new Conflict('unusable_state', `This state cannot be compared: ${error.message}`);
  }
}

const cut = (value: string | undefined): string | null =>
  value === undefined ? null : value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;

const shownDifference = ({ kind, of, key, fields }: Difference) => ({
  kind,
  of,
  key,
  fields: fields.map(({ name, from, to }) => ({ name, from: cut(from), to: cut(to) })),
});

/** The seed as a seed file, without the fixed tokens and secrets of its channels. */
const withoutSecrets = ({ channels, ...seed }: FullSeed) => ({
  ...seed,
  channels: channels.map(({ token: _, hmac_secret: __, ...channel }) => channel),
});

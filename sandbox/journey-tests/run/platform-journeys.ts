import type { JourneyRecord, JourneysContext } from '../../../plugins/journeys/plugin.js';
import type { TestCase } from '../format/index.js';
import { compileJourney, type JourneyUnderTest, JourneyUnusable } from './journey-under-test.js';
import type { JourneyLookup } from './run-tests.js';

interface Wanted {
  /** The journey of all tests, by uuid. */
  readonly journey: string | undefined;
  /** The number whose journeys are named. */
  readonly number: string | undefined;
}

type Found = JourneyUnderTest | JourneyUnusable;

/** The journeys of a platform, for tests that run in it. They are read before the tests, because tests find them without waiting. */
export class PlatformJourneys implements JourneyLookup {
  readonly #journey: string | undefined;
  readonly #found: ReadonlyMap<string, Found>;
  readonly #uuids: ReadonlyMap<string, string>;

  private constructor(journey: string | undefined, found: ReadonlyMap<string, Found>, uuids: ReadonlyMap<string, string>) {
    this.#journey = journey;
    this.#found = found;
    this.#uuids = uuids;
  }

  static async read(context: JourneysContext, tests: readonly TestCase[], { journey, number }: Wanted): Promise<PlatformJourneys> {
    const numbers = number === undefined ? (await context.numbers.list()).map(({ uuid }) => uuid) : [number];
    const known = (await Promise.all(numbers.map((uuid) => context.journeys.ofNumber(uuid)))).flat();
    const found = new Map<string, Found>();
    const uuids = new Map<string, string>();
    for (const test of tests) {
      const ids = [journey ?? test.journey ?? '', ...Object.values(test.settings.journeys ?? {})];
      for (const id of ids) {
        const key = keyOf(test, id);
        if (!found.has(key)) found.set(key, await compiled(context, known, id, test.revision, uuids));
      }
    }
    return new PlatformJourneys(journey, found, uuids);
  }

  get used(): JourneyUnderTest[] {
    return [...this.#found.values()].filter((one): one is JourneyUnderTest => !(one instanceof JourneyUnusable));
  }

  /** The uuid of the journey that is shown under this name. */
  uuidOf(file: string): string {
    return this.#uuids.get(file) ?? file;
  }

  ofTest(test: TestCase): JourneyUnderTest {
    return this.#get(keyOf(test, this.#journey ?? test.journey ?? ''));
  }

  called(test: TestCase, id: string): JourneyUnderTest | undefined {
    const { journeys = {} } = test.settings;
    return Object.hasOwn(journeys, id) ? this.#get(keyOf(test, journeys[id]!)) : undefined;
  }

  #get(key: string): JourneyUnderTest {
    const found = this.#found.get(key);
    if (found && !(found instanceof JourneyUnusable)) return found;
    throw found ?? new JourneyUnusable('the journey was not read');
  }
}

const keyOf = ({ revision }: TestCase, id: string): string => `${revision} ${id}`;

async function compiled(
  { journeys }: JourneysContext,
  known: readonly JourneyRecord[],
  id: string,
  revision: TestCase['revision'],
  uuids: Map<string, string>,
): Promise<Found> {
  const named = known.filter(({ uuid, name, deleted_at }) => deleted_at === null && (uuid === id || name === id));
  const [journey] = named;
  if (!journey) return new JourneyUnusable(id === '' ? "the test names no journey; add 'journey: NAME'" : `journey '${id}' not found`);
  if (named.length > 1)
    return new JourneyUnusable(`several journeys are named '${id}'; use a uuid: ${named.map(({ uuid }) => uuid).join(', ')}`);
  const stored = revision === 'working' ? journey.draft : journey.revisions[revision];
  if (stored === null) return new JourneyUnusable(`journey '${journey.name}' has no ${revision} revision`);
  const { definition, notebook } = await journeys.revision(stored);
  const shown = `${journey.name}${revision === 'working' ? '' : ` (${revision})`} ${journey.uuid}`;
  const file = `${shown}.${notebook === undefined ? 'json' : 'md'}`;
  uuids.set(file, journey.uuid);
  try {
    return { ...compileJourney(file, notebook ?? JSON.stringify(definition, null, 2), { uuid: journey.uuid }), number: journey.number };
  } catch (error) {
    return error instanceof JourneyUnusable ? error : new JourneyUnusable(error instanceof Error ? error.message : String(error));
  }
}

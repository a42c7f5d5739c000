import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JourneysContext } from '../../../plugins/journeys/plugin.js';
import type { StubOptions } from '../explore/stubs.js';
import { type JourneyUnderTest, journeyFile, readJourney } from '../run/journey-under-test.js';

/** A called journey, and how tests name it. */
type Called = NonNullable<ReturnType<StubOptions['journeyNamed']>>;

const MAX_JOURNEYS = 100;
const MAX_FILES = 200;

/** Reads the journeys that a journey calls, and those that they call: the engine finds them without waiting. */
export async function readCalled(
  journey: JourneyUnderTest,
  read: (id: string) => Promise<Called | undefined>,
): Promise<StubOptions['journeyNamed']> {
  const known = new Map<string, Called | undefined>();
  const open = [journey];
  for (let one = open.pop(); one; one = open.pop()) {
    for (const id of calledIds(one)) {
      if (known.has(id) || known.size >= MAX_JOURNEYS) continue;
      const found = await read(id);
      known.set(id, found);
      if (found) open.push(found.journey);
    }
  }
  return (id) => known.get(id);
}

const calledIds = ({ container }: JourneyUnderTest): readonly string[] =>
  container.flows.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, config = {} }) => {
      const { flow_id: id } = config as { readonly flow_id?: unknown };
      return type === 'Core.RunFlow' && typeof id === 'string' ? id : [];
    }),
  );

/** Finds a called journey on the platform, as the journeys plugin does: a journey of the same number, by its uuid. */
export const calledOnPlatform =
  ({ journeys }: Pick<JourneysContext, 'journeys'>, number: string, journeyOf: (uuid: string) => Promise<JourneyUnderTest>) =>
  async (id: string): Promise<Called | undefined> => {
    const found = await journeys.get(id);
    if (found?.number !== number || found.deleted_at !== null) return undefined;
    const namesakes = (await journeys.ofNumber(number)).filter(({ name, deleted_at }) => name === found.name && deleted_at === null);
    try {
      return { journey: await journeyOf(found.uuid), file: namesakes.length === 1 ? found.name : found.uuid };
    } catch {
      // Without a revision that can be run, the call fails as it does on the platform.
      return undefined;
    }
  };

/** The file beside a journey with this name, as the name of the file or of the journey; undefined without one. */
export function fileBeside(path: string, name: string): string | undefined {
  const own = /^[\w .-]+$/.test(name) ? journeyFile(path, name) : undefined;
  if (own !== undefined) return own;
  const files = readdirSync(dirname(path)).filter((file) => /\.(json|md|markdown)$/i.test(file));
  return files
    .slice(0, MAX_FILES)
    .map((file) => join(dirname(path), file))
    .find((file) => nameIn(file) === name);
}

function nameIn(file: string): string | undefined {
  try {
    return readJourney(file, file).name;
  } catch {
    // Other files of the folder need not be journeys.
    return undefined;
  }
}

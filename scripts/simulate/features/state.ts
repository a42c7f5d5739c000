import type { PlatformState, StateDocument } from '../../../core/platform/platform-state.js';
import type { Machine } from '../machine.js';
import type { Feature, Run } from '../run.js';

/** Templates of the Cloud API are read at each start: these fields say when, and a job reads them again a day later. */
const CHANGED_AT_START: Readonly<Record<string, string>> = { 'cloud-api.connections': 'templates_read_at', 'core.templates': 'updated_at' };
/** Counts of the last seconds are stored with the next turn of the journey, or when the platform stops. */
const STORED_AT_STOP: readonly string[] = ['journeys.traffic'];
const isOfStart = ({ queue }: StateDocument) => queue === 'cloud-api.templates';

/** After everything has settled, another platform that starts with the state of the first has the same content, in memory and on its disk. */
export const state: Feature = {
  name: 'state',
  weight: 0.01,
  // The members of a cluster neither export nor import a state.
  clusters: 'none',
  async setUp(run) {
    return {
      begin: () => undefined,
      check: async () => {
        const exported = await read(run.machines[0]!);
        const copy = run.copy(exported);
        await untilUp(run, copy);
        compare(run, exported, await read(copy), 'an import');
        copy.state = undefined;
        await copy.stop();
        copy.start();
        await untilUp(run, copy);
        compare(run, exported, await read(copy), 'a restart after an import');
        await copy.stop();
      },
    };
  },
};

async function untilUp(run: Run, machine: Machine): Promise<void> {
  for (let i = 0; !machine.isUp && i < 600; i++) await run.world.sleep(1_000);
  if (!machine.isUp) throw new Error('a platform does not start with the state of another one');
}

/** Everything that a platform stores. */
export async function read(machine: Machine): Promise<PlatformState> {
  const state = await machine.perform((platform) => platform.readState());
  if (!state) throw new Error('the platform has ended');
  return state;
}

/** Checks that two states are the same, apart from what each start changes. */
export function compare(run: Run, expected: PlatformState, actual: PlatformState, after: string): void {
  for (const name of new Set([...Object.keys(expected.collections), ...Object.keys(actual.collections)])) {
    if (STORED_AT_STOP.includes(name)) continue;
    const [before, now] = [expected.collections[name] ?? [], actual.collections[name] ?? []].map((documents) =>
      documents
        .filter((one) => !isOfStart(one))
        .map((one) => JSON.stringify(one, (field, value) => (field === CHANGED_AT_START[name] ? undefined : value))),
    );
    const differs = before!.findIndex((document, i) => document !== now![i]);
    if (differs >= 0 || before!.length !== now!.length)
      run.violated(
        `after ${after} ${name} has ${now!.length} documents, not ${before!.length}: ${now![differs]} instead of ${before![differs]}`,
      );
  }
  if (JSON.stringify(expected.secrets) !== JSON.stringify(actual.secrets)) run.violated(`after ${after} the secrets differ`);
  const hashesOf = ({ media }: PlatformState) =>
    Object.entries(media)
      .map(([hash, bytes]) => `${hash} ${bytes.length}`)
      .join();
  if (hashesOf(expected) !== hashesOf(actual)) run.violated(`after ${after} the media files differ`);
}

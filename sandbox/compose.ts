import { startDemo } from './demo/demo.js';
import { readNotes } from './demo/notes.js';
import { type Sandbox, type SandboxOptions, unknownOption } from './sandbox.js';

export type { Seeded } from './demo/apply-seed.js';
export type { PluginSeed } from './demo/plugin-seeds.js';
export type { Seed } from './demo/seed.js';
export type { OptionTree } from './option-tree.js';
export type { Sandbox, SandboxOptions } from './sandbox.js';
export type { ChangedOption } from './server/settings.js';

/**
 * Starts a sandbox: the platform with all built-in plugins, the seed's records, and the demo's example processes.
 * @throws TypeError for an option that does not exist; Error when the seed or the data folder cannot be used, or the port is in use; everything that was started is stopped first
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const fault = unknownOption(options);
  if (fault) throw new TypeError(`this sandbox cannot be started: ${fault}`);
  const notes = options.data === undefined ? undefined : readNotes(options.data);
  const isDemo = notes ? notes.isDemo : (options.seed ?? 'demo') === 'demo';
  // Start the demo's processes while the platform loads: both take about as long.
  const demo = isDemo ? startDemo() : undefined;
  try {
    const { openSandbox } = await import('./server/open-sandbox.js');
    return await openSandbox(options, notes, demo);
  } catch (error) {
    await demo?.stop();
    throw error;
  }
}

import { startDemo } from './demo/demo.js';
import { readNotes } from './demo/notes.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

export type { Seeded } from './demo/apply-seed.js';
export type { Seed } from './demo/seed.js';
export type { Sandbox, SandboxOptions } from './sandbox.js';

/**
 * Starts a sandbox: the platform with its areas, seed data, and the demo's connector and webhook receiver.
 * @throws when the seed or the folder cannot be used, or nothing can listen there; then nothing is left running
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const notes = options.data === undefined ? undefined : readNotes(options.data);
  const isDemo = notes ? notes.isDemo : (options.seed ?? 'demo') === 'demo';
  // The demo's processes start while the platform is loaded; the two take about as long.
  const demo = isDemo ? startDemo() : undefined;
  try {
    const { openSandbox } = await import('./server/open-sandbox.js');
    return await openSandbox(options, notes, demo);
  } catch (error) {
    await demo?.stop();
    throw error;
  }
}

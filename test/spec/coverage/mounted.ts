import { existsSync, readdirSync } from 'node:fs';
import * as core from '#core';
import { startPlatform, type Tap } from '#core/testing';

/** A platform with every plugin there is: what it mounts below /v1 and /api, and which events it announces. */
export async function everything(t: Tap): Promise<{ routes: string[]; events: string[] }> {
  const folders = readdirSync('plugins').filter((folder) => existsSync(`plugins/${folder}/plugin.ts`));
  const plugins = await Promise.all(folders.map(plugin));
  const { server } = await startPlatform(t, { plugins });
  const routes = server
    .table()
    .filter(({ method, path }) => method !== '*' && /^\/(v1|api)\//.test(path))
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const emitted = plugins.flatMap(({ manifest }) => manifest.emits ?? []);
  const exported: unknown[] = Object.values(core);
  const events = [...exported.filter(isEvent), ...emitted].map(({ name }) => name);
  return { routes, events: [...new Set(events)] };
}

/** The factory of a folder has the name of the folder. */
async function plugin(folder: string): Promise<core.Plugin> {
  const module: Record<string, unknown> = await import(`../../../plugins/${folder}/plugin.js`);
  const factory = module[folder.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
  if (typeof factory !== 'function') throw new Error(`plugins/${folder}/plugin.ts exports no plugin of its own name`);
  return factory();
}

/** What `event()` makes, told by its two texts. */
function isEvent(value: unknown): value is core.EventType<never> {
  return typeof value === 'object' && value !== null && 'name' in value && 'description' in value;
}

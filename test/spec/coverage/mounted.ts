import { startPlatform, type Tap } from '#core/testing';
import { coreEvents } from '../../../core/platform/core-events.js';
import { everyPlugin } from '../../../scripts/docs/everything.js';

/** Starts a platform with every plugin. Returns its routes below /v1 and /api, and the events that the core and the plugins declare. */
export async function everything(t: Tap): Promise<{ routes: string[]; events: string[] }> {
  const plugins = await everyPlugin();
  const { server } = await startPlatform(t, { plugins });
  const routes = server
    .table()
    .filter(({ method, path }) => method !== '*' && /^\/(v1|api)\//.test(path))
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const emitted = plugins.flatMap(({ manifest }) => manifest.emits ?? []);
  const events = [...coreEvents, ...emitted].map(({ name }) => name);
  return { routes, events: [...new Set(events)] };
}

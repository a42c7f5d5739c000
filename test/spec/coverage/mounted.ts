import * as core from '#core';
import type { EventType } from '#core/ports';
import { startPlatform, type Tap } from '#core/testing';
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
  const exported: unknown[] = Object.values(core);
  const events = [...exported.filter(isEvent), ...emitted].map(({ name }) => name);
  return { routes, events: [...new Set(events)] };
}

/** Recognizes the result of `event()` by its two strings. */
function isEvent(value: unknown): value is EventType<never> {
  return typeof value === 'object' && value !== null && 'name' in value && 'description' in value;
}

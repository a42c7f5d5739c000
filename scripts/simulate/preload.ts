import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadDriver } from '../../plugins/cluster/postgres/servers.js';

/** Files that do something when they are loaded, or run in browsers. */
const LEFT_OUT = /worker-entry|sender-entry|\/(app|built|web|player|editor)\//;
const root = new URL('../../', import.meta.url);

let loading: Promise<void> | undefined;

/**
 * Loads all modules of the platform, once. Many are loaded when they are first needed, which takes real time, so that two runs of a seed would differ.
 */
export function preload(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  for (const folder of ['core', 'plugins']) {
    const files = readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: 'utf8' });
    for (const file of files)
      if (file.endsWith('.js') && !LEFT_OUT.test(`/${folder}/${file}`)) await import(new URL(`${folder}/${file}`, root).href);
  }
  await loadDriver();
}

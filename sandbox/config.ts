import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILES } from './client/run-file.js';
import { type SandboxOptions, unknownOption } from './sandbox.js';
import { UsageError } from './terminal/flags.js';
import { readJsonFile } from './terminal/json-file.js';

/**
 * Reads the configuration of a folder: an object with keys of `SandboxOptions`, in `posthorn.config.json` or as the default export of
 * `posthorn.config.ts`.
 * @returns an empty object when the folder has no configuration @throws UsageError that names the file and the mistake
 */
export async function readConfig(folder: string): Promise<SandboxOptions> {
  const found = CONFIG_FILES.filter((name) => existsSync(join(folder, name)));
  const [file] = found;
  if (file === undefined) return {};
  if (found.length > 1) throw new UsageError(`this folder has ${found.join(' and ')}; remove one of them`);
  const config = await contentOf(file, folder);
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new UsageError(`${file} must contain an object of options`);
  const fault = unknownOption(config);
  if (fault) throw new UsageError(`${file}: ${fault}`);
  return config;
}

async function contentOf(file: string, folder: string): Promise<unknown> {
  const path = join(folder, file);
  try {
    if (file.endsWith('.json')) return readJsonFile(path);
    const { loadModule } = await import('./server/load-module.js');
    return (await loadModule(path)).exports.default;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

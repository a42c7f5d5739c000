import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from '#core';
import type { Sandbox } from './compose.js';
import { filesOfSeed } from './demo/seed.js';
import { lintFile, printFindings } from './reports/journey-report.js';
import type { StartOptions } from './start.js';
import type { Terminal } from './terminal/terminal.js';
import { watchFiles } from './terminal/watch-files.js';

interface PluginSource {
  /** Undefined for a plugin that the configuration gives as a value. */
  readonly file: string | undefined;
  readonly plugin: Plugin;
  readonly files: readonly string[];
}

/** The options and plugins from which a running sandbox was started, so that a changed file can be loaded again. */
export interface Sources {
  readonly options: StartOptions;
  readonly plugins: readonly PluginSource[];
  /** Deletes the folder that holds the state of a sandbox in memory across reloads of plugins. */
  dispose(): void;
}

/**
 * Loads the plugins. A plugin cannot be exchanged while its platform runs, so a changed plugin restarts the platform, and a sandbox
 * without a data folder gets a temporary one that keeps its state meanwhile.
 * @throws ModuleFailed
 */
export async function loadSources(options: StartOptions): Promise<Sources> {
  const plugins = await Promise.all((options.plugins ?? []).map(load));
  const isTemporary = options.data === undefined && plugins.some(({ file }) => file !== undefined);
  const data = isTemporary ? join(mkdtempSync(join(tmpdir(), 'posthorn-')), 'data') : options.data;
  return {
    options: { ...options, data, plugins: plugins.map(({ plugin }) => plugin) },
    plugins,
    dispose: () => isTemporary && rmSync(join(data!, '..'), { recursive: true, force: true }),
  };
}

async function load(given: Plugin | string): Promise<PluginSource> {
  if (typeof given !== 'string') return { file: undefined, plugin: given, files: [] };
  const { loadPlugin } = await import('./server/load-module.js');
  return { file: given, ...(await loadPlugin(given)) };
}

/** A sandbox whose seed and plugins are loaded again when their files change. */
export interface Watched {
  /** The current sandbox: a changed plugin replaces it. */
  sandbox(): Sandbox;
  /** Resolves when a reload in progress has ended. */
  settled(): Promise<void>;
}

interface WatchOptions {
  readonly sources: Sources;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly start: (options: StartOptions) => Promise<Sandbox>;
  /** Called with the sandbox that replaces another. */
  readonly onRestart: (sandbox: Sandbox) => void;
}

/** Watches the seed file and the files of the plugins. After a mistake the last good version stays, and the mistake is printed. */
export function watchSandbox(first: Sandbox, { sources, terminal, signal, start, onRestart }: WatchOptions): Watched {
  let current = first;
  let plugins = sources.plugins;
  let round: Promise<void> = Promise.resolve();
  const { seed } = sources.options;
  const seedFile = typeof seed === 'string' && seed !== 'demo' && seed !== 'empty' ? seed : undefined;
  if (seedFile !== undefined) follow(() => filesOfSeed(seedFile), reseed);
  for (const { file } of plugins)
    if (file !== undefined)
      follow(
        () => plugins.find((one) => one.file === file)!.files,
        () => reload(file),
      );
  return { sandbox: () => current, settled: () => round };

  /** Runs `again` for each change, one after the other, and then watches the files of which the source consists now. */
  function follow(files: () => readonly string[], again: () => Promise<void>): void {
    if (signal.aborted) return;
    const until = new AbortController();
    watchFiles(
      files(),
      () => {
        until.abort();
        round = round.then(async () => {
          if (!signal.aborted)
            await again().catch((error: Error) => terminal.err(`posthorn: ${error.message}\nThe last good version stays.`));
          follow(files, again);
        });
      },
      AbortSignal.any([signal, until.signal]),
    );
  }

  async function reseed(): Promise<void> {
    for (const file of filesOfSeed(seedFile!).slice(1)) await checkJourney(file);
    const changes = await current.reseed(seedFile!);
    for (const change of changes) terminal.err(`Reloaded ${seedFile}: ${change}`);
  }

  /** Prints the errors of a journey with the lines around them. @throws Error if there are any */
  async function checkJourney(file: string): Promise<void> {
    const report = await lintFile(file, terminal.cwd);
    const findings = report.findings.filter(({ finding }) => finding.severity === 'error');
    if (findings.length === 0) return;
    printFindings([{ ...report, findings }], { ...terminal, out: terminal.err }, '');
    throw new Error(`${file} has ${findings.length} error${findings.length === 1 ? '' : 's'}`);
  }

  async function reload(file: string): Promise<void> {
    const changed = await load(file);
    const next = plugins.map((one) => (one.file === file ? changed : one));
    const { port } = new URL(current.api);
    const options = { ...sources.options, port: Number(port) };
    const startedAt = performance.now();
    await current.stop();
    try {
      current = await start({ ...options, plugins: next.map(({ plugin }) => plugin) });
      plugins = next;
      terminal.err(`Reloaded ${file} in ${Math.round(performance.now() - startedAt)} ms`);
    } catch (error) {
      current = await start({ ...options, plugins: plugins.map(({ plugin }) => plugin) });
      throw error;
    } finally {
      onRestart(current);
    }
  }
}

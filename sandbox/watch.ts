import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advice, type Plugin } from '#core';
import { adviceDismissed } from '#core/messaging';
import { SOURCE_NOT_LOADED } from './client/advice.js';
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
  if (seedFile !== undefined) follow(seedFile, () => filesOfSeed(seedFile), reseed);
  for (const { file } of plugins)
    if (file !== undefined)
      follow(
        file,
        () => plugins.find((one) => one.file === file)!.files,
        () => reload(file),
      );
  return { sandbox: () => current, settled: () => round };

  /**
   * Runs `again` after changes, one round after the other, and then watches also the files of which the source consists now. The others
   * stay watched, so that a change during a round causes another.
   */
  function follow(source: string, files: () => readonly string[], again: () => Promise<void>): void {
    const watched = new Set<string>();
    let isQueued = false;
    const onChange = (): void => {
      if (isQueued) return;
      isQueued = true;
      round = round.then(async () => {
        isQueued = false;
        if (signal.aborted) return;
        const error = await again().then(
          () => undefined,
          (error: Error) => error,
        );
        if (error) terminal.err(`posthorn: ${error.message}\nThe last good version stays.`);
        // A sandbox that stops meanwhile needs no advice.
        await report(source, error?.message).catch(() => undefined);
        watchAll();
      });
    };
    const watchAll = (): void => {
      const added = files().filter((file) => !watched.has(file));
      for (const file of added) watched.add(file);
      try {
        if (!signal.aborted) watchFiles(added, onChange, signal);
      } catch (error) {
        terminal.err(`posthorn: changes of ${added.join(', ')} are not noticed: ${error instanceof Error ? error.message : error}`);
      }
    };
    watchAll();
  }

  /** Lists a source that cannot be loaded as advice, which the console shows, until it is loaded. */
  function report(source: string, problem: string | undefined): Promise<void> {
    const cause = `source:${source}`;
    return current.platform.store.transaction((tx) => {
      if (problem === undefined) return tx.emit(adviceDismissed, { cause });
      const fix = 'Correct the file. The last good version runs meanwhile.';
      tx.emit(advice, { name: SOURCE_NOT_LOADED, message: `${source} was not loaded: ${problem}`, fix, cause });
    });
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
    // The clock continues as the data folder stores it: it may have been paused or resumed since the start.
    const options = { ...sources.options, port: Number(port), clock: undefined };
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

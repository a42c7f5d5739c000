import { setMaxListeners } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownCommand } from '../../core/own-command.js';
import { sandboxesIn } from '../client/neighbours.js';
import { ownFolder, writeRunFile } from '../client/run-file.js';
import type { Command } from '../commands/command.js';
import { startOnFreePort } from '../start.js';
import { UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { watchSandbox } from '../watch.js';
import { openPlace, type TourContext, word } from './place.js';
import { type Step, steps, writeSources } from './steps.js';

/** The folder of the files that the tour creates in the working directory, and removes. */
export const TOUR_FOLDER = 'posthorn-tour';
/** A step that the tour performs itself must have happened after this time. */
const LIMIT_MS = 60_000;

/** The keys of the user. */
export interface TourInput {
  /** Resolves when the user presses Enter; rejects when the signal aborts. */
  enter(signal: AbortSignal): Promise<void>;
}

interface TourOptions {
  readonly terminal: Terminal;
  readonly commands: Readonly<Record<string, Command>>;
  readonly input: TourInput;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * Starts a sandbox in memory, and leads through the steps. Removes everything that it created, also after an abort or an error.
 * @returns the exit code @throws UsageError when the folder of the tour exists
 */
export async function runTour({ terminal, commands, input, signal }: TourOptions): Promise<number> {
  const folder = join(terminal.cwd, TOUR_FOLDER);
  if (existsSync(folder)) throw new UsageError(`the tour creates the folder ${TOUR_FOLDER}, which exists; rename or remove it first`);
  const { POSTHORN_URL: url, POSTHORN_ADMIN_KEY: key } = process.env;
  const undo: (() => unknown)[] = [];
  // Each step adds several, all of which end with the tour.
  setMaxListeners(0, signal);
  try {
    const own = ownFolder(terminal.cwd);
    if (!existsSync(own)) undo.push(() => removeIfUnused(own));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(folder);
    const seed = writeSources(folder);
    const sandbox = await startOnFreePort({ host: '127.0.0.1', logLevel: 'error' });
    undo.push(() => sandbox.stop());
    const { api, admin, phone } = sandbox;
    const isAlone = (await sandboxesIn(terminal.cwd)).length === 0;
    // Other terminals find the oldest sandbox of the folder; commands that run here find this one.
    undo.push(writeRunFile(terminal.cwd, { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone }));
    undo.push(() => restoreEnvironment({ POSTHORN_URL: url, POSTHORN_ADMIN_KEY: key }));
    restoreEnvironment({ POSTHORN_URL: api, POSTHORN_ADMIN_KEY: admin.key });
    const stopWatching = new AbortController();
    const sources = {
      options: { host: '127.0.0.1', shutdown: { noticeMs: 0, deadlineMs: 0 }, seed },
      plugins: [],
      dispose: () => undefined,
    };
    const watched = watchSandbox(sandbox, {
      sources,
      terminal,
      signal: stopWatching.signal,
      start: startOnFreePort,
      onRestart: () => undefined,
    });
    undo.push(() => watched.settled());
    undo.push(() => stopWatching.abort());
    const place = openPlace({ sandbox, folder, terminal, commands, signal });
    undo.push(() => place.close());
    for (const [i, step] of steps.entries()) await take(step, i, place, { terminal, input, signal, url: isAlone ? undefined : api });
    terminal.out('');
    terminal.out(`That was the tour. A project of your own: ${ownCommand()} init my-app`);
    return exit.ok;
  } catch (error) {
    if (!signal.aborted) throw error;
    return exit.interrupted;
  } finally {
    await undoAll(undo);
    terminal.err('The tour has stopped its sandbox and removed its files.');
  }
}

async function take(
  step: Step,
  i: number,
  place: TourContext,
  { terminal, input, signal, url }: Pick<TourOptions, 'terminal' | 'input' | 'signal'> & { readonly url: string | undefined },
): Promise<void> {
  const paint = painter(terminal.isColoured);
  place.begin();
  const commands = step.commands?.(place) ?? [];
  terminal.out('');
  terminal.out(paint('bold', `${i + 1}/${steps.length}  ${step.title}`));
  for (const line of await step.text(place)) terminal.out(`  ${line}`);
  // Without it, they would act on the older sandbox of the folder.
  const shown = (command: readonly string[]) => (url !== undefined && place.callsSandbox(command) ? [...command, '--url', url] : command);
  for (const command of commands) terminal.out(`  ${paint('cyan', `${ownCommand()} ${shown(command).map(word).join(' ')}`)}`);
  const happened = step.happened(place);
  // Awaited below; a failure before that must not be an unhandled rejection.
  happened.catch(() => undefined);
  const perform = step.perform ?? (commands.length > 0 ? () => runAll(commands, place) : undefined);
  if (perform) {
    terminal.err(paint('dim', '  Do it in a second terminal, or press Enter and the tour does it. Ctrl-C ends the tour.'));
    const waiting = new AbortController();
    const byUser = await Promise.race([
      input.enter(AbortSignal.any([signal, waiting.signal])).then(() => false),
      happened.then(() => true),
      abortOf(signal),
    ]).finally(() => waiting.abort());
    if (!byUser) await Promise.race([perform(place), abortOf(signal)]);
  }
  terminal.out(`  ${paint('green', '✓')} ${await limited(happened, step, signal)}`);
}

async function runAll(commands: readonly (readonly string[])[], place: TourContext): Promise<void> {
  for (const command of commands) await place.run(command);
}

/** @throws Error when the step did not happen in time */
async function limited(happened: Promise<string>, { title }: Step, signal: AbortSignal): Promise<string> {
  const done = new AbortController();
  const limit = sleep(LIMIT_MS, undefined, { signal: AbortSignal.any([signal, done.signal]) }).then(() => {
    throw new Error(`'${title}' did not happen within ${LIMIT_MS / 1000} s`);
  });
  return Promise.race([happened, limit]).finally(() => {
    done.abort();
    limit.catch(() => undefined);
  });
}

/** Removes the folder of run files, unless another sandbox has used it meanwhile. */
function removeIfUnused(own: string): void {
  const isUsed = !existsSync(own) || readdirSync(own).some((name) => name !== '.gitignore');
  if (!isUsed) rmSync(own, { recursive: true });
}

/** Runs every function, the newest first, even if some fail. @throws the first error */
async function undoAll(undo: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of undo.toReversed()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Rejects when the signal aborts, or has aborted. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

function restoreEnvironment(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

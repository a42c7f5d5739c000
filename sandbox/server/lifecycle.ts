import { Conflict, type Platform, Unavailable } from '#core';
import { openClock } from './clock-file.js';
import { urlOf } from './listener.js';
import type { NotesKeeper } from './notes-keeper.js';
import { type Replacement, replaceRun } from './replace-run.js';
import { type Run, type RunState, runOf, type StartRun } from './run-state.js';
import type { SandboxSetup } from './setup.js';

/** Takes a sandbox from one state to the next: starts it, replaces its platform, stops it. */
export class Lifecycle {
  readonly #setup: SandboxSetup;
  readonly #notes: NotesKeeper;
  readonly #startRun: StartRun;
  readonly #listeners: ((platform: Platform) => void)[] = [];
  #state: RunState = { name: 'opened' };
  #stopped: Promise<void> | undefined;

  constructor(setup: SandboxSetup, notes: NotesKeeper, startRun: StartRun) {
    this.#setup = setup;
    this.#notes = notes;
    this.#startRun = startRun;
  }

  /** The newest platform. @throws Error before the first one runs */
  get run(): Run {
    return runOf(this.#state);
  }

  get isReplacing(): boolean {
    return this.#state.name === 'replacing';
  }

  /** The newest platform, after the first start: the listener may pass a request on before that has ended. */
  async started(): Promise<Run> {
    return this.#state.name === 'starting' ? this.#state.started : this.run;
  }

  onReplaced(listener: (platform: Platform) => void): void {
    this.#listeners.push(listener);
  }

  /** From opened to running. @returns the base URL of the sandbox */
  async start(): Promise<string> {
    const { options, host, front, startOfSeed } = this.#setup;
    const clock = openClock({ mode: options.clock, start: startOfSeed, data: options.data });
    const api = urlOf(host, await front.listen(options.port ?? 0, host));
    const started = this.#startRun({ api, clock });
    this.#state = { name: 'starting', started };
    this.#state = { name: 'running', run: await started };
    return api;
  }

  /**
   * From running to replacing, and back: stops the platform, and starts another with the next state; with the previous one if that fails.
   * Requests wait meanwhile.
   * @throws Conflict when another replacement runs, or the platform could not start with the next state
   */
  async replace(replacement: Replacement): Promise<void> {
    const before = this.#replaceable();
    const { run } = before;
    const ended = replaceRun({ setup: this.#setup, notes: this.#notes, startRun: this.#startRun }, run, replacement);
    this.#state = { name: 'replacing', run, ended };
    const outcome = await ended;
    if (outcome.is === 'unchanged') this.#state = before;
    else if (outcome.is === 'lost') this.#state = { name: 'lost', run };
    else this.#state = { name: 'running', run: outcome.run };
    if (outcome.is !== 'replaced') throw outcome.error;
    for (const listener of this.#listeners) listener(outcome.run.platform);
  }

  /** @throws Conflict, Unavailable in a state without a platform to replace */
  #replaceable(): Extract<RunState, { readonly name: 'running' | 'lost' }> {
    const state = this.#state;
    if (state.name === 'replacing')
      throw new Conflict('state_is_replaced', 'The state of this sandbox is being replaced; try again when that has ended');
    if (state.name === 'running' || state.name === 'lost') return state;
    throw new Unavailable(`The sandbox has no platform to replace: it is ${state.name}`, undefined, 'no_platform');
  }

  /** From any state to stopped. A replacement ends first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop().finally(() => this.#setup.demo?.stop());
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    if (this.#state.name === 'replacing') await this.#state.ended;
    const run = 'run' in this.#state ? this.#state.run : undefined;
    this.#state = { name: 'stopping', run };
    await run?.server.stop();
    await this.#setup.front.close(0);
    this.#state = { name: 'stopped', run };
  }
}

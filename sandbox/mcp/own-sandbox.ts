import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../terminal/flags.js';
import { argumentsOf, MAIN, type VerbCall } from './run-verb.js';

/** The sandbox that the MCP server started, in a process of its own. */
export class OwnSandbox {
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#cwd = cwd;
    this.#env = env;
  }

  /** Resolves when the sandbox is ready. Calls at the same time start one sandbox. @throws UsageError with what the sandbox printed */
  start(flags: VerbCall['flags']): Promise<void> {
    this.#starting ??= this.#start(flags).finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  stop(): void {
    this.#child?.kill();
  }

  async #start(flags: VerbCall['flags']): Promise<void> {
    const args = [MAIN, ...argumentsOf({ verb: ['sandbox'], flags: { ...flags, json: true } })];
    const child = spawn(process.execPath, args, { cwd: this.#cwd, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed = `${printed}${text}`.slice(-2_000)));
    // A later output is read and dropped: a full pipe would block the sandbox.
    const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), once(child, 'close').then(() => false)]);
    child.stdout.resume();
    if (!isReady) throw new UsageError(`the sandbox did not start: ${printed.trim()}`);
  }
}

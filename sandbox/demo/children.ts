import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 2_000;

export type ExampleName = 'connector' | 'webhook-receiver' | 'integration';

/** An example in a child process, which ends with the parent, even if the parent is killed. */
export interface Child {
  readonly url: string;
  /** Sets environment variables of the running child, such as tokens and secrets. Resolves once they are set. */
  send(environment: Readonly<Record<string, string>>): Promise<void>;
}

/** A child that is starting or has failed to start. */
export interface StartingChild {
  readonly ready: Promise<Child>;
  stop(): Promise<void>;
}

/** Starts `examples/<name>.js`. The child is ready once it prints its URL. */
export function startChild(name: ExampleName): StartingChild {
  const child = fork(fileURLToPath(new URL('./example-process.js', import.meta.url)), [name], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [],
    env: { PATH: process.env.PATH ?? '' },
    // Starts in its own process group, so that Ctrl-C reaches only the parent, which then stops its children.
    detached: true,
  });
  const ready = childThatListens(name, child);
  // The caller awaits `ready` later: a failure before that must not be an unhandled rejection.
  ready.catch(() => undefined);
  return { ready, stop: () => stopChild(child) };
}

async function childThatListens(name: ExampleName, child: ChildProcess): Promise<Child> {
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  const lines = createInterface({ input: child.stdout! });
  try {
    const [line] = (await Promise.race([once(lines, 'line', { signal: limit }), endOf(child)])) as [string];
    return {
      url: line.slice(line.indexOf('http')),
      async send(environment) {
        child.send(environment);
        await Promise.race([once(child, 'message'), endOf(child)]);
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    const reason = limit.aborted
      ? `it did not print its address within ${START_LIMIT_MS / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    throw new Error(`the example ${name} did not start: ${reason}`);
  }
}

async function endOf(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  throw new Error(`it ended with ${signal ?? `code ${code}`}`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  clearTimeout(limit);
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 2_000;

/** An example that runs as a process of its own. It ends with us, also when we are killed. */
export interface Child {
  readonly url: string;
  /** Gives it what it could not know before: tokens and secrets. */
  tell(credentials: object): void;
  stop(): Promise<void>;
}

/** Starts `examples/<name>.js` and waits until it says where it listens. */
export async function startChild(name: 'connector' | 'webhook-receiver'): Promise<Child> {
  const script = fileURLToPath(new URL(`./examples/${name}.js`, import.meta.url));
  const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [], env: { PATH: process.env.PATH ?? '' } });
  const url = await new Promise<string>((resolve, reject) => {
    const limit = setTimeout(() => fail('it did not say where it listens'), START_LIMIT_MS);
    const fail = (reason: string) => {
      clearTimeout(limit);
      child.kill();
      reject(new Error(`the example ${name} did not start: ${reason}`));
    };
    child.once('message', (message) => {
      clearTimeout(limit);
      child.off('exit', onExit);
      resolve((message as { url: string }).url);
    });
    const onExit = (code: number | null) => fail(`it ended with code ${code}`);
    child.once('exit', onExit);
    child.once('error', (error) => fail(error.message));
  });
  return { url, tell: (credentials) => void child.send(credentials), stop: () => stopChild(child) };
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.once('exit', () => {
      clearTimeout(limit);
      resolve();
    });
    child.kill();
  });
}

// Runs a script of tests in a process group of its own, within a limit of time that fits how busy the machine is.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';

/** Hashing so much takes NOMINAL_MS on an idle machine with cores of 2023. */
const HASHED_BYTES = 100 * 1024 * 1024;
const NOMINAL_MS = 60;
const MOST_TIMES_SLOWER = 20;
const chunk = Buffer.alloc(1024 * 1024);

/**
 * How many times as long as on an idle machine a fixed piece of work takes at the moment, from 1 to 20. Hashing is native, so
 * that no compiler that warms up is measured. Measured anew for every suite, because other work comes and goes.
 */
export function measureSlowness() {
  const started = performance.now();
  const hash = createHash('sha256');
  for (let hashed = 0; hashed < HASHED_BYTES; hashed += chunk.length) hash.update(chunk);
  hash.digest();
  return Math.min(MOST_TIMES_SLOWER, Math.max(1, (performance.now() - started) / NOMINAL_MS));
}

/** Process groups of suites that run. */
const groups = new Set();

/**
 * Runs a script with Node. Whatever processes it leaves behind are killed with it: when it has ended, when it runs longer than
 * `limitMs` times the slowness of the machine, and when this process is told to stop.
 * @returns its exit code or the signal that ended it, and what it wrote
 */
export async function runSuite(args, { limitMs, cwd, env = process.env, slowness = measureSlowness }) {
  let factor = slowness();
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, POSTHORN_SLOWNESS: factor.toFixed(1) },
    detached: true,
  });
  groups.add(child.pid);
  const started = performance.now();
  let limit;
  const isOver = () => performance.now() - started >= limitMs * factor;
  const check = () => {
    // The machine may have become busier since.
    if (isOver()) factor = Math.max(factor, slowness());
    if (isOver()) killGroup(child.pid);
    else limit = setTimeout(check, Math.min(limitMs, 1_000));
  };
  check();
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const closed = new Promise((done) => child.once('close', (code, signal) => done({ code, signal })));
  await new Promise((done) => child.once('exit', done));
  clearTimeout(limit);
  // What is left of the group would keep the pipes open.
  killGroup(child.pid);
  groups.delete(child.pid);
  return { ...(await closed), stdout, stderr };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended.
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Ends all suites when this process is told to end: they are in groups of their own, which Ctrl-C does not reach. */
export function endSuitesWithUs() {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.once(signal, () => {
      for (const pid of groups) killGroup(pid);
      process.exit(code);
    });
  }
}

/** Lines for the beginning of a suite: where the runner is killed without a chance to end it, the suite ends itself and its group. */
export const endsWithRunner = `const runner = process.ppid;
setInterval(() => process.ppid === runner || process.kill(-process.pid, 'SIGKILL'), 500).unref();`;

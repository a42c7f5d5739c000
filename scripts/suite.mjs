// Runs a suite in its own process group, with a time limit that grows with the load of the machine.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';

/** Hashing this many bytes takes NOMINAL_MS on an idle machine with cores of 2023. */
const HASHED_BYTES = 100 * 1024 * 1024;
const NOMINAL_MS = 60;
const MAX_SLOWNESS = 20;
const chunk = Buffer.alloc(1024 * 1024);

/**
 * Returns how many times longer than on an idle machine a fixed piece of work takes now, from 1 to 20. Hashing is native, so the
 * result does not depend on JIT warm-up. The runner measures before every suite, because the load changes.
 */
export function measureSlowness() {
  const started = performance.now();
  const hash = createHash('sha256');
  for (let hashed = 0; hashed < HASHED_BYTES; hashed += chunk.length) hash.update(chunk);
  hash.digest();
  return Math.min(MAX_SLOWNESS, Math.max(1, (performance.now() - started) / NOMINAL_MS));
}

const groups = new Set();

/**
 * Runs a script with Node, and kills its process group when it ends, when it exceeds `limitMs` times the slowness of the machine,
 * and when the runner is stopped by a signal, so that no sandbox of a test keeps running.
 * @param node the path of the binary
 * @param onOutput called with what it prints to stdout
 * @returns its exit code or the signal that ended it, and its output
 */
export async function runSuite(
  args,
  { limitMs, cwd, env = process.env, slowness = measureSlowness, node = process.execPath, onOutput = () => {} },
) {
  let factor = slowness();
  const child = spawn(node, args, {
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
    // Measure again: the machine may be busier now.
    if (isOver()) factor = Math.max(factor, slowness());
    if (isOver()) killGroup(child.pid);
    else limit = setTimeout(check, Math.min(limitMs, 1_000));
  };
  check();
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (data) => {
    stdout += data;
    onOutput(data);
  });
  child.stderr.setEncoding('utf8').on('data', (data) => (stderr += data));
  const closed = new Promise((done) => child.once('close', (code, signal) => done({ code, signal })));
  await new Promise((done) => child.once('exit', done));
  clearTimeout(limit);
  // Processes left in the group would keep the pipes open, and `close` would never come.
  killGroup(child.pid);
  groups.delete(child.pid);
  return { ...(await closed), stdout, stderr };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group has ended.
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Ends all suites when this process gets a signal: Ctrl-C does not reach their process groups. `say` is called before. */
export function endSuitesWithUs(say) {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.once(signal, () => {
      for (const pid of groups) killGroup(pid);
      say();
      process.exit(code);
    });
  }
}

/** The first lines of a suite, before it imports tap. */
export const withoutHooks = ['tap-without-hooks.mjs', 'hapi-without-repeats.mjs']
  .map((file) => `import '${new URL(file, import.meta.url).href}';`)
  .join('\n');

/** First lines of a suite: it ends itself and its group when the runner was killed with SIGKILL and could not. */
export const endsWithRunner = `const runner = process.ppid;
setInterval(() => process.ppid === runner || process.kill(-process.pid, 'SIGKILL'), 500).unref();`;

/** Keeps tap from ending while no test is left, but the next file still starts what its tests need. */
export const untilLoaded = `Object.defineProperty(t, 'idle', { get: () => false, configurable: true });`;

/**
 * Last lines of a suite: from here on, tap ends when no test is left. Then a server or connection that a test has left open does not keep the
 * process until its time limit, as if its last file had failed.
 */
export const loaded = `t.teardown(() => setTimeout(() => {
  console.error('# all tests have ended, but these were left open: ' + process.getActiveResourcesInfo().join(', '));
  process.exit();
}, 5_000).unref());
delete t.idle;
if (t.idle) t.emit('idle');`;

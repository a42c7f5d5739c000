/** `npx posthorn`, and the scripts `start` of a checkout and `sandbox` of projects that Posthorn creates. */
const SCRIPTS: ReadonlySet<string> = new Set(['npx', 'start', 'sandbox']);
const CHECK_MS = 250;

/**
 * Calls `ended` when the npm process that runs this command has ended. npm starts commands below a shell that does not forward signals: a
 * sandbox in the background would keep running, and keep its port, after `kill` of the only process id that its user knows.
 */
export function whenNpmEnds(ended: () => void, { npm_lifecycle_event: script = '' }: NodeJS.ProcessEnv = process.env): void {
  if (!SCRIPTS.has(script)) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    ended();
  }, CHECK_MS).unref();
}

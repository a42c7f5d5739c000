import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Scenario } from '../../scripts/simulate/scenario.js';

const program = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));

/** A trace has a few megabytes. */
const MOST_BYTES = 256 * 1024 ** 2;

/** Runs `npm run simulate` with options. @returns its exit code and what it wrote */
export function runOptions(...options: string[]): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [program, ...options], { maxBuffer: MOST_BYTES }).then(
    (written) => ({ code: 0, ...written }),
    (error) => error,
  );
}

/**
 * Runs a scenario as `npm run simulate` does, in a process without a test runner, whose timers would be entries of the simulation.
 * @param onTrace called with its trace
 * @returns the line with the hash of its trace
 */
export async function runAlone(scenario: Scenario, onTrace?: (trace: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-scenario-'));
  const file = join(folder, 'scenario.json');
  writeFileSync(file, JSON.stringify(scenario));
  const { code, stdout, stderr } = await runOptions('--scenario', file, ...(onTrace ? ['--trace'] : [])).finally(() =>
    rmSync(folder, { recursive: true }),
  );
  if (code !== 0) throw new Error(`the simulation ended with ${code}: ${stdout}${stderr}`);
  onTrace?.(stdout);
  return stdout.split('\n').at(-3)!;
}

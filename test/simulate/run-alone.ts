import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Scenario } from '../../scripts/simulate/scenario.js';

const program = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));

/**
 * Runs a scenario as `npm run simulate` does, in a process without a test runner, whose timers would be entries of the simulation. @returns the line with the
 * hash of its trace
 */
export async function runAlone(scenario: Scenario): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-scenario-'));
  const file = join(folder, 'scenario.json');
  writeFileSync(file, JSON.stringify(scenario));
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--scenario', file]).finally(() =>
    rmSync(folder, { recursive: true }),
  );
  return stdout.split('\n')[0]!;
}

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMAT } from '../core/adapters/store/files/data-folder.js';
import { writeScenario } from './release-data/scenario.js';
import { type RecordedShapes, shapesIn } from './release-data/shapes.js';
import { exportedState } from './release-data/state.js';
import type { Written } from './release-data/written.js';

// `node scripts/run.mjs release-data 0.2.0` stores a data folder of this release in test/data/0.2.0, for the tests of later releases.
// `node scripts/run.mjs release-data --shapes` writes the document shapes of the current format to test/data/shapes/.
// `node scripts/run.mjs release-data --state version-2` stores an exported state in test/data/states/version-2.json, for the tests of later releases.

const ROOT = 'test/data';
const [what, release] = process.argv.slice(2);
if (what === undefined || (what === '--state' && release === undefined)) {
  console.error('usage: node scripts/run.mjs release-data RELEASE | --shapes | --state NAME');
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), 'posthorn-release-data-'));
try {
  const data = join(work, 'copy');
  const written = await writeScenario(join(work, 'data'), data);
  if (what === '--shapes') await keepShapes(data);
  else if (what === '--state') await keepState(data, release!, written);
  else keepRelease(data, what, written);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function keepRelease(data: string, release: string, written: Written): void {
  const folder = join(ROOT, release);
  if (existsSync(folder)) throw new Error(`${folder} already exists; the data of a release never change`);
  mkdirSync(folder, { recursive: true });
  cpSync(data, join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'written.json'), `${JSON.stringify(written, null, 1)}\n`);
  cpSync('test/spec/entry-points.json', join(folder, 'entry-points.json'));
  console.log(`${folder}: a data folder of format ${FORMAT}`);
}

async function keepState(data: string, release: string, written: Written): Promise<void> {
  const file = join(ROOT, 'states', `${release}.json`);
  if (existsSync(file)) throw new Error(`${file} already exists; the states of a release never change`);
  mkdirSync(join(ROOT, 'states'), { recursive: true });
  writeFileSync(file, await exportedState(data, written));
  console.log(file);
}

/** Replaces the shapes of the same format and drops its additions. */
async function keepShapes(data: string): Promise<void> {
  const file = join(ROOT, 'shapes', `format-${FORMAT}.json`);
  const recorded: RecordedShapes = { shapes: await shapesIn(data), additions: [] };
  mkdirSync(join(ROOT, 'shapes'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);
  console.log(file);
}

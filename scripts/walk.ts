// `node scripts/run.mjs walk [message|simulation|refusal] [--json]` prints which files run which functions for one inbound message up to
// its last webhook, for one turn of a simulation, and for a call that is refused with 401.
import { parseArgs } from 'node:util';
import { recordWalks, type WalkName } from './walk/walked-platform.js';
import { filesOf, summedUp } from './walk/walks.js';

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const recorded = Object.entries(await recordWalks()) as [WalkName, Awaited<ReturnType<typeof recordWalks>>[WalkName]][];
const unknown = positionals.filter((name) => !recorded.some(([known]) => known === name));
if (unknown.length > 0) {
  console.error(`there is no walk ${unknown.join(', ')}; the walks are ${recorded.map(([name]) => name).join(', ')}`);
  process.exit(2);
}
const chosen = recorded.filter(([name]) => positionals.length === 0 || positionals.includes(name));
const walks = chosen.map(([name, stages]) => [name, summedUp(stages)] as const);
if (values.json) console.log(JSON.stringify(Object.fromEntries(walks), undefined, 2));
else {
  for (const [name, walk] of walks) {
    console.log(`${name}: ${filesOf(walk).length} files`);
    for (const { title, files } of walk.stages) {
      console.log(`\n  ${title}`);
      for (const { file, functions } of files) console.log(`    ${file}  ${functions.join(' ')}`);
    }
    console.log('\n  Files by room');
    for (const [room, count] of Object.entries(walk.rooms)) console.log(`    ${String(count).padStart(3)}  ${room}`);
    console.log('\n  Imports between rooms');
    for (const [arrow, count] of Object.entries(walk.crossings)) console.log(`    ${String(count).padStart(3)}  ${arrow}`);
    console.log();
  }
}

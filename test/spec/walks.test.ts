import { readFileSync } from 'node:fs';
import t from 'tap';
import { filesOf, walks } from '../../scripts/walk/walks.js';

/** The most files whose functions a warm platform runs. Lower a number when a walk becomes shorter. */
const BUDGET = { message: 195, simulation: 97, refusal: 22 } as const;

t.test('a message, a turn of a simulation and a refused call run functions of no more files than before', async (t) => {
  const page = readFileSync('core/walks.md', 'utf8');
  for (const [name, most] of Object.entries(BUDGET) as [keyof typeof BUDGET, number][]) {
    const files = filesOf(walks()[name]);
    const [, section = ''] = new RegExp(`<!-- generated: walk of a ${name} -->([\\s\\S]*?)<!-- end -->`).exec(page) ?? [];
    const known = new Set(
      [...section.matchAll(/^\|[^|]*\| `([^`]+)` \|(.+)\|$/gm)].flatMap(([, folder, cell]) =>
        [...cell!.matchAll(/`([^`]+)`/g)].map(([, file]) => `${folder}/${file}`),
      ),
    );
    const added = files.filter((file) => !known.has(file));
    const fresh = added.length > 0 ? `new: ${added.join(', ')}` : '`git diff core/walks.md` shows the new ones';
    t.ok(files.length <= most, `the walk '${name}' has ${files.length} files, its budget is ${most}; ${fresh}`);
  }
});

// `npm run bench` measures all goals (scripts/bench/goals.ts); `npm run bench start` runs one benchmark; `npm run bench -- --list` lists
// them. A benchmark is a file in scripts/bench whose first line is `// Bench: <what it measures>`. It prints a table with ratios to a
// baseline that it measures in the same run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compile, filesIn, root, selfContained } from './compile.mjs';

const out = process.env.POSTHORN_BUILD ?? '.build-bench';
const MARK = '// Bench: ';
const benches = new Map(
  filesIn('scripts/bench', '.ts').flatMap((file) => {
    const [first] = readFileSync(join(root, file), 'utf8').split('\n', 1);
    return first.startsWith(MARK) ? [[basename(file, '.ts'), { file, about: first.slice(MARK.length) }]] : [];
  }),
);

const given = process.argv.slice(2);
const [name, ...options] = given[0] === undefined || given[0].startsWith('--') ? ['goals', ...given] : given;
const bench = benches.get(name);
if (bench && !given.includes('--list')) {
  // A record writes a page, whose generator reads the tests, too.
  await compile(['core', 'plugins', 'sandbox', 'scripts', ...(given.includes('--record') ? ['test'] : [])], out);
  selfContained(out);
  const script = join(root, out, bench.file.replace(/\.ts$/, '.js'));
  process.exitCode = spawnSync(process.execPath, [script, ...options], { cwd: root, stdio: 'inherit' }).status ?? 1;
} else {
  if (!bench) console.error(`unknown benchmark '${name}'; choose one of:`);
  for (const [bench, { about }] of benches) console.log(`npm run bench ${bench.padEnd(10)} ${about}`);
  process.exitCode = bench ? 0 : 2;
}

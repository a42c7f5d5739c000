import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const folder = 'sandbox/examples';
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|mjs|py)$/.test(file));
const page = readFileSync(`${folder}/README.md`, 'utf8');

t.test('every example has fewer than 60 lines', async (t) => {
  t.ok(files.length >= 13);
  for (const file of files) t.ok(readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n').length < 60, file);
});

t.test('the page on embedding links to every example', async (t) => {
  for (const file of files) t.ok(page.includes(`](${file})`), file);
});

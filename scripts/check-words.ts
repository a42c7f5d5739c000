// Checks the words of comments, messages, test titles and pages: `npm run lint` runs it. Prints one line per finding, with the word to use.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { wordFindings } from './words/findings.js';

const wanted = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && (wanted.length === 0 || wanted.some((part) => file.includes(part))));
let count = 0;
for (const file of files) {
  for (const { line, words, use } of wordFindings(file, readFileSync(file, 'utf8'))) {
    console.error(`${file}:${line}  "${words}": ${use}`);
    count++;
  }
}
console.error(`Checked the words of ${files.length} files. ${count === 0 ? 'No findings.' : `${count} findings.`}`);
process.exitCode = count === 0 ? 0 : 1;

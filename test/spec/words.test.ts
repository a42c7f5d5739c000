import t from 'tap';
import { wordFindings } from '../../scripts/words/findings.js';

const found = (file: string, text: string) => wordFindings(file, text).map(({ line, words }) => [line, words]);

t.test('the word check reads comments, messages and test titles, and reports line and words', async (t) => {
  t.strictSame(found('core/a.ts', `/**\n * Returns the job.\n * Nobody needs it.\n */\nconst somebody = 1;\n`), [[3, 'Nobody']]);
  t.strictSame(found('core/a.ts', "throw new Error('the job is given up');\nconst law = 'law';\n"), [[1, 'given up']]);
  t.strictSame(found('core/a.ts', 'log.warn(`the job is given up`);\n'), [[1, 'given up']]);
  t.strictSame(found('core/a.ts', '// The queue retries\n// at once.\n'), [[2, 'at once']]);
  t.strictSame(found('test/a.test.ts', "t.test('whoever calls gets 429', async () => say('nobody is here'));\n"), [[1, 'whoever']]);
});

t.test('the word check reads pages except their code', async (t) => {
  t.strictSame(found('a.md', '# Jobs\n\n```ts\n// nobody\n```\n\n`nobody` and [text](nobody.md), nobody.\n'), [[7, 'nobody']]);
});

t.test('a sentence needs a subject, and questions do not count', async (t) => {
  t.strictSame(found('core/a.ts', '// What is too large is refused.\n'), [[1, 'What']]);
  t.strictSame(found('a.md', 'What does it cost? Nothing.\n'), []);
});

t.test('terms of the field are allowed', async (t) => {
  t.strictSame(found('core/a.ts', '// This stands for a stand-in, and keep-alive stays.\n'), []);
});

import t from 'tap';
import { wordFindings } from '../../scripts/words/findings.js';

/** Written so, because the word occurs nowhere in the sources. */
const NO_ONE = ['No', 'body'].join('');

const found = (file: string, text: string) => wordFindings(file, text).map(({ line, words }) => [line, words]);

t.test('the word check reads comments, messages and test titles, and reports line and words', async (t) => {
  t.strictSame(found('core/a.ts', `/**\n * Returns the job.\n * ${NO_ONE} needs it.\n */\nconst heard = 1;\n`), [[3, NO_ONE]]);
  t.strictSame(found('core/a.ts', "throw new Error('the job is given up');\nconst law = 'law';\n"), [[1, 'given up']]);
  t.strictSame(found('core/a.ts', 'log.warn(`the job is given up`);\n'), [[1, 'given up']]);
  t.strictSame(found('core/a.ts', '// The queue retries\n// at once.\n'), [[2, 'at once']]);
  t.strictSame(found('test/a.test.ts', "t.test('the job is given up', async () => say('it is given up'));\n"), [[1, 'given up']]);
});

t.test('the word check reads pages except their code', async (t) => {
  t.strictSame(found('a.md', '# Jobs\n\n```ts\n// at once\n```\n\n`at once` and [text](at-once.md), at once.\n'), [[7, 'at once']]);
});

t.test('some words occur nowhere, not even in code', async (t) => {
  t.strictSame(found('core/a.ts', `const id = '${NO_ONE}';\n`), [[1, NO_ONE]]);
});

t.test('a sentence needs a subject, and questions do not count', async (t) => {
  t.strictSame(found('core/a.ts', '// What expires is deleted.\n'), [[1, 'What']]);
  t.strictSame(found('a.md', 'What does it cost? Nothing.\n'), []);
});

t.test('an allowed phrase or file is not reported', async (t) => {
  const text = '// The Law of Demeter. The law.\n';
  const lines = (allowed: { files: string[]; phrases: RegExp[] }) => wordFindings('core/a.ts', text, allowed).map(({ words }) => words);
  t.strictSame(lines({ files: [], phrases: [] }), ['Law', 'law']);
  t.strictSame(lines({ files: [], phrases: [/law of demeter/gi] }), ['law']);
  t.strictSame(lines({ files: ['core/a.ts'], phrases: [] }), []);
});

t.test('terms of the field are allowed', async (t) => {
  t.strictSame(found('core/a.ts', '// This stands for a stand-in, and keep-alive stays.\n'), []);
});

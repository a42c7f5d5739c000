import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { newFolder } from './posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');

t.test('a notebook in a pipe keeps its carriage returns, formatted or converted from JSON', async (t) => {
  const cwd = newFolder(t);
  const journey = (verb: string, input: string) =>
    spawnSync(process.execPath, [main, 'journey', verb, '-'], { cwd, input, encoding: 'utf8' });
  const notebook = '# A\r\n\r\nProse.\r\n\r\n```stack\r\ncard A do\r\n  text("Good day.")\r\nend\r\n```\r\n';
  t.match(journey('fmt', notebook.replace('  text', ' text')), { status: 0, stdout: notebook });

  const container = journey('compile', 'card A do\n  text("one\u2028two")\nend\n').stdout;
  const converted = journey('to-text', container);
  t.match(converted, { status: 0, stdout: 'text("one\u2028two")' });
  t.notMatch(converted.stdout, '\\u2028');
});

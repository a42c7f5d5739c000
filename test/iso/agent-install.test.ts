import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onlyLong } from '../forms.js';
import { ask, newFolder, OUTSIDE, run, startSandbox } from './posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
const skill = readFileSync(new URL('../../../sandbox/agent/SKILL.md', import.meta.url), 'utf8');

t.test('agent install writes the section and the skill once, and keeps everything else', async (t) => {
  const folder = newFolder(t);
  const own = '# My project\n\nUse tabs.\n';
  writeFileSync(join(folder, 'AGENTS.md'), own);
  const install = (...args: string[]) => ask(folder, ['agent', 'install', ...args]);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const first = await install('--json');
  t.match(JSON.parse(first.out), {
    v: 1,
    files: [
      { file: 'AGENTS.md', state: 'updated' },
      { file: '.agents/skills/posthorn/SKILL.md', state: 'created' },
    ],
  });
  const installed = read('AGENTS.md');
  t.ok(installed.startsWith(own));
  t.match(installed, /<!-- posthorn: begin -->[\s\S]*\.agents\/skills\/posthorn\/SKILL\.md[\s\S]*<!-- posthorn: end -->/);
  t.equal(read('.agents/skills/posthorn/SKILL.md'), skill.replaceAll('npx posthorn', OUTSIDE));
  t.match(installed, `\`${OUTSIDE} sandbox\``, 'npm does not find Posthorn in this folder');

  writeFileSync(join(folder, 'AGENTS.md'), `${installed.replace('## Posthorn', '## Old')}\nAfter.\n`);
  t.match(await install(), { code: 0, out: /updated +AGENTS\.md\nunchanged +\.agents/ });
  t.equal(read('AGENTS.md'), `${installed}\nAfter.\n`);
  t.match(await install(), { code: 0, out: /unchanged +AGENTS\.md/ });

  writeFileSync(join(folder, 'AGENTS.md'), '<!-- posthorn: end -->\n');
  t.match(await install(), { code: 1, err: /AGENTS\.md must contain/ });
  t.equal(read('AGENTS.md'), '<!-- posthorn: end -->\n', 'nothing was written');
  mkdirSync(join(folder, 'sub'));
  t.match(await install('--dir', 'sub'), { code: 0, out: /created +AGENTS\.md/ });
  t.match(await install('--dir', 'none'), { code: 2, err: /none is not a folder/ });
  t.match(await install('twice'), { code: 2, err: /agent takes one verb/ });
});

t.test('the skill has at most 150 lines, and all of its commands work', { skip: onlyLong }, async (t) => {
  t.ok(skill.split('\n').length <= 151);
  const folder = newFolder(t);
  await startSandbox(t, folder);
  writeFileSync(join(folder, 'hours.md'), /^````markdown\n([\s\S]*?)^````$/m.exec(skill)![1]!);
  writeFileSync(join(folder, 'body.json'), '{"a":1}');
  const lines = [...skill.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split('\n'));
  t.ok(lines.length > 20, `${lines.length} commands`);
  t.match(skill, /^```sh start\nnpx posthorn sandbox --port 0 --json\n```$/m, 'the command with which this test starts its sandbox');
  const env: Record<string, string> = { DELIVERY: '' };
  for (const line of lines) {
    if (line.includes('$DELIVERY')) env.DELIVERY = newest(folder);
    const command = line.replaceAll('npx posthorn', `"${process.execPath}" "${main}"`);
    const running = run(t, ['-c', command], folder, env, '/bin/sh');
    t.equal(await running.ended, 0, `${line}\n${running.out()}${running.err()}`);
  }
});

/** The uuid of the newest delivery. */
function newest(cwd: string): string {
  const printed = execFileSync(process.execPath, [main, 'deliveries', 'list', '--limit', '1', '--json'], { cwd, encoding: 'utf8' });
  return JSON.parse(printed).deliveries[0].uuid;
}

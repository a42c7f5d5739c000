import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sample } from '../../pages/samples.js';
import { agentJourney, folderWith, runCommand } from './runs.js';

const PAGE = 'sandbox/journey-tests.md';
const yaml = (name: string): string => sample(PAGE, 'yaml', name);
const journey = `# Café\n\n\`\`\`stack\n${sample(PAGE, 'stack', 'cafe.md')}\`\`\`\n`;

t.test('the tests on the page pass with the journey on the page', async (t) => {
  const files = ['cafe.test.yaml', 'requests.test.yaml'];
  const cwd = folderWith(t, { 'cafe.md': journey, ...Object.fromEntries(files.map((name) => [name, yaml(name)])) });
  const { code, out } = await runCommand(cwd, '--coverage=75');
  t.equal(code, 0, out);
  t.match(out, /4 passed, 0 failed/);
  t.match((await runCommand(cwd, 'cafe.test.yaml', '-t', 'books a table')).out, /1 passed, 0 failed/);
  const changed = folderWith(t, { 'cafe.md': journey.replace('A table for', 'Tables for'), 'cafe.test.yaml': yaml('cafe.test.yaml') });
  t.equal((await runCommand(changed)).code, 1, 'the tests notice a change of the journey');
});

t.test('the agent on the page passes its test', async (t) => {
  t.match(await runCommand(folderWith(t, { 'agent.json': agentJourney, 'agent.test.yaml': yaml('agent.test.yaml') })), { code: 0 });
});

t.test('the command of the job on the page is accepted, and writes its report', async (t) => {
  const [, command] = /run: npx posthorn test (.*)$/m.exec(yaml('tests.yml'))!;
  const cwd = folderWith(t, {
    'cafe.md': journey,
    'cafe.test.yaml': yaml('cafe.test.yaml'),
    'requests.test.yaml': yaml('requests.test.yaml'),
  });
  t.match(await runCommand(cwd, ...command!.split(' ')), { code: 0, out: /^4 passed, 0 failed {2}/m });
  t.match(readFileSync(join(cwd, 'tests.xml'), 'utf8'), /<testsuites>/);
});

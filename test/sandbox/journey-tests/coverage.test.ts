import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { compileNotebook } from '#engine';
import { agentJourney, cafe, exits, flow, folderWith, runCommand } from './runs.js';

const tests = `tests:
  - { name: hours, steps: [{ say: hello }, { tap: Opening hours, expect: { state: end } }] }
`;
const lineOf = (text: string, part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;

t.test('coverage counts cards, blocks, exits, options, triggers and expressions, and says how to reach the other exits', async (t) => {
  const cwd = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': tests });
  const { code, out } = await runCommand(cwd, '--coverage');
  t.equal(code, 0);
  t.match(
    out,
    /coverage +cards +blocks +exits +options +triggers +expressions +all\n +cafe\.md +2\/6 +2\/9 +2\/13 +1\/3 +1\/1 +\d+\/\d+ +\d+ %/,
  );
  const line = lineOf(cafe, 'menu = buttons');
  t.match(out, new RegExp(`cafe\\.md:${line}:\\d+ {2}Menu -> table {2}select 'A table'`));
  t.match(out, new RegExp(`cafe\\.md:${line}:\\d+ {2}Menu -> Default exit to "Menu" {2}answer with none of the options`));
  t.match(out, /Told -> Exit for told_case_condition_0 {2}select 'Weather', then when weather\.status == 200/);
  t.match(out, /Told -> Exit for told_case_condition_1 {2}select 'Weather', then unless weather\.status == 200/);
});

t.test('--coverage=MIN fails below the minimum, over all journeys of the run', async (t) => {
  const cwd = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': tests });
  t.match(await runCommand(cwd, '--coverage=10'), { code: 0, err: '' });
  t.match(await runCommand(cwd, '--coverage=99'), {
    code: 1,
    err: /^posthorn: the coverage is \d+\.\d %, less than 99 %\nCode: coverage\nTry: npx posthorn test explore JOURNEY$/,
  });
});

/** The records of an LCOV file: `DA` by line, and the branches. */
function lcovIn(text: string) {
  const of = (mark: string): string[] =>
    text.split('\n').flatMap((line) => (line.startsWith(`${mark}:`) ? line.slice(mark.length + 1) : []));
  return {
    lines: Object.fromEntries(of('DA').map((entry) => entry.split(',').map(Number))) as Record<number, number>,
    branches: of('BRDA'),
    functions: of('FNDA'),
    beginnings: of('FN'),
    files: of('SF'),
  };
}

t.test('LCOV has the lines of a notebook, and of a journey as JSON', async (t) => {
  const { container } = compileNotebook(cafe);
  const json = JSON.stringify(container, null, 2);
  const cwd = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': tests, 'other.json': json, 'other.test.yaml': tests });
  await runCommand(cwd, '--lcov', 'lcov.info');
  const [notebook, asJson] = readFileSync(join(cwd, 'lcov.info'), 'utf8').split('end_of_record\n').map(lcovIn);
  t.strictSame(notebook!.files, ['cafe.md']);
  t.equal(notebook!.lines[lineOf(cafe, 'menu = buttons')], 1);
  t.equal(notebook!.lines[lineOf(cafe, 'We are open')], 1);
  t.equal(notebook!.lines[lineOf(cafe, 'trigger(on:')], 1);
  t.ok(
    notebook!.branches.some((entry) => entry.startsWith(`${lineOf(cafe, 'trigger(on:')},`)),
    'a trigger is on its own line',
  );
  t.equal(notebook!.lines[1], undefined, 'nothing runs on the line of the title');
  t.equal(notebook!.lines[lineOf(cafe, 'weather = get')], 0);
  t.strictSame(
    notebook!.beginnings,
    ['Menu', 'Hours', 'Table', 'Booked', 'Weather', 'Told'].map((card) => `${lineOf(cafe, `card ${card}`)},${card}`),
  );
  t.ok(notebook!.functions.includes('1,Hours') && notebook!.functions.includes('0,Weather'));
  t.ok(notebook!.branches.some((entry) => new RegExp(`^${lineOf(cafe, 'menu = buttons')},\\d+,\\d+,1$`).test(entry)));
  t.ok(
    notebook!.branches.some((entry) => entry.endsWith(',-')),
    'the branches of a block that never ran',
  );
  t.strictSame(asJson!.files, ['other.json']);
  const block = json.split('\n').findIndex((line) => line.includes('"name": "hours_text"'));
  const covered = Object.entries(asJson!.lines)
    .filter(([, count]) => count > 0)
    .map(([line]) => Number(line));
  t.ok(
    covered.some((line) => Math.abs(line - block) <= 3),
    `the block of line ${block} is covered: ${covered.join()}`,
  );
});

t.test('the condition of an exit that an agent takes by its action is not counted, because the agent does not evaluate it', async (t) => {
  const files = {
    'agent.json': agentJourney,
    'agent.test.yaml': `tests:
  - name: books
    models: { helper: { rules: [{ when: { last_user: later }, say: When? }, { action: book }] } }
    steps: [start, { say: later }, { say: tomorrow, expect: { actions: [book], state: end } }]
`,
  };
  const cwd = folderWith(t, files);
  const { code, out } = await runCommand(cwd, '--coverage');
  t.equal(code, 0, out);
  t.match(out, /agent\.json +1\/1 +1\/1 +1\/2 +- +- +- +66 %/);
  writeFileSync(join(cwd, 'agent.test.yaml'), files['agent.test.yaml'].replace(/, \{ say: tomorrow.*\}\]/, ']'));
  t.match((await runCommand(cwd, '--coverage')).out, "agent -> book  let the agent route to 'book'");
});

t.test('a called journey has coverage of its own, also when its blocks have the uuids of the calling one', async (t) => {
  const id = '11111111-2222-4333-8444-555555555555';
  const caller = flow([{ uuid: 'b0', name: 'call', type: 'Core.RunFlow', config: { flow_id: id }, exits: exits(0) }]);
  const called = JSON.stringify({
    ...JSON.parse(
      flow([
        { uuid: 'b0', name: 'note', type: 'Core.Log', config: { message: 'for @contact.name' }, exits: exits(0) },
        { uuid: 'b1', name: 'never', type: 'Core.Log', config: { message: 'x' }, exits: exits(1) },
      ]),
    ),
    uuid: id,
  });
  const files = {
    'caller.json': caller,
    'called.json': called,
    'caller.test.yaml': `tests:\n  - { name: calls, journeys: { ${id}: called.json }, steps: [start, { expect: { state: end } }] }\n`,
  };
  const { code, out } = await runCommand(folderWith(t, files), '--coverage');
  t.equal(code, 0, out);
  t.match(out, /caller\.json +1\/1 +1\/1 +1\/1 +- +- +- +100 %/);
  t.match(out, /called\.json +1\/2 +1\/2 +1\/2 +- +- +1\/1 +60 %/);
  t.match(out, /all journeys +2\/3 /);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { type ExploreOptions, explore } from '../../../sandbox/journey-tests/explore/explorer.js';
import { type Finding, findingsOf } from '../../../sandbox/journey-tests/explore/findings.js';
import { walkTests } from '../../../sandbox/journey-tests/explore/walk-tests.js';
import { writeTests } from '../../../sandbox/journey-tests/format/index.js';
import { compileJourney, type JourneyUnderTest, readJourney } from '../../../sandbox/journey-tests/run/journey-under-test.js';
import { runFile } from '../../../sandbox/journey-tests/run/run-file.js';
import { folderWith, runCommand } from './runs.js';

const none = { responsesTo: () => [], journeyNamed: () => undefined };

const shop = (cards: string): JourneyUnderTest => compileJourney('shop.md', `# Shop\n\n\`\`\`stack\n${cards}\n\`\`\`\n`);

async function search(journey: JourneyUnderTest, more: Partial<ExploreOptions> = {}) {
  const explored = await explore({ journey, settings: {}, budget: 2_000, ...none, ...more });
  return { journey, explored, findings: findingsOf(journey, explored) };
}

const kindsOf = (findings: readonly Finding[]) => findings.map(({ severity, kind, card }) => `${severity} ${kind} ${card}`);

/** Writes the walks as a test file beside the journey, and runs it. */
async function runWritten(t: Tap, { journey, explored }: Awaited<ReturnType<typeof search>>, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-explore-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, journey.file), text);
  const { document, left } = walkTests(explored.walks, {}, join(folder, journey.file), join(folder, 'walks.test.yaml'));
  const written = writeTests(document, folder);
  writeFileSync(join(folder, 'walks.test.yaml'), written);
  const result = await runFile('walks.test.yaml', { cwd: folder, snapshots: 'read', hasOnly: false } as never);
  return { result, written, left };
}

t.test('the demo journey has no dead end, and its walks take every exit that answers can take', async (t) => {
  const { findings, explored, journey } = await search(readJourney('sandbox/demo/library.md', 'sandbox/demo/library.md'));
  t.strictSame(findings, []);
  t.equal(explored.isCut, false);
  const exits = journey.container.flows.flatMap(({ blocks }) =>
    blocks.flatMap((block) => block.exits.map((exit) => `${block.uuid} ${exit.uuid}`)),
  );
  const open = exits.filter((key) => explored.hits.exits[key] === undefined);
  t.ok(open.length <= 10, `${open.length} of ${exits.length} exits are open: those for contacts that have a name or a language already`);
});

t.test('walks are written as tests that pass, few enough to read', async (t) => {
  const library = readJourney('sandbox/demo/library.md', 'sandbox/demo/library.md');
  const { explored } = await search(library);
  const file = resolve('sandbox/demo/library.md');
  const { document } = walkTests(explored.walks, {}, file, resolve('sandbox/demo/library.test.yaml'));
  t.equal(document.journey, 'library.md');
  t.ok(document.tests.length < 25, `${document.tests.length} tests for ${explored.walks.length} walks`);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-explore-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'walks.test.yaml'), writeTests({ ...document, journey: file }, folder));
  const { tests, problems } = await runFile('walks.test.yaml', { cwd: folder, snapshots: 'read', hasOnly: false } as never);
  t.strictSame(problems, []);
  t.strictSame(
    tests.filter(({ status }) => status !== 'passed'),
    [],
  );
});

t.test('a question that every answer repeats is a dead end', async (t) => {
  const { findings } = await search(shop('card Ask, then: Ask do\n  answer = ask("Which size?")\nend'));
  t.strictSame(kindsOf(findings), ['error dead_end Ask']);
  t.match(findings[0], { message: /no tried answer leads on from this question; tried: "7"/, at: { line: 5 }, walk: [] });
});

t.test('questions that lead only to each other are an endless loop', async (t) => {
  const journey = shop(`card Menu, then: Menu do
  buttons(Hours: "Hours", Prices: "Prices") do
    text("What do you want to know?")
  end
end
card Hours, then: Menu do
  ask("9 to 5. More?")
end
card Prices, then: Menu do
  text("10 euros")
end`);
  t.match((await search(journey)).findings, [
    { severity: 'warning', kind: 'endless_loop', message: "no tried answer leads to an end from 'Menu', 'Hours'" },
  ]);
});

t.test('a menu that is shown again after each of its answers is not a dead end', async (t) => {
  const menu = `card Menu, then: Menu do
  buttons(Hours: "Hours", Prices: "Prices") do
    text("What do you want to know?")
  end
end
card Hours, then: Menu do
  text("9 to 5")
end
card Prices, then: Menu do
  text("10 euros")
end`;
  t.strictSame(kindsOf((await search(shop(menu))).findings), ['warning endless_loop Menu']);
  const again = shop(`card Ask, then: Sorry do
  age = ask("Your age?")
end
card Sorry, then: Ask do
  text("That is not an age.")
end`);
  t.strictSame(kindsOf((await search(again)).findings), ['error dead_end Ask'], 'all answers run the same cards');
});

t.test('a long journey is walked to its end, and of a chain that no walk reached only its beginning is reported', async (t) => {
  const questions = Array.from({ length: 60 }, (_, i) => `card Q${i}, then: Q${i + 1} do\n  ask("Question ${i}?")\nend\n`).join('');
  const end = 'card Q60 do\n  text("Done")\nend';
  const { findings, explored } = await search(shop(questions + end));
  t.strictSame([findings, explored.isCut], [[], false]);
  const cut = await search(shop(questions + end), { budget: 100 });
  t.equal(cut.explored.isCut, true);
  t.match(cut.findings, [{ kind: 'card_not_reached' }]);
  t.equal(cut.findings.length, 1);
});

t.test('--called names the files of journeys that a journey calls', async (t) => {
  const id = '11111111-2222-4333-8444-555555555555';
  const fenced = (cards: string): string => `# A\n\n\`\`\`stack\n${cards}\n\`\`\`\n`;
  const cwd = folderWith(t, {
    'main.md': fenced(`card Start, then: End do\n  run_stack("${id}")\nend\ncard End do\n  text("Back")\nend`),
    'deep/other.md': fenced('card Ask, then: Ask2 do\n  ask("Size?")\nend\ncard Ask2 do\n  text("Thanks")\nend'),
  });
  const alone = await runCommand(cwd, 'explore', 'main.md');
  t.match(alone, { code: 1, out: /journey_not_found: .*; give its file with --called ID=FILE/ });
  const found = await runCommand(cwd, 'explore', 'main.md', '--called', `${id}=deep/other.md`, '--write', 'deep/walks.test.yaml');
  t.match(found, { code: 0, out: /0 errors/ }, found.out + found.err);
  const ran = await runCommand(cwd);
  t.match(ran, { code: 0, out: /1 passed, 0 failed/ }, ran.out);
  writeFileSync(join(cwd, 'deep/other.md'), fenced('card Ask do\n  text("Hello @owner.name")\nend'));
  const wrong = await runCommand(cwd, 'explore', 'main.md', '--called', `${id}=deep/other.md`);
  t.match(wrong.out, /error {4}unresolved expression at 'Ask' {2}deep\/other\.md:5:3\n/, 'the place is in the called journey');
});

t.test('the statuses that conditions mention are tried', async (t) => {
  const { findings, explored } = await search(
    shop(`card Get, then: Show do
  found = get("https://shop.test/")
end
card Show when found.status == 404 do
  text("Nothing found")
end
card Show when found.status >= 429 and found.status != 503 do
  text("Busy")
end
card Show do
  text("Found")
end`),
  );
  t.strictSame(findings, []);
  t.ok(explored.walks.some(({ turn }) => JSON.stringify(turn.events).includes('Nothing found')));
});

t.test('a turn that does not end is reported with the answers that cause it', async (t) => {
  const { findings } = await search(
    shop(`card Ask, then: Ready do
  size = ask("Which size?")
end
card Again when size == "large", then: Again do
  log("again")
end
card Again, then: Ready do
  log("done")
end
card Ready when size == "large", then: Again do
  log("loop")
end
card Ready do
  text("Thank you")
end`),
  );
  t.match(findings, [{ severity: 'error', kind: 'endless_loop', message: /the turn does not end: .*200 steps/, walk: ['"large"'] }]);
});

t.test('a text that shows an expression instead of its value is reported', async (t) => {
  const { findings } = await search(
    shop(`card Ask, then: Say do
  buttons(Say: "Total", Bye: "Bye") do
    text("Hello @contact.name")
  end
end
card Say do
  text("The total for @contact.nmae is 5.")
end
card Bye do
  text("Bye")
end`),
  );
  t.match(findings, [
    {
      severity: 'error',
      kind: 'unresolved_expression',
      card: 'Say',
      message: /shows the expression .@contact\.nmae.: contact\.nmae is not set/,
      walk: ['Total'],
    },
  ]);
});

t.test('a card that no exit leads to is an error, and one that no walk reaches a warning', async (t) => {
  const { findings } = await search(
    shop(`card Ask when contact.age > 17, then: Adult do
  text("Hello")
end
card Ask do
  text("Sorry")
end
card Adult do
  text("Welcome")
end
card Orphan do
  text("Unused")
end`),
  );
  t.strictSame(kindsOf(findings), ['error unreachable_card Orphan', 'warning card_not_reached Adult']);
  t.match(findings[1]!.message, /it is reached from 'Ask' when contact\.age > 17/);
  const older = await search(older18, { settings: { contact: { age: 18 } } });
  t.strictSame(kindsOf(older.findings), ['warning card_not_reached Sorry']);
});

const older18 = shop(
  'card Ask when contact.age > 17 do\n  text("Hello")\nend\ncard Ask, then: Sorry do\n  log("young")\nend\ncard Sorry do\n  text("Sorry")\nend',
);

t.test('numbers beside those of a condition, invalid numbers and texts of conditions are tried', async (t) => {
  const { explored } = await search(
    shop(`card Ask, then: Check do
  age = ask("How old are you?")
end
card Check when has_any_word(age, "stop cancel") do
  text("Stopped")
end
card Check when age == "never" do
  text("Never")
end
card Check when has_number_gte(age, 65) do
  text("Senior")
end
card Check when has_number_gte(age, 18) do
  text("Adult")
end
card Check do
  text("Child")
end`),
  );
  const texts = new Set(
    explored.walks.flatMap(({ turn }) =>
      turn.events.flatMap((event) =>
        event.type === 'message_out' && 'type' in event.turn && event.turn.type === 'text' ? event.turn.text.body : [],
      ),
    ),
  );
  t.strictSame([...texts].sort(), ['Adult', 'Child', 'How old are you?', 'Never', 'Senior', 'Stopped']);
});

const services = `card Ask, then: Send do
  buttons(Send: "Order") do
    text("Shall I order?")
  end
end
card Send, then: Sent do
  reply = post("https://shop.test/orders", body: "{}")
end
card Sent when reply.status == 200 do
  text("Ordered: @reply.body.id")
end
card Sent when reply.status == 500 do
  text("The shop is closed.")
end
card Sent do
  text("The shop does not respond.")
end`;

t.test('each request succeeds, fails and gets no response, and the tests have the mocks', async (t) => {
  const found = await search(shop(services));
  const said = found.explored.walks.flatMap(({ turn }) =>
    turn.events.flatMap((event) =>
      event.type === 'message_out' && 'type' in event.turn && event.turn.type === 'text' ? event.turn.text.body : [],
    ),
  );
  t.ok(said.includes('The shop is closed.'));
  t.ok(said.includes('The shop does not respond.'));
  const { result, written } = await runWritten(t, found, `# Shop\n\n\`\`\`stack\n${services}\n\`\`\`\n`);
  t.strictSame(result.problems, []);
  t.strictSame(
    result.tests.map(({ status, failure }) => [status, failure?.message]),
    result.tests.map(() => ['passed', undefined]),
    written,
  );
  t.ok(result.tests.length >= 3);
});

t.test('the responses of mocks are tried instead of invented ones', async (t) => {
  const responsesTo = (method: string, url: string) =>
    method === 'POST' && url === 'https://shop.test/orders'
      ? [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"A7"}' }]
      : [];
  const { explored } = await search(shop(services), { responsesTo });
  const said = explored.walks.flatMap(({ turn }) =>
    turn.events.flatMap((event) =>
      event.type === 'message_out' && 'type' in event.turn && event.turn.type === 'text' ? event.turn.text.body : [],
    ),
  );
  t.ok(said.includes('Ordered: A7'));
  t.notOk(said.includes('The shop is closed.'));
});

t.test('the budget ends a search, and the result says so', async (t) => {
  const { explored } = await search(readJourney('sandbox/demo/library.md', 'sandbox/demo/library.md'), { budget: 20 });
  t.equal(explored.turns, 20);
  t.equal(explored.isCut, true);
});

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { notebookOf } from '../plugins/journeys/drawn-notebooks.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { type ConsoleUnderTest, loadedBytes, overflowOf, scriptsLoaded, startConsole } from './console.js';
import { until } from './console-receivers.js';
import { hostileTexts } from './hostile.js';

const skip = withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

const KB = 1024;
const MENU = `# Menu

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Menu, then: Menu do
  choice = buttons(Hours: "Hours", Table: "Table") do
    text("What would you like?")
  end
end

card Hours do
  text("From 9 to 5.")
end

card Table, then: Menu do
  people = ask("How many?")
end
\`\`\`
`;
const TESTS = `tests:
  - name: hours
    steps: [start, { tap: Hours, expect: { text: From 9 to 5. } }]
`;
const seed = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Café' }],
  journeys: [{ number: '+27600000001', name: 'Menu', notebook: MENU }],
} as const;

async function start(t: Tap) {
  const console = await startConsole(t, { seed });
  const number = console.sandbox.numbers[0]!.uuid;
  const [journey] = (await console.admin('GET', `/journeys?number=${number}`)).journeys;
  const say = (from: string, body: string) =>
    console.admin('POST', `/network/numbers/${number}/messages`, { from, type: 'text', text: { body } });
  return { ...console, number, uuid: journey.uuid as string, say };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
type Body = any;

type Tap = Parameters<ConsoleUnderTest['open']>[0];

const node = (page: Page, name: RegExp) => page.locator('.graph-view').getByRole('button', { name });

async function checkLook(t: Tap, page: Page, what: string): Promise<void> {
  t.strictSame(await violationsInBothThemes(page), [], `${what}: axe`);
  await checkWidth(t, page, what);
}

/** For parts that axe has seen with other content: each of its checks takes a second. */
async function checkWidth(t: Tap, page: Page, what: string): Promise<void> {
  await page.setViewportSize({ width: 430, height: 800 });
  t.equal(await overflowOf(page), 0, `${what} at 430 px`);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Types, and takes the first completion, which is this one. @param more typed while the completions are shown */
async function complete(page: Page, typed: string, option: RegExp, more = ''): Promise<void> {
  await page.keyboard.type(typed);
  await page.getByRole('option', { name: option }).waitFor();
  await page.keyboard.type(more);
  await page.getByRole('option', { name: option, selected: true }).waitFor();
  // CodeMirror ignores Enter in the first 75 ms of a list, so that it does not complete text that is still typed.
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
}

t.test('I see a conversation on all channels side by side', { skip }, async (t) => {
  const { open, uuid } = await start(t);
  const { page, failures } = await open(t, `journeys/${uuid}?tab=tests`, { width: 1280 });
  await page.getByLabel('Tests of the draft').fill(TESTS);
  await page.getByRole('button', { name: 'Play on channels', exact: true }).click();
  const columns = page.getByRole('region', { name: /^Conversation on \d channels/ });
  await columns.waitFor({ timeout: patient(20_000) });
  t.equal(await columns.getByRole('columnheader').count(), 7);
  t.equal(await columns.getByText('From 9 to 5.').count(), await columns.getByRole('columnheader').count());
  t.equal(await columns.getByText('numbers instead of buttons').count(), 2, 'by SMS and by e-mail');
  t.equal(await columns.getByText('differs').count(), 0);
  await checkLook(t, page, 'the columns');
  t.same(failures, []);
});

t.test('I find the card no test reaches', { skip: onlyLong || skip }, async (t) => {
  const { open, uuid, say } = await start(t);
  const { page, failures } = await open(t, 'journeys', { width: 1280 });
  await page.getByText('any message starts').waitFor();
  await checkLook(t, page, 'the list');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/journeys/${uuid}`));
  await page.getByRole('tab', { name: 'Tests' }).click();
  await page.getByLabel('Tests of the draft').fill(TESTS);
  await page.getByRole('button', { name: 'Run tests', exact: true }).click();
  const missed = page.getByRole('region', { name: 'Cards that no test reaches' });
  await missed.getByRole('button', { name: 'Table' }).waitFor();
  t.equal(await missed.getByRole('button').count(), 1);
  await page.getByText('passed', { exact: false }).first().waitFor();
  await checkLook(t, page, 'the tests');

  await missed.getByRole('button', { name: 'Table' }).click();
  await node(page, /^Table, .*waits for an answer, no test reaches it/).waitFor();
  await node(page, /^Hours, .*a test reaches it/).waitFor();
  t.equal(await node(page, /^Table/).getAttribute('aria-pressed'), 'true');
  t.equal(await page.locator('.way.missed').count(), 3, 'the option, the answer and no answer');
  const card = page.getByRole('region', { name: 'Selected card' });
  await card.getByText("to take it: select 'Table'").waitFor();
  await checkLook(t, page, 'the graph');

  await say('27820000001', 'hi');
  await node(page, /^Menu, .*1 open session/).waitFor();
  await say('27820000001', 'Table');
  await node(page, /^Table, .*1 open session, no test/).waitFor();
  t.equal(await node(page, /^Menu, .*open session/).count(), 0);

  await node(page, /^Menu/).focus();
  await page.keyboard.press('ArrowDown');
  t.match(await page.evaluate('document.activeElement.getAttribute("aria-label")'), /^(Hours|Table)/);
  await page.keyboard.press('+');
  await page.keyboard.press('0');

  for (const [kind, beginning] of [
    ['SVG', '<svg xmlns='],
    ['PNG', '\x89PNG\r\n\x1a\n'],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: kind }).click();
    const file = readFileSync(await (await saved).path(), 'latin1');
    t.equal((await saved).suggestedFilename(), `Graph-of-Menu.${kind.toLowerCase()}`);
    t.equal(file.slice(0, beginning.length), beginning, kind);
    t.ok(file.length > 1_000, `${kind} has ${file.length} bytes`);
  }

  await page.getByLabel('As a list').check();
  const list = page.locator('.graph-list');
  await list.getByText("select 'Table'").first().waitFor();
  t.match(await list.innerText(), /Hours.*the end/s);
  t.strictSame(await violationsInBothThemes(page), []);
  await list.getByRole('button', { name: 'Line 16 of card Table' }).click();
  await page.locator('.cm-activeLine', { hasText: 'card Table' }).waitFor();
  t.equal(await page.evaluate('document.querySelector(".journey-text.wide") !== null'), true);
  await node(page, /^Hours/).click();
  await page.locator('.cm-activeLine', { hasText: 'card Hours' }).waitFor();
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowDown');
  await page.locator('.node[aria-pressed=true]').getByText('Table').waitFor();

  await page.getByRole('tab', { name: 'Sessions' }).click();
  await page.getByRole('row', { name: /waiting Table 2/ }).waitFor();
  await checkLook(t, page, 'the sessions');
  await page.getByRole('button', { name: 'End the wait' }).click();
  await page.getByRole('button', { name: 'End the session' }).click();
  await page.getByRole('row', { name: /expired/ }).waitFor();
  t.strictSame(failures, []);
});

t.test(
  'I write a journey: two mistakes are marked and fixed, the draft is saved, published and compared with its past',
  { skip },
  async (t) => {
    const { open, admin, number, uuid } = await start(t);
    const { page, failures } = await open(t, `journeys/${uuid}?tab=text`, { width: 1280 });
    const editor = page.locator('.cm-content');
    await node(page, /^Menu/).waitFor();
    await page.getByText('No problems').waitFor();
    t.ok((await loadedBytes(page)) <= 360 * KB);
    await checkWidth(t, page, 'the text');

    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('card More, then: Mneu do\ntxt("x")\nend\n');
    await page.getByText(/2 errors/).waitFor();
    await page.getByRole('button', { name: /^Next problem/ }).click();
    await page.getByText(/Mneu/).last().waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await page.getByRole('button', { name: 'Change to Menu' }).first().click();
    await page.getByText(/1 error\b/).waitFor();
    await node(page, /^Menu/).waitFor();
    await page.keyboard.press('F8');
    await page.getByRole('button', { name: 'Change to text' }).first().click();
    await page
      .getByText(/no exit leads to|1 warning/)
      .first()
      .waitFor();
    await node(page, /^More/).waitFor();
    t.equal((await admin('GET', `/journeys/${uuid}`)).notebook, MENU, 'nothing is saved yet');

    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await complete(page, 'card Bye, then: Men', /^Menu\s*card/);
    await complete(page, ' do\ntex', /^text/);
    // The sample of the item is selected.
    await page.keyboard.type('See you, ');
    await complete(page, '@contact.na', /^name\s*field of the contact/);
    for (const _ of '")') await page.keyboard.press('ArrowRight');
    await page.keyboard.type('\nend\n');
    const written = (await editor.locator('.cm-line').allTextContents()).join('\n');
    t.match(written, 'card Bye, then: Menu do\ntext("See you, @contact.name")\nend\n');
    await node(page, /^Bye/).waitFor();

    await page.getByRole('tab', { name: 'Triggers' }).click();
    await page.getByText('any message starts').waitFor();
    await page.getByRole('tab', { name: /^Text/ }).click();
    await page.locator('.cm-line', { hasText: 'card More' }).waitFor();
    await page.getByRole('button', { name: 'Save draft', exact: true }).click();
    await page.locator('.head').getByText('published, newer draft').waitFor();
    t.match((await admin('GET', `/journeys/${uuid}`)).notebook, /card More, then: Menu do/);
    await page.getByRole('button', { name: 'Publish as production', exact: true }).click();
    await page
      .locator('.head')
      .getByText(/✓\s*published$/)
      .waitFor();

    await page.getByRole('tab', { name: 'Revisions' }).click();
    await checkLook(t, page, 'the revisions');
    await page.getByRole('button', { name: 'Load into the editor revision 1' }).click();
    await page.getByRole('tab', { name: 'Text •' }).waitFor();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByText('a revision would replace them').waitFor();
    t.ok(await page.getByRole('button', { name: 'Load into the editor revision 1' }).isDisabled());
    await page.getByRole('tab', { name: 'Text •' }).click();
    const onWindows = `${MENU}\n`.replaceAll('\n', '\r\n');
    await admin('PUT', `/journeys/${uuid}/notebook`, { notebook: onWindows });
    await page.getByText('The draft was changed elsewhere').waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await page.getByRole('button', { name: 'Drop my changes' }).click();
    await page.getByRole('tab', { name: 'Text', exact: true }).waitFor();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Notes.');
    await page.getByRole('tab', { name: 'Text •' }).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('tab', { name: 'Text', exact: true }).waitFor();
    t.equal((await admin('GET', `/journeys/${uuid}`)).notebook, `${onWindows}Notes.`, 'line breaks stay as they were');

    // Another tab saves before this one, and its event has not arrived yet.
    await page.keyboard.type(' Mine.');
    await page.route(
      /replaces=/,
      async (route) => {
        await admin('PUT', `/journeys/${uuid}/notebook`, { notebook: `${MENU}\n\n` });
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Save draft', exact: true }).click();
    await page.locator('.callout').getByText('The draft was changed elsewhere').waitFor();
    // The event about the other save can show the callout before the response arrives.
    for (let left = 100; failures.length === 0 && left > 0; left--) await page.waitForTimeout(50);
    t.match(failures.splice(0), [/409/]);
    t.equal(await page.getByRole('alert').count(), 0);
    t.equal((await admin('GET', `/journeys/${uuid}`)).notebook, `${MENU}\n\n`, 'nothing is replaced unseen');
    await page.locator('.cm-line', { hasText: 'Notes. Mine.' }).waitFor();
    await page.getByRole('button', { name: 'Save draft', exact: true }).click();
    await page.getByRole('tab', { name: 'Text', exact: true }).waitFor();
    t.match((await admin('GET', `/journeys/${uuid}`)).notebook, /Notes\. Mine\./);

    // Two journeys that wait for any message: the later one never starts.
    const later = '00000000-0000-4000-8000-000000000001';
    await admin('PUT', `/journeys/${later}/notebook?number=${number}&revision=production`, { notebook: MENU.replaceAll('Menu', 'Later') });
    await page.getByRole('tab', { name: 'Triggers' }).click();
    await page.getByText(/trigger 1 of Menu\s+starts first/).waitFor();
    await checkLook(t, page, 'the triggers');
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.locator('.head').getByText('disabled').waitFor();
    await page.getByText('not tried: the journey is disabled').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Journeys' }).waitFor();
    await page.getByRole('button', { name: 'New journey', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'New journey' }).waitFor();
    await node(page, /^Answer/).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the journey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Journeys' }).waitFor();
    t.equal((await admin('GET', `/journeys?number=${number}`)).journeys.length, 2);
    t.strictSame(failures, []);
  },
);

t.test('I see what happens in a journey of 100 cards, what its last publication changed, and go back', { skip }, async (t) => {
  const console = await startConsole(t, {
    seed: { numbers: seed.numbers, journeys: [{ ...seed.journeys[0], notebook: notebookOf(100) }] },
  });
  const { admin, open } = console;
  const number = console.sandbox.numbers[0]!.uuid;
  const [{ uuid }] = (await admin('GET', `/journeys?number=${number}`)).journeys;
  const say = (from: string, body: string) => admin('POST', `/network/numbers/${number}/messages`, { from, type: 'text', text: { body } });
  for (const body of ['hi', 'Opening hours']) await say('27820000001', body);
  await say('27820000002', 'hi');
  const turns = async () => (await admin('GET', `/journeys/${uuid}/sessions`)).sessions.map((one: Body) => [one.turns, one.contact]);
  await until(async () => (`${(await turns()).map(([count]: Body) => count).sort()}` === '1,2' ? true : undefined));
  await admin('DELETE', `/contacts/${(await turns()).find(([count]: Body) => count === 1)[1]}/claim`);
  const notebook = notebookOf(100).replace('We answer tomorrow.', 'We answer today.');
  await admin('PUT', `/journeys/${uuid}/notebook?revision=production`, { notebook });

  const { page, failures } = await open(t, `journeys/${uuid}`, { width: 1280 });
  await page.getByRole('button', { name: '1 open' }).waitFor();
  const publication = page.getByRole('region', { name: 'Last publication' });
  await publication.getByText('1 card differs from revision 1').waitFor();
  await publication.getByText('2 lines').click();
  await publication.getByText(/\+ .*We answer today/).waitFor();
  const answers = page.getByRole('region', { name: 'Answers per question' });
  await answers.getByText('1 left · 33 %').waitFor();
  t.match(await answers.innerText(), /Opening hours\s+1/);
  await checkLook(t, page, 'the overview');
  await scriptsLoaded(page);
  const before = await loadedBytes(page);
  t.ok(before <= 90 * KB + PAGE_BUDGET, `the page loads ${before} bytes without the canvas`);

  await page.getByRole('tab', { name: 'Graph' }).click();
  await node(page, /^Menu1, image Welcome/).waitFor();
  await page.getByLabel('Show on the graph').selectOption('day');
  await node(page, /^Menu1, .*1 left · 33 % without an answer/).waitFor();
  t.strictSame(await page.locator('.way-count').allTextContents(), ['1', '1'], 'the button, and the way back to the menu');
  const canvas = (await loadedBytes(page)) - before;
  t.ok(canvas > 0 && canvas <= PAGE_BUDGET, `the canvas loads ${canvas} bytes`);
  const size = await page.evaluate(`(() => {
    const text = document.querySelector('.node-says');
    return parseFloat(getComputedStyle(text).fontSize) * text.getBoundingClientRect().width / text.offsetWidth;
  })()`);
  t.ok((size as number) >= 10.7, `texts begin with ${size} px`);
  await page.getByLabel('Find a card by its texts').fill('which size');
  await page.getByText('10 cards', { exact: true }).waitFor();
  for (const _ of '12') await page.keyboard.press('Enter');
  t.match(await page.locator('.node[aria-pressed=true]').innerText(), /^Size2/);
  await page.keyboard.press('Shift+Enter');
  await page.locator('.node[aria-pressed=true]', { hasText: 'Size1' }).waitFor();
  // The map moves the view.
  const map = (await page.locator('.graph-map').boundingBox())!;
  await page.mouse.click(map.x + map.width / 2, map.y + map.height - 4);
  t.ok(await page.evaluate(`document.querySelector('.graph-view').scrollTop > 5_000`));
  await page.getByRole('button', { name: 'Sections' }).click();
  await page.getByRole('menuitem', { name: 'Collapse all' }).click();
  await node(page, /^Department 1, 10 cards, a collapsed section/).waitFor();
  t.equal(await page.locator('.node').count(), 10);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  t.equal(await overflowOf(page), 0, 'the graph at 390 px');
  await page.setViewportSize({ width: 844, height: 390 });
  t.ok(await page.evaluate(VISIBLE_CARD), 'a card is visible after a rotation');
  await page.setViewportSize({ width: 1280, height: 800 });
  await node(page, /^Department 3/).click();
  await node(page, /^Menu3/).waitFor();
  t.equal(await page.locator('.node').count(), 19);
  await page.getByLabel('As a list').check();
  await page.locator('.graph-list').getByText('Department 1', { exact: true }).waitFor();

  await page.getByRole('tab', { name: 'Overview' }).click();
  await publication.getByRole('button', { name: 'Go back to revision 1…' }).click();
  await page.getByRole('button', { name: 'Publish revision 1 again' }).click();
  await publication.getByText('Revision 3').waitFor();
  t.equal((await admin('GET', `/journeys/${uuid}?revision=production`)).notebook, notebookOf(100));
  t.strictSame(failures, []);
});

const PAGE_BUDGET = 30_000;
const VISIBLE_CARD = `(() => {
  const view = document.querySelector('.graph-view').getBoundingClientRect();
  return [...document.querySelectorAll('.node')].some((node) => {
    const box = node.getBoundingClientRect();
    return box.bottom > view.top && box.top < view.bottom && box.right > view.left && box.left < view.right;
  });
})()`;

t.test('a definition in JSON, 300 cards and hostile names are drawn, and no markup runs', { skip: onlyLong || skip }, async (t) => {
  const { open, admin, number } = await start(t);
  const hostile = '00000000-0000-4000-8000-000000000002';
  const names = ['script', 'image', 'bidi', 'zalgo', 'word', 'family'].map((key) => hostileTexts[key]!);
  const blocks = names.map((card, i) => ({
    ...{ name: `b${i}`, type: 'MobilePrimitives.Message', config: { prompt: 'say' } },
    vendor_metadata: { svc: { card } },
  }));
  const definition = containerOf({ texts: { say: names[0]! }, blocks });
  await admin('PUT', `/journeys/${hostile}`, {
    number,
    name: names[1]!.slice(0, 256),
    definition,
    triggers: [{ on: 'catch_all', words: names }],
  });
  const { page, failures } = await open(t, `journeys/${hostile}?tab=graph`, { width: 1280 });
  await page.locator('.node').nth(5).waitFor();
  await page.locator('.node').nth(1).click();
  await checkWidth(t, page, 'the graph of hostile names');
  await page.getByLabel('As a list').check();
  await checkWidth(t, page, 'the list of hostile names');
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.locator('.cm-content').waitFor();
  await checkWidth(t, page, 'the text of a definition');

  // Completed from top to bottom, so that what is completed is never JSON.
  const [start1 = '', start2 = '', rest = ''] = JSON.stringify(
    containerOf({
      blocks: [
        { name: 'people', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'say' } },
        { name: 'said', type: 'Core.Log', config: { message: '‸' }, exits: [{ to: '‸' }] },
      ],
      texts: { say: 'How many?' },
      languages: ['eng'],
    }),
    null,
    2,
  ).split('‸');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(`${start1}For `);
  await complete(page, '@peo', /^people\s*value of the block/);
  await page.keyboard.insertText(' people, ');
  await complete(page, '@contact.', /^name\s*field of the contact/, 'na');
  await page.keyboard.insertText(start2);
  await complete(page, 'pe', /^people\s*MobilePrimitives.OpenResponse/);
  await page.keyboard.insertText(rest.slice(1));
  await page.keyboard.press('Control+s');
  await page.getByRole('tab', { name: 'Text', exact: true }).waitFor();
  const [, said] = (await admin('GET', `/journeys/${hostile}`)).definition.flows[0].blocks;
  t.match(said, { config: { message: 'For @people people, @contact.name' }, exits: [{ destination_block: 'people' }] });
  await admin('PUT', `/journeys/${hostile}`, { definition, triggers: [{ on: 'catch_all', words: names }] });
  await page.getByRole('tab', { name: 'Triggers' }).click();
  await page.locator('.triggers').waitFor();
  await checkWidth(t, page, 'the triggers of a hostile journey');

  const large = '00000000-0000-4000-8000-000000000003';
  const cards = Array.from(
    { length: 300 },
    (_, i) => `card C${i}, then: C${(i + 1) % 300} do\n  buttons(C${(i * 7 + 3) % 300}: "A", C0: "B") do\n    text("${i}?")\n  end\nend\n`,
  );
  await admin('PUT', `/journeys/${large}/notebook?number=${number}`, { notebook: cards.join('\n') });
  await page.evaluate(
    `(() => { history.pushState(null, '', '/console/journeys/${large}?tab=graph&card=C299'); dispatchEvent(new PopStateEvent('popstate')); })()`,
  );
  await page.locator('.node').nth(299).waitFor({ state: 'attached' });
  const shown = page.locator('.node[aria-pressed=true]');
  t.match(await shown.innerText(), /^C299\n/);
  t.equal(
    await page.evaluate(`(() => {
      const element = document.querySelector('.node[aria-pressed=true]');
      const box = element.getBoundingClientRect();
      return document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2).includes(element);
    })()`),
    true,
    'the selected card is scrolled into view',
  );
  await page.getByRole('button', { name: 'Fit' }).click();
  t.equal(await page.evaluate('globalThis.__pwned'), undefined);
  await page.goto(page.url().replace(large, '00000000-0000-4000-8000-00000000000f'));
  await page.getByText('There is no such journey').waitFor();
  t.strictSame(
    failures.filter((line) => !/404/.test(line)),
    [],
  );
});

import { readFileSync } from 'node:fs';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { loadedBytes } from './console.js';

import { checkLook, checkWidth, complete, KB, MENU, node, start, TESTS } from './journey-pages.js';

const skip = withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

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
      .getByText(/✓\s*published, and the draft is the same$/)
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
    await page.getByRole('button', { name: 'Drop them' }).click();
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

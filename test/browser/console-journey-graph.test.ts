import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { notebookOf } from '../plugins/journeys/drawn-notebooks.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { loadedBytes, overflowOf, scriptsLoaded, startConsole } from './console.js';
import { until } from './console-receivers.js';
import { hostileTexts } from './hostile.js';
import { type Body, checkLook, checkWidth, complete, KB, node, seed, start } from './journey-pages.js';

const skip = withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

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
  await answers.getByText('1 gave no answer (33 %)').waitFor();
  t.match(await answers.innerText(), /Opening hours\s+1/);
  await checkLook(t, page, 'the overview');
  await scriptsLoaded(page);
  const before = await loadedBytes(page);
  t.ok(before <= 90 * KB + PAGE_BUDGET, `the page loads ${before} bytes without the canvas`);

  await page.getByRole('tab', { name: 'Graph' }).click();
  await node(page, /^Menu1, image Welcome/).waitFor();
  await page.getByLabel('Show on the graph').selectOption('day');
  await node(page, /^Menu1, .*1 gave no answer \(33 %\)/).waitFor();
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
  // The map moves the view; a narrower graph has none.
  await page.setViewportSize({ width: 1440, height: 800 });
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
  await publication.getByText('1 card differs from revision 2').waitFor();
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

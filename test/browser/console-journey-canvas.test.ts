import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf } from './console.js';
import { until } from './console-receivers.js';
import { MENU, node, start } from './journey-pages.js';

const skip = withoutBrowser;
t.setTimeout(patient(60_000));
t.teardown(close);

/** With comments, prose and a layout that an edit must keep. */
const TEXT = MENU.replace('card Menu', '# The entry: do not rename\ncard Menu').replace('text("From', '# hours of 2026\n  text("From');

/** The text of the editor, line by line, as it is visible. */
const shown = (page: Page): Promise<string> => page.locator('.cm-content').innerText();
const field = (page: Page, name: string) => page.locator('.card-editor').getByLabel(name);
const menu = (page: Page, name: string | RegExp) => page.locator('.card-editor').getByRole('button', { name });
const choose = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true }).click();

t.test('I edit cards on the graph, the text keeps its comments, and both sides undo the same steps', { skip }, async (t) => {
  const { admin, open, uuid } = await start(t);
  await admin('PUT', `/journeys/${uuid}/notebook`, { notebook: TEXT });
  const { page, failures } = await open(t, `journeys/${uuid}?tab=graph`, { width: 1280 });

  // A text.
  await node(page, /^Hours,/).click();
  await field(page, 'Text').fill('From 9 to 5.\nClosed on Sundays.');
  await page.keyboard.press('Control+Enter');
  await node(page, /^Hours, From 9 to 5. Closed on Sundays./).waitFor();
  t.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA', 'the focus stays in the field');

  // A key or a double click leads from the card to its text.
  await node(page, /^Table,/).press('F2');
  await until(async () => ((await page.evaluate('document.activeElement.value')) === 'How many?' ? true : undefined));
  await page.keyboard.insertText('How many of you?');
  await page.keyboard.press('Control+Enter');
  await node(page, /^Table, How many of you\?/).waitFor();

  // A button that leads to a new card.
  await node(page, /^Menu,/).click();
  await field(page, 'New button').fill('Where are you?');
  await menu(page, 'Add button…').press('Enter');
  await choose(page, 'A new card…');
  const form = page.getByRole('form', { name: 'New card' });
  t.equal(await form.getByLabel('Name').inputValue(), 'WhereAreYou');
  await form.getByLabel('Name').fill('Address');
  await form.getByLabel('Its text').fill('Mill Lane 4.');
  await form.getByRole('button', { name: 'Add the card' }).click();
  await node(page, /^Address, Mill Lane 4./).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);

  // A line from a button to another card, with the pointer; and back with the menu.
  await field(page, 'Button 1').waitFor();
  const pill = (await node(page, /^Menu,/)
    .locator('.node-pill')
    .first()
    .boundingBox())!;
  const target = (await node(page, /^Table,/).boundingBox())!;
  await page.mouse.move(pill.x + pill.width / 2, pill.y + pill.height / 2);
  await page.mouse.down();
  await page.mouse.move(target.x + 20, target.y + 10, { steps: 4 });
  await page.locator('.drawn-line').waitFor();
  await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 2 });
  await page.mouse.up();
  await menu(page, '→ Table, the button Hours').press('Enter');
  await choose(page, 'Hours');
  await menu(page, '→ Hours, the button Hours').waitFor();

  // An edit that the text cannot express is refused in words.
  await field(page, 'New button').fill('Fourth');
  await menu(page, 'Add button…').click();
  await choose(page, 'Hours');
  await page.getByRole('alert').getByText('A message has at most 3 buttons. In the text, list(…) offers up to 10 rows.').waitFor();

  // The editor has the same text, with its comments, and undoes the same steps.
  await page.getByRole('tab', { name: 'Text •' }).click();
  await page.locator('.cm-content').waitFor();
  await until(async () => (/Mill Lane 4/.test(await shown(page)) ? true : undefined));
  const text = await shown(page);
  for (const part of ['# The entry: do not rename', '# hours of 2026', 'Closed on Sundays.', 'Address: "Where are you?"'])
    t.match(text, part);
  await page.locator('.journey-card summary').click();
  await field(page, 'Text').fill('Yes?');
  await page.keyboard.press('Control+Enter');
  await until(async () => (/text\("Yes\?"\)/.test(await shown(page)) ? true : undefined));
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+z');
  await until(async () => (/What would you like/.test(await shown(page)) ? true : undefined));
  // Two connections, then the new button with its card.
  for (const _ of '123') await page.keyboard.press('Control+z');
  await until(async () => (/Mill Lane 4/.test(await shown(page)) ? undefined : true));
  t.match(await shown(page), /Closed on Sundays/);
  await page.getByRole('tab', { name: 'Graph' }).click();
  await node(page, /^Menu,/).click();
  await menu(page, 'Redo').click();
  await node(page, /^Address, Mill Lane 4./).waitFor();
  await node(page, /^Table,/).press('Control+z');
  await node(page, /^Address/).waitFor({ state: 'detached' });

  // A card is renamed with everything that leads to it.
  await node(page, /^Table,/).click();
  await field(page, 'Name of the card').fill('Party');
  await page.keyboard.press('Enter');
  await node(page, /^Party,/).waitFor();
  t.equal(await page.evaluate('document.activeElement.value'), 'Party', 'the focus stays in its field');
  await node(page, /^Menu,/).click();
  await menu(page, '→ Party, the button Table').waitFor();
  await node(page, /^Menu,/).press('Control+z');
  await node(page, /^Table,/).waitFor();

  // Deleting a card asks once, and says what changes with it.
  await node(page, /^Hours,/).click();
  await menu(page, 'Delete card…').click();
  await page.getByText('Line 8, card Menu: the button “Hours” is deleted.').waitFor();
  await page.getByRole('button', { name: 'Delete the card' }).click();
  await node(page, /^Hours,/).waitFor({ state: 'detached' });
  await node(page, /^Table,/).press('Control+z');
  await node(page, /^Hours,/).waitFor();
  await page.keyboard.press('Control+s');
  const saved = TEXT.replace('From 9 to 5.', 'From 9 to 5.\nClosed on Sundays.').replace('How many?', 'How many of you?');
  await until(async () => ((await admin('GET', `/journeys/${uuid}`)).notebook === saved ? true : undefined));

  await page.setViewportSize({ width: 390, height: 844 });
  await node(page, /^Table,/).click();
  await field(page, 'Question').fill('How many people?');
  await menu(page, '→ Menu').click();
  await choose(page, 'The journey ends');
  await menu(page, 'The journey ends').waitFor();
  t.equal(await overflowOf(page), 0, 'at 390 px');
  t.strictSame(failures, []);
});

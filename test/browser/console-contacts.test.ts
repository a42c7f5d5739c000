import { readFileSync } from 'node:fs';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf } from './console.js';
import { startInbox } from './inboxes.js';

t.setTimeout(patient(120_000));
t.teardown(close);

t.test('contacts are found, shown, changed, blocked, merged, split and erased', { skip: withoutBrowser }, async (t) => {
  const box = await startInbox(t);
  const { page, failures } = await box.open(t, 'contacts', { width: 1280 });
  const rows = page.getByRole('listbox').getByRole('option');
  const sizeIs = (count: number) => page.locator(`[role="option"][aria-setsize="${count}"]`).first().waitFor();
  await page.getByText('No contact yet').waitFor();
  t.equal(await page.getByRole('link', { name: 'Write from a phone in the Inbox' }).getAttribute('href'), '/console/inbox');

  const conversation = await box.write('My order has not arrived', '+27820001001', 'Ann');
  await box.write('hi', '+27820001002', 'Bob');
  await box.writeToChannel('good morning', '+27820001001', 'Ann on the web');
  await sizeIs(3);
  t.match(await rows.last().textContent(), /Ann.*27820001001.*My order has not arrived.*Library/);
  t.strictSame(await violationsInBothThemes(page), []);

  await page.getByLabel('Name or id').fill('+27 82 000 1001');
  await sizeIs(2);
  await page.getByLabel('Number', { exact: true }).selectOption(box.network.uuid);
  await sizeIs(1);
  t.equal(new URL(page.url()).search, `?text=%2B27+82+000+1001&number=${box.network.uuid}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const csv = readFileSync((await (await download).path())!, 'utf8');
  t.match(csv, /name,ids,number,.*\r\nAnn,\+?27820001001,'\+27600000001,Library,network,/);

  await page.getByRole('listbox').focus();
  await page.keyboard.press('j');
  const detail = page.getByRole('article', { name: 'Contact' });
  await detail.getByRole('heading', { name: 'Ann' }).waitFor();
  await page.keyboard.press('Enter');
  t.ok(await page.evaluate("document.activeElement.matches('[data-detail]')"));
  await detail.getByRole('link', { name: 'Library on the web' }).waitFor();
  await detail.getByText('My order has not arrived').waitFor();
  t.equal(await detail.getByRole('link', { name: 'Open in the Inbox' }).getAttribute('href'), `/console/inbox/${conversation}`);
  t.strictSame(await violationsInBothThemes(page), []);

  await detail.getByRole('button', { name: 'Set a field…' }).click();
  await page.getByLabel('Field', { exact: true }).fill('points');
  await page.getByLabel('Value').fill('5');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await detail.locator('dt:text-is("points") + dd').waitFor();
  await detail.getByRole('button', { name: 'Block…' }).click();
  await page.getByLabel('Reason').fill('asked to be left alone');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await detail.getByText(/blocked by an operator/).waitFor();
  await page.getByLabel('Blocks').selectOption('operator');
  await sizeIs(1);
  await detail.getByRole('button', { name: 'Unblock', exact: true }).click();
  await detail.getByText('not blocked').waitFor();
  await page.getByText('No contact matches the filters').waitFor();

  await detail.getByRole('button', { name: 'Merge…' }).click();
  await page.getByRole('searchbox', { name: 'Name or id' }).last().fill('bob');
  await page.getByRole('radio', { name: /Bob/ }).check();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await detail.getByRole('heading', { name: 'Merged contacts' }).waitFor();
  await detail.getByRole('button', { name: 'Split', exact: true }).click();
  await detail.getByRole('heading', { name: 'Merged contacts' }).waitFor({ state: 'detached' });

  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    t.equal(await overflowOf(page), 0, `${width} px`);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('bob');
  await page.getByRole('option', { name: /^Conversation with Bob/ }).waitFor();
  await page.getByRole('option', { name: /^Bob/ }).click();
  await page.waitForURL(/\/contacts\/[\da-f-]+$/);
  await detail.getByRole('heading', { name: 'Bob' }).waitFor();
  await detail.getByRole('button', { name: 'Erase', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true }).click();
  await page.waitForURL(/\/contacts$/);
  await sizeIs(2);

  await page.goto(`${box.sandbox.console!.url}inbox/${conversation}?part=desk`);
  await page.getByRole('region', { name: 'Desk' }).getByRole('link', { name: 'Ann' }).click();
  await page.waitForURL(/\/contacts\//);
  await fetch(`${box.sandbox.api}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${box.sandbox.numbers[0]!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+27820001001', type: 'text', text: {} }),
  });
  await page.goto(`${box.sandbox.console!.url}calls?text=27820001001`);
  await rows.first().click();
  await page.getByRole('article').getByRole('link', { name: '+27820001001' }).click();
  await detail.waitFor({ state: 'detached' });
  await sizeIs(1);
  t.strictSame(failures, []);
});

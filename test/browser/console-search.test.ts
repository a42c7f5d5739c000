import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf, startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

t.test('the palette finds records as one types, and Enter opens the record of an id', { skip }, async (t) => {
  const { open, admin } = await startConsole(t, { seed: 'demo' });
  const { numbers } = await admin('GET', '/numbers');
  const { uuid } = numbers.find(({ kind }: { kind: string }) => kind === 'network');
  for (const [from, body] of [
    ['+27820001001', 'My order 4711 has not arrived'],
    ['+27820001002', 'Où est ma crème brûlée?'],
  ])
    await admin('POST', `/network/numbers/${uuid}/messages`, { from, name: 'Ann', type: 'text', text: { body } });
  const { page, failures } = await open(t, '', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox');
  await field.fill('arrived ORDER');
  const message = page.getByRole('group', { name: 'Messages' }).getByRole('option', { name: /order 4711/ });
  await message.waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.setViewportSize({ width: 390, height: 800 });
  t.equal(await overflowOf(page), 0);
  await field.fill('');
  await page.getByRole('option', { name: 'Overview Page' }).waitFor();
  const { results } = await admin('GET', '/search?q=brulee&kinds=message');
  await field.fill(results[0].id);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console/inbox/${results[0].on.id}`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.strictSame(failures, []);
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { owlPost } from '../core/messaging/owl-post.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf, startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

t.test('the first number is created, gets a token that is shown once and works, and is revoked after a question', { skip }, async (t) => {
  const { open, admin, sandbox } = await startConsole(t);
  const { page, failures } = await open(t, 'numbers', { width: 1280 });
  await page.getByRole('heading', { name: 'No numbers yet' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('radio', { name: /Sandbox number/ }).check();
  await page.getByRole('textbox', { name: 'Address' }).fill('+27600000007');
  await page.getByRole('textbox', { name: 'Name' }).fill('Trial');
  await page.getByRole('button', { name: 'Create number' }).click();
  await page.getByRole('heading', { level: 2, name: 'Trial' }).waitFor();
  await page.getByText('Its clients need a token').waitFor();
  const [number] = (await admin('GET', '/numbers')).numbers;
  t.match(number, { kind: 'sandbox', address: '27600000007', name: 'Trial' });
  t.match(page.url(), new RegExp(`/numbers/${number.uuid}$`));

  await page.getByRole('textbox', { name: 'Label' }).fill('CI');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('Copy the token now.').waitFor();
  const token = (await page.locator('.secret').textContent())!;
  const row = page.getByRole('row', { name: new RegExp(`CI …${token.slice(-4)} not since the start`) });
  await row.waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByText('Try it').click();
  t.match(await page.locator('.snippet code').textContent(), `Authorization: Bearer ${token}`);
  const called = await fetch(`${sandbox.api}/v1/messages`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  t.equal(called.status, 400, 'the token is accepted');
  await page.getByRole('row', { name: new RegExp(`CI …${token.slice(-4)} \\d\\d:\\d\\d:\\d\\d`) }).waitFor();

  await page.getByRole('button', { name: 'Revoke CI' }).click();
  await page.getByRole('dialog', { name: 'Revoke “CI”?' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Copy as code' }).waitFor();
  await page.getByRole('button', { name: 'Keep it' }).click();
  t.equal((await admin('GET', `/numbers/${number.uuid}/tokens`)).tokens.length, 1);
  await page.getByRole('button', { name: 'Revoke CI' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await page.getByText('This number has no token').waitFor();
  t.equal((await fetch(`${sandbox.api}/v1/messages`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status, 401);
  t.notOk((await page.content()).includes(token));
  t.strictSame(failures, []);
});

t.test('features are switched on and off, as the server confirms them', { skip: onlyLong || skip }, async (t) => {
  const { open, admin } = await startConsole(t);
  const { number } = await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'Clinic' });
  const policy = async () => (await admin('GET', `/network/numbers/${number.uuid}/policy`)).policy;
  const { page, failures } = await open(t, `numbers/${number.uuid}`, { width: 430 });
  await page.getByRole('switch', { name: 'Reactions' }).click();
  await page.getByRole('switch', { name: 'Reactions', checked: true }).waitFor();
  t.equal((await admin('GET', `/numbers/${number.uuid}`)).number.reactions, true);
  await page.getByRole('switch', { name: 'Automatic statuses' }).click();
  await page.getByText('You report the statuses').waitFor();
  await page.getByRole('switch', { name: 'Read receipts' }).click();
  await page.getByRole('switch', { name: 'Read receipts', checked: true }).waitFor();
  t.match(await policy(), { mode: 'manual', read_after_ms: 1_000 });
  await page.getByText('Delays of the statuses').click();
  await page.getByLabel('Sent after, in ms').fill('1.5');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.waitForTimeout(200);
  t.equal((await policy()).sent_after_ms, 50, 'the browser refuses a fraction');
  await page.getByLabel('Sent after, in ms').fill('1500');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.waitForFunction("document.querySelector('input[type=number]')?.value === '1500'");
  await page.getByRole('button', { name: 'Reset the network policy' }).click();
  await page.getByRole('button', { name: 'Reset the policy' }).click();
  await page.getByRole('switch', { name: 'Automatic statuses', checked: true }).waitFor();
  t.match(await policy(), { mode: 'automatic', sent_after_ms: 50, read_after_ms: null });
  t.equal(await overflowOf(page), 0);
  t.strictSame(await violationsInBothThemes(page), []);
  t.strictSame(failures, []);
});

t.test(
  'a number shows what its kind may call; the list is filtered, and a keyboard walks through it',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, admin } = await startConsole(t, { seed: 'demo' });
    const { page, failures } = await open(t, 'numbers', { width: 1280 });
    await page.getByText('Select a number').waitFor();
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 2, name: 'Riverside Library', exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 2, name: 'Riverside Library on the web' }).waitFor();
    await page.getByText('Calls are not limited').waitFor();
    await page.getByText(/Tokens of a channel may make/).click();
    const row = page.getByRole('row', { name: /POST \/v1\/numbers\/\{number_uuid\}\/messages/ });
    t.match(await row.textContent(), /no.*no.*yes/);
    const { calls } = await admin('GET', '/permissions');
    t.equal(await page.locator('.matrix tbody tr').count(), calls.length);
    t.strictSame(await violationsInBothThemes(page), []);
    await page.keyboard.press('Escape');
    await page.getByText('Select a number').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('web:');
    t.equal(await page.getByRole('option').count(), 1);
    t.match(page.url(), /\?text=web%3A$/);
    await page.keyboard.type('nothing');
    await page.getByRole('button', { name: 'Show all numbers' }).click();
    t.equal(await page.getByRole('option').count(), 3);
    await page.goto(page.url().replace(/\/numbers.*/, '/numbers/00000000-0000-4000-8000-000000000000'));
    await page.getByText('There is no such number').waitFor();
    t.strictSame(failures, []);
  },
);

t.test('a narrow page shows the list or the number, without anything wider than the page', { skip: onlyLong || skip }, async (t) => {
  const { open } = await startConsole(t, { seed: 'demo' });
  const { page } = await open(t, 'numbers', { width: 430 });
  await page.getByRole('option', { name: /web:library/ }).click();
  await page.getByRole('heading', { level: 2, name: 'Riverside Library on the web' }).waitFor();
  await page.getByText(/Tokens of a channel may make/).click();
  t.equal(await overflowOf(page), 0);
  await page.locator('.detail').getByRole('link', { name: 'Numbers' }).click();
  await page.getByRole('option').first().waitFor();
  t.equal(await overflowOf(page), 0);
  t.strictSame(await violationsInBothThemes(page), []);
});

t.test('the connection of a number says why it is stopped, and is checked and resumed', { skip }, async (t) => {
  const owlery = createServer((_, response) => response.end(JSON.stringify({ id: 'owl-1', name: 'Hedwig' })));
  owlery.listen(0, '127.0.0.1');
  await once(owlery, 'listening');
  t.teardown(() => owlery.close());
  const url = `http://127.0.0.1:${(owlery.address() as AddressInfo).port}`;
  const secrets = { accessToken: 'access-token-of-cloud', appSecret: 'app-secret-of-cloud', verifyToken: 'verify-me' };
  const cloudApi = { graphUrl: url, numbers: [{ address: '+27600000009', phoneNumberId: '111', wabaId: '222', ...secrets }] };
  const { open, admin, sandbox } = await startConsole(t, { plugins: [owlPost({ url })], cloudApi });
  const { connection } = await admin('POST', '/connections', { type: 'owl', settings: { token: 'token-of-hedwig' } });
  const { uuid } = connection.number;
  const { platform } = sandbox;
  const stop = () => platform.store.transaction((tx) => platform.connections.stop(tx, uuid, { code: 401, title: 'The owl was dismissed' }));
  await stop();
  const { page, failures } = await open(t, `numbers/${uuid}`, { width: 390 });
  await page.getByText(/The service refuses the number: The owl was dismissed \(error 401\)/).waitFor();
  await page.getByRole('button', { name: 'Resume without a check' }).waitFor();
  t.equal(await overflowOf(page), 0);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Check the connection' }).click();
  await page.getByText('✓ connected').waitFor();
  await page.getByText('· no attempt yet').waitFor();
  await page.goto(page.url().replace(/\/numbers.*/, '/numbers'));
  await page.getByRole('option', { name: /Hedwig Owl/ }).waitFor();
  t.notOk((await page.content()).includes('token-of-hedwig'));

  // A number on the Cloud API.
  const cloud = (await admin('GET', '/numbers')).numbers.find(({ type }: { type: string }) => type === 'cloud_api');
  const stopped = { at: new Date().toISOString(), code: 131042, title: 'Payment problem' };
  await page.route('**/cloud-api/numbers', (route) => route.fulfill({ json: { connections: [{ number: cloud.uuid, stopped }] } }));
  await page.goto(`${sandbox.console!.url}numbers/${cloud.uuid}`);
  await page.getByText(/The network refuses the messages of the number: Payment problem \(error 131042\)/).waitFor();
  await page.getByText('number of the network on the WhatsApp Business Cloud API').waitFor();
  t.equal(await overflowOf(page), 0);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.unroute('**/cloud-api/numbers');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Payment problem').waitFor({ state: 'detached' });
  t.strictSame(failures, []);
});

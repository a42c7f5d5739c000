import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { type ConsoleUnderTest, startConsole } from './console.js';
import { copying } from './inboxes.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

const seed = { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/connector' }] };

/** Posts to the API with the token of the channel, or another. @returns the id of the call */
async function post(
  { sandbox }: ConsoleUnderTest,
  path: string,
  body: string | Uint8Array,
  token = sandbox.numbers[0]!.token,
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${sandbox.api}${path}`, { method: 'POST', headers, body });
  await response.text();
  return response.headers.get('x-request-id')!;
}

export async function fits(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) as boolean;
}

t.test('a rejected call shows me what was wrong', { skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const { page, failures } = await console.open(t, 'calls', { width: 1280 });
  await page.getByText('No call has arrived').waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'empty');

  await post(console, '/v1/messages', JSON.stringify({ to: '+27820001001', type: 'text', text: { body: 5 } }));
  await page.getByRole('option', { name: /400.*POST \/v1\/messages/ }).click();
  const detail = page.getByRole('article', { name: 'Call' });
  await detail.getByText('1 mistake in the body').waitFor();
  t.equal(await detail.locator('mark').textContent(), '"body": 5', 'the place in the body is marked');
  t.match(await detail.locator('.mark-note').textContent(), /text\.body must be a string/);
  await detail.getByRole('link', { name: 'line 5, column 5' }).click();
  await detail.getByText('Request headers').click();
  t.match(await detail.getByRole('row', { name: /authorization/ }).textContent(), /…/, 'the token is masked');
  t.notMatch(await page.content(), console.sandbox.numbers[0]!.token);
  t.strictSame(await violationsInBothThemes(page), [], 'a refused call');

  await page.evaluate(
    "globalThis.copied = ''; Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied = text; } } })",
  );
  await detail.getByRole('button', { name: 'Repeat as' }).click();
  await page.getByRole('menuitem', { name: 'curl' }).click();
  t.equal(
    await page.evaluate('copied'),
    [
      `curl '${console.sandbox.api}/v1/messages'`,
      '-H "Authorization: Bearer $POSTHORN_TOKEN"',
      '-X POST',
      "-H 'Content-Type: application/json'",
      `--data-binary '{"to":"+27820001001","type":"text","text":{"body":5}}'`,
    ].join(' \\\n  '),
  );
  await detail.getByRole('button', { name: 'Repeat as' }).click();
  const repeated = await copying(t, page, console).runs();
  t.equal(
    repeated.command,
    `printf %s '{"to":"+27820001001","type":"text","text":{"body":5}}' | npx posthorn api POST /v1/messages --body - --number ${console.sandbox.numbers[0]!.uuid}`,
  );
  t.equal(repeated.code, 1);
  t.match(repeated.out, 'the sandbox responded 400 to POST /v1/messages: text.body must be a string', 'the same refusal');
  await detail.getByRole('link', { name: 'Why?' }).click();
  await page.getByText('The first step that did not happen').waitFor();
  t.match(await page.locator('.callout').textContent(), /refused POST \/v1\/messages with 400/);
  t.strictSame(failures, []);
});

t.test('faults of the JSON itself are marked by line and column', { skip: onlyLong || skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const syntax = await post(console, '/v1/messages', '{"to": "+27820001001",\n "type": text}');
  const cut = await post(console, '/v1/messages', '{"to": "+27820001001"');
  const bytes = await post(console, '/v1/messages', Buffer.concat([Buffer.from('{"to": "'), Buffer.from([0xff]), Buffer.from('"}')]));
  const long = await post(console, '/v1/messages', JSON.stringify({ to: 'x'.repeat(70_000) }));
  const { page, failures } = await console.open(t, `calls/${syntax}`, { width: 430 });
  await page.getByText('line 2, column 10').waitFor();
  await page.getByRole('button', { name: 'Repeat as' }).waitFor();
  t.equal(await page.locator('mark').textContent(), 'text');
  t.strictSame(await violationsInBothThemes(page), []);
  t.ok(await fits(page), 'at 430 px');
  await page.getByRole('button', { name: 'Calls' }).last().click();
  await page.goto(`${console.sandbox.console!.url}calls/${cut}`);
  await page.getByText('at the end of the body').first().waitFor();
  await page.goto(`${console.sandbox.console!.url}calls/${bytes}`);
  await page.getByText('These bytes are not UTF-8').first().waitFor();
  await page.goto(`${console.sandbox.console!.url}calls/${long}`);
  await page.getByText('of which the first 64 KiB were recorded').waitFor();
  t.equal(await page.getByRole('button', { name: 'Repeat as' }).count(), 0, 'only a part of its body is known');
  await page.goto(`${console.sandbox.console!.url}calls/unknown`);
  await page.getByText('This call is no longer recorded').waitFor();
  t.strictSame(
    failures.filter((failure) => !failure.includes('404')),
    [],
  );
});

t.test('filters are in the address, and keys go through the list', { skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const refused = await post(console, '/v1/messages', '{}', 'wrong');
  await fetch(`${console.sandbox.api}/v1/flows`, { headers: { authorization: `Bearer ${console.sandbox.numbers[0]!.token}` } });
  await post(console, '/v1/nothing', '{}');
  const { page } = await console.open(t, 'calls', { width: 1280 });
  await page.getByText('3 calls').waitFor();
  await page.getByLabel('Refused only').check();
  await page.getByLabel('Number of the token').selectOption('none');
  await page.getByLabel('Method or path contains').fill('post /v1/mess');
  await page.getByText('1 call', { exact: true }).waitFor();
  t.equal(new URL(page.url()).search, '?refused=true&number=none&path=post+%2Fv1%2Fmess');
  await page.reload();
  await page.getByText('1 call', { exact: true }).waitFor();
  await page.getByRole('listbox').focus();
  await page.keyboard.press('j');
  await page.getByRole('article', { name: 'Call' }).getByText('wrong', { exact: false }).or(page.getByText(refused)).first().waitFor();
  t.match(page.url(), `/calls/${refused}?`);
  await page.keyboard.press('Escape');
  await page.getByText('No call is selected').waitFor();
  await page.getByLabel('Method or path contains').fill('no such path');
  await page.getByText('No call matches the filters').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Show every call' }).click();
  await page.getByText('3 calls').waitFor();
});

t.test(
  'a failed read is shown with a button that repeats it, and a platform that records no calls says how to',
  { skip: onlyLong || skip },
  async (t) => {
    const console = await startConsole(t, { seed });
    const id = await post(console, '/v1/messages', '{}');
    const { page } = await console.open(t, 'signature', { width: 430 });
    const respond = (status: number, title: string) =>
      page.route(/\/admin\/v1\/(calls|advice|why)/, (route) =>
        route.fulfill({
          status,
          contentType: 'application/json',
          body: JSON.stringify({ errors: [{ code: status, title, details: title }] }),
        }),
      );
    await respond(503, 'The platform is busy');
    for (const path of ['calls', `calls/${id}`, 'advice', 'why?message=any']) {
      await page.goto(`${console.sandbox.console!.url}${path}`);
      await page.getByRole('alert').filter({ visible: true }).getByText('The platform is busy').waitFor();
      t.strictSame(await violationsInBothThemes(page), [], path);
    }
    await page.goto(`${console.sandbox.console!.url}calls/${id}`);
    await page.getByRole('alert').filter({ visible: true }).waitFor();
    await page.unroute(/\/admin\/v1\/(calls|advice|why)/);
    await page.getByRole('button', { name: 'Try again' }).filter({ visible: true }).click();
    await page.getByText('1 mistake in the body').waitFor();
    await respond(409, 'Calls are not recorded');
    await page.goto(`${console.sandbox.console!.url}calls`);
    await page.getByText('This platform records no calls').waitFor();
    t.strictSame(await violationsInBothThemes(page), [], 'calls are not recorded');
  },
);

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { checkLook, opened, startWithNumber } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const handshake = {
  version: '1.0.0-alpha',
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [
      { title: `Loans ${MARKUP}`, code: 'loans', type: 'table' },
      { title: 'Steps', code: 'steps', type: 'ordered-list' },
      { title: 'Chart', code: 'chart', type: 'chart' },
    ],
  },
};
const context = {
  context_objects: { loans: { 'Due *books*': `~3~ 2 ${MARKUP}`, Long: 'x'.repeat(20_000) }, steps: ['Call *today*'], other: 1 },
  actions: {
    extend: { description: `Extend ${MARKUP}`, url: 'actions/extend', payload: {}, options: { week: 'A week', month: 'A month' } },
    close: { description: 'Close the case', url: '/close', payload: {} },
  },
  suggested_responses: [{ type: 'TEXT', title: 'Sorry', body: `Sorry ${MARKUP}`, confidence: 0.9 }],
};

/** An integration that returns markup and long texts. */
async function startIntegration(t: Tap) {
  const clicks: { option?: string; integration_action_uuid: string }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const isClick = request.url !== '/context' && !request.url?.includes('handshake');
      const isHandshake = request.url?.includes('handshake=true');
      if (isClick) clicks.push(JSON.parse(text));
      response.writeHead(status, { 'content-type': 'application/json', ...(isClick && { 'X-Svc-Integration-Refresh': 'true' }) });
      response.end(JSON.stringify(isHandshake ? handshake : context));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${base}/context`,
    clicks,
    fail() {
      status = 500;
    },
  };
}

t.test('I create an integration, click its actions, and see every call', { skip }, async (t) => {
  const server = await startIntegration(t);
  const box = await startWithNumber(t);
  const { page, failures } = await opened(box, t, 'integrations');
  await page.getByText('No integrations yet').waitFor();
  await checkLook(t, page, 'no integrations');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Name').fill('Library desk');
  await page.getByLabel('URL').fill(server.url);
  await page.getByLabel('Authorization of the calls').selectOption('Bearer');
  await page.getByLabel('API token').fill('the-token-of-the-library');
  await page.getByRole('button', { name: 'Create integration' }).click();
  const secret = (await page.locator('.shown-once .secret').textContent())!;
  await page.locator('.detail-head').getByText('ready').waitFor();
  await page
    .getByRole('table', { name: /^Context objects/ })
    .getByText(`Loans ${MARKUP}`)
    .waitFor();
  await page.getByText('capabilities.context_objects[2] has an unknown type', { exact: false }).waitFor();
  await checkLook(t, page, 'the capabilities');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('tab', { name: 'As agents see it' }).click();
  await page.getByText('No contact has written to this number yet.').waitFor();
  await box.write('hello');
  const panel = page.getByRole('region', { name: 'Integrations', exact: true });
  await panel.getByRole('cell', { name: /^3 2 <img/ }).waitFor();
  await panel.getByText('parts of the response ignored').waitFor();
  await checkLook(t, page, 'the panel');
  await page.setViewportSize({ width: 1280, height: 800 });
  await panel.getByRole('button', { name: /^Extend </ }).click();
  await page.getByRole('menuitem', { name: 'A month' }).click();
  await panel.getByText('✓ A month').or(panel.locator('.status.ok')).first().waitFor();
  t.match(server.clicks, [{ option: 'month' }]);

  await page.getByRole('tab', { name: 'Calls' }).click();
  await page.getByRole('button', { name: /Click on extend, month.*200/ }).click();
  await page.getByRole('region', { name: 'One call' }).getByText('"option":"month"', { exact: false }).waitFor();
  await page.getByRole('button', { name: /Context: conversation opened/ }).click();
  await page.getByRole('region', { name: 'response' }).getByText(MARKUP, { exact: false }).first().waitFor();
  await page.getByText('7 headers').or(page.getByText('5 headers')).first().click();
  await page.getByText(/^Bearer …/).waitFor();
  await checkLook(t, page, 'the calls');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('tab', { name: 'Refreshes' }).click();
  const clicks = page.getByRole('table', { name: 'Clicks on actions in the last day' });
  await clicks.getByRole('row', { name: /extend, month.*accepted 200.*immediately, by header/ }).waitFor();
  const [integration] = (await box.admin('GET', '/integrations')).integrations;
  const finish = `${box.sandbox.api}/api/integrations/${integration.uuid}/notify/finish`;
  const payload = JSON.stringify({ integration_action_uuid: server.clicks[0]!.integration_action_uuid });
  await fetch(finish, { method: 'POST', headers: { 'content-type': 'application/json' }, body: payload });
  await clicks.getByText(/and by notify\/finish at/).waitFor();
  await page
    .getByRole('table', { name: /^Loads of the panel/ })
    .getByText('refresh asked for by notify/finish')
    .waitFor();
  await checkLook(t, page, 'the refreshes');
  await page.setViewportSize({ width: 1280, height: 800 });

  server.fail();
  await page.getByRole('button', { name: 'Repeat the handshake', exact: true }).click();
  await page.locator('.detail-head').getByText('handshake failed').waitFor();
  await page.getByRole('tab', { name: 'Capabilities' }).click();
  await page.getByText('it responded 500').waitFor();
  await checkLook(t, page, 'a failed handshake');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.locator('.detail-head').getByText('disabled').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Library desk' }).waitFor();
  const html = await page.content();
  t.notMatch(html, secret, 'the secret is not shown again');
  t.notMatch(html, 'the-token-of-the-library');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the integration' }).click();
  await page.getByText('No integrations yet').waitFor();
  t.strictSame(failures, []);
});

t.test('I paste an answer and see its problems named', { skip: onlyLong || skip }, async (t) => {
  const server = await startIntegration(t);
  const box = await startConsole(t, { seed: { numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }] } });
  const number = box.sandbox.numbers[0]!.uuid;
  const { integration } = await box.admin('POST', '/integrations', { number, name: 'Desk', url: server.url });
  const { page, failures, requests } = await opened(box, t, `integrations/${integration.uuid}?tab=try`);
  const answer = page.getByRole('textbox', { name: 'Answer' });
  const tryIt = () => page.getByRole('button', { name: 'Try it', exact: true }).click();
  await answer.waitFor();
  await tryIt();
  await page.getByText('No problems').first().waitFor();
  await answer.fill('{\n  "actions": {\n    "close" {}\n  }\n}');
  await tryIt();
  await page.getByText('It cannot be used').waitFor();
  await page.getByRole('button', { name: 'line 3, column 13' }).click();
  t.equal(await answer.evaluate((area) => (area as unknown as { selectionStart: number }).selectionStart), 29, 'selects the place');
  const wrong = {
    ...context,
    actions: { close: { description: 'Close' } },
    suggested_responses: [{ type: 'TEXT', body: MARKUP, confidence: 'high' }],
  };
  await answer.fill(JSON.stringify(wrong, null, 2));
  await tryIt();
  const problems = page.getByRole('list', { name: 'Problems' });
  for (const pointer of [
    '/context_objects/loans/Long',
    '/context_objects/loans/Due *books*',
    '/context_objects/other',
    '/actions/close',
    '/suggested_responses/0/confidence',
  ])
    await problems.getByText(pointer, { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Result' }).getByRole('button', { name: MARKUP, exact: false }).waitFor();
  await checkLook(t, page, 'the problems');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('An answer to').selectOption('handshake');
  await page.getByRole('button', { name: 'Take the last response' }).click();
  await tryIt();
  await page.getByText('/capabilities/context_objects/2', { exact: true }).waitFor();
  await page.getByText('It declares 2 context objects, actions, suggested replies.').waitFor();
  t.ok(requests.every((url) => new URL(url).hostname === '127.0.0.1'));
  t.strictSame(failures, []);
});

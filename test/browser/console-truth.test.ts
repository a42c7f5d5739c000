import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { eventLoad } from '../../scripts/bench/measuring/event-load.js';
import { close, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { checkLook, until } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

const WIDTHS = [390, 1280];
/** More than the platform retains. */
const EVENTS = 6_000;

t.test('calls and messages are listed from what is recorded, also when other events have filled the stream', { skip }, async (t) => {
  const seed = { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/connector' }] };
  const { sandbox, admin, open } = await startConsole(t, { seed, plugins: [eventLoad()] });
  const { uuid, token } = sandbox.numbers[0]!;
  const post = (id: string, body: unknown) =>
    fetch(`${sandbox.api}/v1/numbers/${uuid}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        contact: { id: '+27820001001', profile: { name: 'Ann' } },
        message: { type: 'text', from: '+27820001001', id, timestamp: '1767600000', text: { body } },
      }),
    });
  await post('in-1', 'where is my order');
  await post('in-2', 5);
  await admin('POST', '/load', { total: EVENTS, rate: 100_000 });
  const { page, failures } = await open(t, 'calls', { width: 1280 });
  await page.getByText('2 calls').waitFor();
  await page.getByRole('option', { name: /400.*POST/ }).waitFor();
  await checkLook(t, page, 'calls', WIDTHS);
  await post('in-3', 'and another one');
  await page.getByText('3 calls').waitFor();
  await page.getByLabel('Refused only').check();
  await page.getByText('1 call', { exact: true }).waitFor();

  await page.goto(`${sandbox.console!.url}why`);
  const recent = page.getByRole('region', { name: 'Recent messages' });
  await recent.getByRole('link', { name: /where is my order/ }).waitFor();
  await post('in-4', 'are you there');
  await recent.getByRole('link', { name: /are you there/ }).waitFor();
  t.equal(await recent.getByRole('link').count(), 3);
  await checkLook(t, page, 'why', WIDTHS);
  t.strictSame(failures, []);
});

/** How many pairs of labels below the line of the timeline overlap. */
const OVERLAPS = `(() => {
  const boxes = [...document.querySelectorAll('.timeline-drawing :is(.attempt text:not(.sign), .next text)')].map((one) => one.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
})()`;

/** A sandbox with a webhook at an address where nothing listens, after so many messages. */
async function startBroken(t: Parameters<typeof startConsole>[0], messages: number) {
  const address = '+27600000001';
  const box = await startConsole(t, {
    seed: {
      numbers: [{ kind: 'network', address, name: 'Library' }],
      webhooks: [{ number: address, url: 'http://127.0.0.1:9/hook', name: 'Orders', subscriptions: ['msgapp'] }],
    },
  });
  const number = box.sandbox.numbers[0]!.uuid;
  for (let n = 0; n < messages; n++)
    await box.admin('POST', `/network/numbers/${number}/messages`, { from: `2782000100${n}`, type: 'text', text: { body: `order ${n}` } });
  const endpoint = await until(async () => {
    const [one] = (await box.admin('GET', '/endpoints')).endpoints;
    return one?.last_15_min.failed === messages ? one : undefined;
  });
  return { ...box, number, endpoint };
}

t.test('a webhook that always fails is not green, and the page says why, and what happens next', { skip }, async (t) => {
  const { open, admin, endpoint, sandbox, number } = await startBroken(t, 4);
  await admin('PATCH', `/webhooks/${endpoint.endpoint}`, { retry_also: ['http_429', 'unknown_host'] });
  const { page, failures } = await open(t, 'webhooks', { width: 1280 });
  const row = page.getByRole('option', { name: /Orders/ });
  await row.getByText('failing').waitFor();
  await row.getByRole('img', { name: '0 of 4 attempts succeeded, last 15 min' }).waitFor();
  t.equal(await row.locator('.status.ok').count(), 0);
  await row.click();
  const detail = page.getByRole('region', { name: 'Webhook' });
  await detail.getByText('The connection was refused: no program listens at this address.').waitFor();
  t.match(await detail.locator('.facts').first().textContent(), /0 % succeeded, last 15 min.*0 % succeeded, last 24 h.*Next attempt/s);
  await detail.getByText(/^⌀ 5 s$/).waitFor();
  await detail.getByText('responses 429, too many requests; host names that do not exist').waitFor();
  await checkLook(t, page, 'a failing webhook', WIDTHS);
  t.equal(await page.getByText('504').count(), 0);

  // Copying says so for a second.
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => {} } })");
  await detail.getByRole('button', { name: 'Copy the URL' }).click();
  await detail.getByText('Copied', { exact: true }).waitFor();
  await detail.getByText('Copied', { exact: true }).waitFor({ state: 'detached' });
  await detail.getByRole('button', { name: 'Copy “Pause” as code' }).click();
  await page.getByRole('menuitem', { name: 'curl' }).click();
  await detail.getByRole('button', { name: 'Copied' }).waitFor();

  // An action that cannot be undone asks once, and can be left.
  await detail.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  t.equal((await admin('GET', `/webhooks/${endpoint.endpoint}`)).webhook.enabled, true);

  await admin('PATCH', `/network/numbers/${number}/policy`, { rules: [{ outcome: 'fail', times: 1 }] });
  const rules = async (): Promise<number> => (await admin('GET', `/network/numbers/${number}/policy`)).policy.rules.length;
  await page.goto(`${sandbox.console!.url}numbers/${number}`);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  t.equal(await rules(), 1, 'rules are not removed without a question');
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove the rules' }).click();
  await until(async () => ((await rules()) === 0 ? true : undefined));

  // The evidence of a step has its keys in one column, also if no other page was opened before.
  const { conversation } = (await admin('GET', '/conversations')).conversations[0];
  const [message] = (await admin('GET', `/conversations/${conversation.uuid}/messages?limit=1`)).messages;
  await page.goto(`${sandbox.console!.url}why?message=${message.uuid}`);
  await page.getByText('waiting for a retry').first().waitFor();
  t.equal(
    await page.locator('.is-first .facts dt').evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().left)).size),
    1,
  );

  // Without kept bytes, the request is the stored body, with one reason.
  const { uuid } = (await admin('GET', '/deliveries?limit=1')).deliveries[0];
  const { details: _, ...answer } = await admin('GET', `/deliveries/${uuid}`);
  await page.route(`**/admin/v1/deliveries/${uuid}`, (route) => route.fulfill({ json: answer }));
  await page.goto(`${sandbox.console!.url}deliveries/${uuid}?tab=request`);
  await page.getByText('its option recording.deliveries is off').waitFor();
  await page
    .getByRole('region', { name: 'request body', exact: true })
    .getByText(/"body":"order \d"/)
    .waitFor();
  await checkLook(t, page, 'a request without kept bytes', WIDTHS);
  await page.goto(`${sandbox.console!.url}deliveries/${uuid}?tab=response`);
  await page.getByText('The connection was refused: no program listens at this address.').waitFor();
  await page.unroute(`**/admin/v1/deliveries/${uuid}`);
  await admin('POST', `/deliveries/${uuid}/retry`);
  await page.goto(`${sandbox.console!.url}deliveries/${uuid}`);
  await page.locator('.timeline-drawing .attempt').nth(1).waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  t.equal(await page.evaluate<number>(OVERLAPS), 0, 'the labels of attempts do not cover each other at 390 px');
  await page.setViewportSize({ width: 1280, height: 800 });

  // A banner shows a break of the stream; queries that failed are repeated after it.
  t.equal(await page.locator('.pill').textContent(), '● live');
  t.equal(await page.locator('.pill').getAttribute('title'), 'This page shows changes of the platform as they happen');
  await page.route('**/admin/v1/**', (route) => route.abort());
  await page.goto(`${sandbox.console!.url}webhooks`);
  const banner = page.getByText('The connection to the platform is lost.');
  await banner.waitFor();
  await page.getByText('The server does not respond.').first().waitFor();
  await checkLook(t, page, 'a page without a connection', WIDTHS);
  await page.unroute('**/admin/v1/**');
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('option', { name: /Orders/ }).waitFor();
  t.strictSame(
    failures.filter((failure) => !failure.includes('ERR_FAILED')),
    [],
  );
});

import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type ConnectorFlaw, type Json, SECRET, startConnector, verifiers } from '../conform/connector-subject.js';
import { onlyLong } from '../forms.js';
import { close, violations, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { checkLook, opened, until } from './console-receivers.js';
import { hostileTexts } from './hostile.js';

const skip = withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

const CHANNEL = '11111111-2222-4333-8444-555555555555';
const TOKEN = 'the-token-of-the-channel';
const TAB = `channels/${CHANNEL}?tab=conformance`;

/** A sandbox with a channel; its connector has the flaw until `fix` is called. */
async function withConnector(t: Tap, { verify, respond, report }: ConnectorFlaw = {}) {
  let isFixed = false;
  const channel = {
    from_addr: 'web:1',
    name: 'Web chat',
    endpoint: 'http://127.0.0.1:9/',
    uuid: CHANNEL,
    token: TOKEN,
    hmac_secret: SECRET,
  };
  const box = await startConsole(t, { seed: { channels: [channel] } });
  const url = await startConnector(
    t,
    { api: box.sandbox.api, channel: CHANNEL, token: TOKEN },
    {
      verify: (incoming) => (!isFixed && verify ? verify(incoming) : verifiers.right(incoming)),
      respond: (incoming, good) => (!isFixed && respond ? respond(incoming, good) : good),
      report: (status, payload) => (!isFixed && report ? report(status, payload) : status),
    },
  );
  await box.admin('PATCH', `/channels/${CHANNEL}`, { endpoint: url });
  return {
    ...box,
    url,
    fix: () => {
      isFixed = true;
    },
    run: (only: readonly string[]): Promise<Json> =>
      box.admin('POST', '/conform/runs', { kind: 'connector', channel: CHANNEL, drive: `${url}/drive`, only }),
    newest: async (): Promise<Json> => (await box.admin('GET', '/conform/runs?limit=1')).runs[0],
  };
}

t.test(
  'a bad connector: a check fails, its delivery and its call are shown, it is fixed, and the check passes',
  { skip: onlyLong || skip },
  async (t) => {
    const box = await withConnector(t, {
      verify: verifiers.acceptsUnsigned,
      respond: ({ json }, good) =>
        json?.turn?.interactive?.type === 'list'
          ? { status: 500, body: `${hostileTexts.script}${hostileTexts.bidi}`, headers: { 'x-evil': '<img src=x onerror=alert(1)>' } }
          : good,
      report: ({ status }, { turn }) => ({
        status: turn?.text?.body === 'Your book is ready' ? { ...status, recipient_id: hostileTexts.script } : status,
      }),
    });
    const { page, failures } = await opened(box, t, TAB);
    const start = page.getByRole('button', { name: 'Run all checks' });
    await start.waitFor();
    await checkLook(t, page, 'no run yet');
    await page.setViewportSize({ width: 1280, height: 800 });
    t.notOk((await page.content()).includes(SECRET));
    await page.getByLabel('Driver URL (optional)').fill(`${box.url}/drive`);
    await start.click();
    const result = page.getByRole('region', { name: 'Result of the checks' });
    await result.getByRole('progressbar').waitFor();
    const toFix = page.getByRole('region', { name: 'Failed checks' });
    await page.getByRole('row', { name: /C-01 MUST.* passed/ }).waitFor();
    await page.getByRole('row', { name: /C-65 SHOULD.* waiting/ }).waitFor();
    await result.getByRole('button', { name: 'Stop' }).click();
    await result.getByRole('heading', { name: /Cancelled after \d+ of 66 checks/ }).waitFor();
    t.equal((await box.newest()).state, 'cancelled');
    t.equal(
      await page.evaluate("document.activeElement.getAttribute('aria-label')"),
      'Result of the checks',
      'the focus is where the button was',
    );
    t.strictSame(await violations(page), [], 'axe: a cancelled run');

    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url()));
    await box.run(['C-05', 'C-23', 'C-41', 'C-45', 'C-46']);
    await result.getByRole('heading', { name: '4 checks failed: 4 required' }).waitFor();
    t.ok(calls.filter((url) => url.includes('/conform/runs?')).length <= 10, 'the list is not read for each event');
    t.ok(
      calls.every((url) => !/conform\/runs\/[^?]/.test(url)),
      'nor any evidence',
    );
    await toFix.getByText('must refuse a request without a signature').waitFor();
    await toFix.getByText(hostileTexts.script!).first().waitFor();
    await checkLook(t, page, 'failed checks');
    await page.setViewportSize({ width: 1280, height: 800 });

    await toFix.getByRole('link', { name: 'Evidence of C-23' }).click();
    const list = page.getByRole('dialog', { name: 'C-23 accepts a list' });
    await list.getByRole('region', { name: 'request body, as text' }).getByText('"type":"list"').waitFor();
    await list.getByRole('region', { name: 'response body, as text' }).getByText(hostileTexts.script!).waitFor();
    await list.getByText('<img src=x onerror=alert(1)>').waitFor();
    await list.getByText('Requests of the run go straight to the endpoint').waitFor();
    await checkLook(t, page, 'the evidence of a check');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });

    await toFix.getByRole('link', { name: 'Evidence of C-45' }).click();
    const sheet = page.getByRole('dialog', { name: 'C-45 reports the recipient of the message' });
    await sheet
      .getByRole('article', { name: /The platform delivers to the connector/ })
      .getByRole('link')
      .click();
    await page.waitForURL(/\/deliveries\/[\da-f-]{36}$/);
    await page
      .getByRole('region', { name: 'Delivery' })
      .getByRole('heading', { name: /channel/ })
      .waitFor();
    const [delivery] = (await box.admin('GET', '/deliveries')).deliveries;
    t.ok(page.url().endsWith(delivery.uuid), 'the delivery of the message of the check');
    await page.goBack();
    await sheet
      .getByRole('article', { name: /The connector calls the platform/ })
      .first()
      .getByRole('link')
      .click();
    await page.waitForURL(/\/calls\//);
    await page.getByRole('article', { name: 'Call' }).getByText(hostileTexts.script!).first().waitFor();
    await page.goBack();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await toFix.getByRole('link', { name: 'Delivery of C-45' }).click();
    await page.waitForURL(new RegExp(`/deliveries/${delivery.uuid}$`));
    await page.goBack();

    box.fix();
    await result.getByRole('button', { name: 'Run failed checks again' }).click();
    await result.getByRole('heading', { name: 'All 5 checks passed' }).waitFor();
    const run = await box.newest();
    t.match({ of: run.of, results: run.checks.map(({ result }: Json) => result) }, { of: 4, results: Array(5).fill('pass') });
    t.equal(await toFix.count(), 0);
    await page.reload();
    await result.getByRole('heading', { name: 'All 5 checks passed' }).waitFor();
    await page.getByRole('link', { name: 'All 5 checks passed' }).waitFor();
    t.strictSame(await violations(page), [], 'axe: all passed');

    // The same as a command, with the secret from the environment.
    await page.getByText('With another driver').click();
    t.equal(await page.getByLabel('Driver URL (optional)').inputValue(), `${box.url}/drive`, 'the driver of the previous run');
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }');
    await page.getByRole('form', { name: 'Check the connector' }).getByRole('button', { name: 'Copy as code' }).click();
    await page.getByRole('menuitem', { name: 'Command line' }).click();
    t.equal(
      await page.evaluate('copied'),
      `npx posthorn conform connector '${box.url}' --secret "$POSTHORN_SECRET" --channel ${CHANNEL} --drive '${box.url}/drive'`,
    );
    t.equal(await page.evaluate('globalThis.__pwned'), undefined);
    t.strictSame(failures, []);
  },
);

t.test('a connector that is down, a run that is elsewhere, and a platform without checks', { skip: onlyLong || skip }, async (t) => {
  const box = await withConnector(t);
  await box.admin('PATCH', `/channels/${CHANNEL}`, { endpoint: 'http://127.0.0.1:9/' });
  const { page, failures } = await opened(box, t, TAB);
  await page.getByRole('button', { name: 'Run all checks' }).click();
  const result = page.getByRole('region', { name: 'Result of the checks' });
  await result.getByRole('heading', { name: 'No request got a response' }).waitFor();
  await result.getByText('connect ECONNREFUSED 127.0.0.1:9').waitFor();
  await result.getByText('17 skipped: they need a contact that writes.').waitFor();
  await page.getByRole('button', { name: /^Skipped \d+$/ }).click();
  await page.getByRole('row', { name: /C-05 MUST.* skipped.* C-01 failed/ }).waitFor();
  t.match(page.url(), /results=skipped/);
  await checkLook(t, page, 'an unreachable connector');
  await page.setViewportSize({ width: 1280, height: 800 });

  await box.admin('PATCH', `/channels/${CHANNEL}`, { endpoint: box.url });
  const { webhook } = await box.admin('POST', '/webhooks', {
    number: CHANNEL,
    url: `${box.url}/hook`,
    name: 'Receiver',
    subscriptions: ['msgapp'],
  });
  await box.admin('POST', '/conform/runs', { kind: 'connector', channel: CHANNEL });
  await page.goto(`${box.sandbox.console!.url}webhooks/${webhook.uuid}`);
  const checks = page.getByRole('region', { name: 'Conformance' });
  await checks.getByText('The checks of another endpoint are in progress').waitFor();
  await checks.getByRole('button', { name: 'Run all checks' }).click();
  await checks.getByText('A conformance run is in progress').waitFor();
  await checks.getByRole('button', { name: 'Stop them' }).click();
  await until(async () => ((await box.newest()).state === 'cancelled' ? true : undefined));
  await checks.getByRole('button', { name: 'Run all checks' }).click();
  await checks.getByRole('heading', { name: '1 check failed: 1 required' }).waitFor();
  await checks.getByRole('link', { name: 'Evidence of W-01' }).click();
  await page.getByRole('dialog', { name: 'W-01 accepts a signed event' }).getByText('status 401').waitFor();
  t.strictSame(
    failures.filter((line) => !line.includes('409')),
    [],
    'only the run that was refused',
  );

  await page.route('**/admin/v1/conform/**', (route) => route.fulfill({ status: 404, contentType: 'application/json', body: '{}' }));
  await page.goto(`${box.sandbox.console!.url}${TAB}`);
  await page.getByText('This platform does not run checks itself').waitFor();
  await page.getByText(`npx posthorn conform connector '${box.url}'`).waitFor();
  await checkLook(t, page, 'a platform without checks');
});

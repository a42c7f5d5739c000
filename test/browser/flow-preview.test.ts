import Hapi from '@hapi/hapi';
import t from 'tap';
import { validFlows } from '../plugins/flows/validate/flow-cases.js';
import { close, openPage, violations, withoutBrowser } from './browser.js';
import { complete, flowOf, open, previewUrl, screen, sharedPlatform } from './previews.js';

const skip = withoutBrowser;
t.teardown(close);

t.test('errors of a flow are shown in a panel, and its valid parts can be played', { skip }, async (t) => {
  const { page } = await open(
    t,
    flowOf(screen('ONE', [{ type: 'Nonsense' }, { type: 'TextBody', text: 'Still here' }, complete()], { terminal: true })),
  );
  await page.getByRole('heading', { name: '1 error in the flow' }).waitFor();
  t.match(
    await page.locator('.problems').textContent(),
    /INVALID_PROPERTY_VALUE.*Nonsense.*Line \d+, column \d+.*screens\[0\]\.layout\.children\[0\]\.type/s,
  );
  await page.getByRole('button', { name: 'Preview anyway' }).click();
  await page.getByText('Still here').waitFor();
  await page.getByText('Unknown component Nonsense').waitFor();

  for (const text of [
    '{ "version": "7.3", ',
    '{}',
    '[]',
    '{"version":"7.3","screens":[null,7,{"id":"A"},{"id":"B","layout":{"children":[[],{"type":7}]}}]}',
  ]) {
    const broken = await open(t, text);
    await broken.page.getByRole('heading', { name: /error/ }).waitFor();
    t.strictSame(broken.failures, [], text);
  }
});

t.test('text of a flow never becomes HTML or code', { skip }, async (t) => {
  const evil = '<img src=x onerror="document.title=\'pwned\'"></script><script>document.title="pwned"</script>';
  const { page, failures, requests } = await open(
    t,
    flowOf(
      screen(
        'EVIL',
        [
          { type: 'TextHeading', text: evil },
          {
            type: 'TextBody',
            markdown: true,
            text: [evil, '[a link](javascript:document.title="pwned")', '![x](https://example.org/x.png)'],
          },
          { type: 'RadioButtonsGroup', name: 'r', label: evil, 'data-source': [{ id: evil, title: evil }] },
          { type: 'TextInput', name: evil, label: 'Input', 'max-chars': 500, 'init-value': evil },
          { type: 'EmbeddedLink', text: 'Go', 'on-click-action': { name: 'open_url', url: 'javascript:alert(1)' } },
          complete({ [evil]: evil, __proto__: { polluted: true } }),
        ],
        { terminal: true, title: evil },
      ),
    ),
  );
  const anyway = page.getByRole('button', { name: 'Preview anyway' });
  if (await anyway.isVisible()) await anyway.click();
  t.equal(await page.locator('h1').textContent(), evil, 'HTML is shown as text');
  t.equal(await page.locator('.content img, .content script, .content a[href^="javascript"]').count(), 0);
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await page.getByText('This is not a web address').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('Response sent').waitFor();
  t.match(JSON.parse((await page.locator('#response').textContent())!), { [evil]: evil });
  t.not(await page.title(), 'pwned');
  t.equal(requests.length, 1);
  t.strictSame(failures, []);
});

t.test('the preview works in a frame of 430 by 800 on another origin, and on a phone', { skip }, async (t) => {
  const platform = await sharedPlatform();
  const url = await previewUrl(platform, validFlows[0]!.text);
  const host = Hapi.server({ host: '127.0.0.1' });
  const frameHtml = `<!doctype html><title>host</title><iframe title="flow" src="${url}" width="430" height="800" sandbox="allow-scripts"></iframe>`;
  host.route({ method: 'GET', path: '/', handler: () => frameHtml });
  await host.start();
  t.teardown(() => host.stop());
  const { page } = await openPage(t, host.info.uri, { width: 700, height: 900 });
  const frame = page.frameLocator('iframe');
  await frame.getByRole('radio', { name: 'Good' }).check();
  await frame.getByRole('button', { name: 'Send' }).click();
  t.match(JSON.parse((await frame.locator('#response').textContent())!), { rating: 'good' });

  for (const [width, height] of [
    [430, 800],
    [360, 640],
    [320, 568],
  ] as const) {
    const phone = await openPage(t, url, { width, height });
    const overflow = await phone.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    t.equal(overflow, 0, `nothing is cut off at ${width}`);
    const [button, bar] = [phone.page.getByRole('button', { name: 'Send' }), phone.page.locator('.task-bar')];
    for (const part of [button, bar]) {
      const { y, height: tall } = (await part.boundingBox())!;
      t.ok(y >= 0 && y + tall <= height, `visible at ${width} by ${height}`);
    }
  }
});

t.test('right-to-left text mirrors the screen', { skip }, async (t) => {
  const fields = [{ type: 'TextHeading', text: 'أهلا وسهلا' }, { type: 'TextInput', name: 'n', label: 'الاسم' }, complete()];
  const { page } = await open(t, flowOf(screen('RTL', fields, { terminal: true, title: 'مرحبا' })));
  t.equal(await page.locator('.screen').getAttribute('dir'), 'rtl');
  const [close, screenBox] = [await page.locator('.top-bar button').boundingBox(), await page.locator('.screen').boundingBox()];
  t.ok(close!.x > screenBox!.x + screenBox!.width / 2, 'the cross is on the right');
  t.strictSame(await violations(page), []);
});

t.test('the query sets the first screen and its data', { skip }, async (t) => {
  const greeting = flowOf(
    screen('FIRST', [complete()], { terminal: true }),
    screen('OTHER', [{ type: 'TextBody', text: `\${data.who}` }, complete({ who: `\${data.who}` })], {
      terminal: true,
      data: { who: { type: 'string', __example__: 'absent' } },
    }),
  );
  const query = (payload: string) =>
    `interactive=true&debug=true&flow_token=t1&flow_action=navigate&flow_action_payload=${encodeURIComponent(payload)}`;
  const { page } = await open(t, greeting, query('{"screen":"OTHER","data":{"who":"Ada"}}'));
  const anyway = page.getByRole('button', { name: 'Preview anyway' });
  if (await anyway.isVisible()) await anyway.click();
  await page.getByText('Ada', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Finish' }).click();
  t.strictSame(JSON.parse((await page.locator('#response').textContent())!), { flow_token: 't1', who: 'Ada' });
  await page.getByRole('button', { name: 'Log' }).click();
  await page.getByText('complete on OTHER').waitFor();

  const wrong = await open(t, greeting, query('{"screen":'));
  const openAnyway = wrong.page.getByRole('button', { name: 'Preview anyway' });
  if (await openAnyway.isVisible()) await openAnyway.click();
  await wrong.page.getByText('flow_action_payload is not a JSON object').waitFor();
});

t.test('the page paints, and the test reports after how many milliseconds', { skip }, async (t) => {
  const { page } = await open(t, validFlows.find(({ name }) => name.includes('inputs'))!.text);
  await page.reload();
  const painted = await page.evaluate(
    `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'paint', buffered: true }))`,
  );
  t.comment(`first contentful paint after ${Math.round(Number(painted))} ms`);
  t.ok(Number(painted) > 0);
});

t.test('a very long title and button leave room for the screen, and a slow pattern does not block the page', { skip }, async (t) => {
  const input = { type: 'TextInput', name: 'word', label: 'Word', pattern: '(a+)+', 'helper-text': 'Letters' };
  const flow = flowOf(screen('LONG', [input, { ...complete(), label: 'W'.repeat(900) }], { terminal: true, title: 'W'.repeat(900) }));
  for (const [width, height] of [
    [430, 800],
    [320, 568],
  ] as const) {
    const { page, failures } = await open(t, flow, 'interactive=true', { width, height });
    const room = await page.locator('.content').evaluate(({ clientHeight }) => clientHeight);
    t.ok(room > height / 6, `${room} of ${height}`);
    await page.getByLabel('Word').fill(`${'a'.repeat(45)}!`);
    await page.keyboard.press('Tab');
    t.equal(await page.getByLabel('Word').inputValue(), `${'a'.repeat(45)}!`);
    t.strictSame(failures, []);
  }
});

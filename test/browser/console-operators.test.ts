import Hapi from '@hapi/hapi';
import t from 'tap';
import { type Authenticate, createPlatform, type Operator } from '#core';
import { ADMIN_KEY, RecordingLogger, type Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { console as posthornConsole } from '../../plugins/console/plugin.js';
import { everyPlugin } from '../../sandbox/server/every-plugin.js';
import { close, openPage, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

/** A host application whose session is the cookie `user`, with the console of a platform below `/api`. */
async function start(t: Tap, signOutUrl?: string) {
  const operators: Record<string, Operator> = {
    vera: { id: 'vera', name: 'Vera', roles: ['viewer'] },
    otto: { id: 'otto', name: 'Otto', roles: ['owner'] },
    olga: { id: 'olga', name: 'Olga', roles: ['owner'] },
  };
  const authenticate: Authenticate = ({ headers }) => operators[/\buser=(\w+)/.exec(String(headers.cookie))?.[1] ?? ''];
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  const platform = createPlatform({
    plugins: [...everyPlugin().filter(({ manifest }) => manifest.name !== 'console'), posthornConsole({ signInUrl: '/sign-in' })],
    admin: { key: ADMIN_KEY },
    privateTargets: 'allow',
    operators: { authenticate, ...(signOutUrl !== undefined && { signOutUrl }) },
    ports: { log: new RecordingLogger() },
  });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/api' } });
  server.route({
    method: 'GET',
    path: '/sign-out',
    handler: (_, h) => h.response('<title>Signed out</title>').unstate('user', { path: '/' }).type('text/html'),
  });
  server.state('user', { path: '/', isSecure: false, isHttpOnly: true, isSameSite: 'Strict', encoding: 'none' });
  await server.start();
  t.teardown(() => server.stop());
  const admin = async (method: string, path: string, payload: object = {}) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const { statusCode, payload: body } = await server.inject({ method, url: `/api/admin/v1${path}`, headers, payload });
    if (statusCode >= 300) throw new Error(body);
    return JSON.parse(body);
  };
  const { number } = await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'Shop' });
  const { webhook } = await admin('POST', '/webhooks', {
    number: number.uuid,
    url: 'http://127.0.0.1:9/hook',
    subscriptions: ['msgapp'],
  });
  const open = async (user: string | undefined, path: string, width = 1280) => {
    const opened = await openPage(t, 'about:blank', { width });
    const signIn = (name: string) => opened.page.context().addCookies([{ name: 'user', value: name, url: server.info.uri }]);
    await opened.page.context().clearCookies();
    t.teardown(() => opened.page.context().clearCookies());
    if (user !== undefined) await signIn(user);
    await opened.page.goto(`${server.info.uri}/api/console/${path}`);
    return { ...opened, signIn, focus: () => opened.page.evaluate("void dispatchEvent(new Event('focus'))") };
  };
  return { operators, admin, open, number, webhook, uri: server.info.uri };
}

t.test('the console shows who is signed in, and disables what the operator may not do', { skip }, async (t) => {
  const { operators, open, webhook } = await start(t);
  const { page, failures, focus } = await open('vera', `webhooks/${webhook.uuid}`);
  t.equal(await page.locator('.operator').textContent(), 'Vera viewer');
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  await pause.waitFor();
  t.ok(await pause.isDisabled());
  t.equal(await pause.getAttribute('title'), 'Needs the permission webhooks.pause; your roles: viewer');
  t.strictSame(await violationsInBothThemes(page), []);
  await page.setViewportSize({ width: 390, height: 800 });
  t.equal(await overflowOf(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByText('Needs the permission audit.read; your roles: viewer.').waitFor();
  t.ok(await page.getByRole('heading', { name: 'You may not see this' }).isVisible());
  t.strictSame(await violationsInBothThemes(page), []);
  t.notMatch(failures.join(), /403/, 'the page made no call that the server has refused');

  // A role changes while the page is open: more is allowed when the page knows, and less with the next call.
  operators.vera = { ...operators.vera!, roles: ['operator'] };
  await focus();
  await page.goBack();
  await page.locator('.joined button:enabled', { hasText: 'Pause' }).waitFor();
  t.equal(await page.locator('.operator').textContent(), 'Vera operator');
  operators.vera = { ...operators.vera!, roles: ['viewer'] };
  await pause.click();
  await page.getByText('This call needs the permission webhooks.pause').waitFor();
  await page.locator('.joined button:disabled', { hasText: 'Pause' }).waitFor();

  delete operators.vera;
  await focus();
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
});

t.test('tabs of two operators have event streams of their own', { skip }, async (t) => {
  const { operators, open, admin, number, uri } = await start(t);
  operators.vera = { ...operators.vera!, accounts: ['other'] };
  const { page, signIn } = await open('vera', 'events');
  await page.locator('.pill.ok').waitFor();
  await signIn('otto');
  const other = await page.context().newPage();
  t.teardown(() => other.close());
  await other.goto(`${uri}/api/console/events`);
  await other.locator('.pill.ok').waitFor();
  await admin('POST', `/network/numbers/${number.uuid}/messages`, {
    from: '+27820001001',
    name: 'Ann',
    type: 'text',
    text: { body: 'hi' },
  });
  await other
    .getByRole('option', { name: /message.received/ })
    .first()
    .waitFor();
  t.equal(await page.getByRole('option', { name: /message.received/ }).count(), 0, 'Vera sees no events of other accounts');
});

t.test('a page notices that another operator was signed in in another tab', { skip }, async (t) => {
  const { open, webhook, admin } = await start(t);
  const { page, signIn, focus } = await open('vera', `webhooks/${webhook.uuid}`);
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await signIn('otto');
  await focus();
  await page.getByRole('heading', { name: 'Another operator is signed in' }).waitFor();
  t.equal(await page.getByText('127.0.0.1:9').count(), 0, 'what the previous operator saw is gone');
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.locator('.operator', { hasText: 'Otto owner' }).waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();

  await signIn('olga');
  // A click in the other tab also gives it the focus, before the click arrives.
  await page.evaluate(`{ dispatchEvent(new Event('focus')); document.querySelector('.joined button').click(); }`);
  await page.getByRole('heading', { name: 'Another operator is signed in' }).waitFor();
  t.notOk((await admin('GET', `/webhooks/${webhook.uuid}`)).webhook.paused_at, 'the click of Otto is not one of Olga');
});

t.test('the console signs out at the URL of the host application, and shows where to sign in', { skip }, async (t) => {
  const { open, uri } = await start(t, '/sign-out');
  const { page } = await open('vera', '', 390);
  await page.locator('.operator').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitem', { name: /Sign out Vera, viewer/ }).click();
  await page.waitForURL(`${uri}/sign-out`);
  await page.goto(`${uri}/api/console/`);
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href'), '/sign-in');
  t.strictSame(await violationsInBothThemes(page), []);
});

t.test('without a URL of the host application, the console says that it cannot sign out', { skip }, async (t) => {
  const { open } = await start(t);
  const { page } = await open('vera', '');
  await page.locator('.operator').waitFor();
  await page.getByRole('button', { name: 'Theme' }).click();
  const item = page.getByRole('menuitem', { name: /Sign out where you have signed in/ });
  await item.waitFor();
  t.equal(await item.getAttribute('aria-disabled'), 'true');
});

t.test('the audit shows what a record changed, also after the page is loaded again', { skip }, async (t) => {
  const { open, admin, webhook } = await start(t);
  await admin('PATCH', `/webhooks/${webhook.uuid}`, { name: 'Orders' });
  const { page } = await open('otto', 'audit');
  await page.getByRole('option', { name: /PATCH/ }).click();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.getByRole('row', { name: 'name "Webhook" "Orders"' }).waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    t.equal(await overflowOf(page), 0);
    await page.reload();
  }
  await page.getByRole('link', { name: 'key' }).click();
  await page.waitForURL(/audit\?operator=key$/);
});

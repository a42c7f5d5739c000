import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { closeMenu, startConsole } from './console.js';
import { copying, deskOf, eventually, overflows, phoneOf, startInbox } from './inboxes.js';

const skip = withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

t.test(
  'an integration shows its context; I apply a suggestion, and run an action with an option',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, admin, sandbox } = await startConsole(t, { seed: 'demo' });
    const { numbers } = await admin('GET', '/numbers');
    const channel = numbers.find(({ kind }: { kind: string }) => kind === 'channel');
    const message = { type: 'text', from: 'web-1', id: 'in-1', timestamp: '1767600000', text: { body: 'When is my book due?' } };
    await admin('POST', `/channels/${channel.uuid}/messages`, { contact: { id: 'web-1', profile: { name: 'Ben' } }, message });
    const { conversation } = (await admin('GET', '/messages/in-1')).message;
    const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
    const desk = deskOf(page);
    const due = desk.getByRole('row', { name: /Due on/ }).getByRole('cell');
    await due.waitFor();
    const before = await due.textContent();
    await desk.getByRole('listitem').filter({ hasText: 'Paddle Your Own Canoe' }).waitFor();
    const suggestions = desk.locator('.suggestion strong');
    t.strictSame(await suggestions.allTextContents(), ['Due date', 'Greeting'], 'the most confident first');
    t.strictSame(await violationsInBothThemes(page), []);
    await desk.getByRole('button', { name: 'Extend the loan' }).click();
    await page.getByRole('menuitem', { name: 'By a week' }).click();
    await eventually(async () => (await due.textContent()) !== before);

    const { runs } = copying(t, page, { sandbox });
    const extended = await due.textContent();
    await desk.getByRole('button', { name: 'Extend the loan' }).click();
    await page.getByRole('menuitem', { name: 'Copy as code…' }).click();
    await page.getByRole('button', { name: 'Copy “By a week” as code' }).click();
    t.match(await runs(), {
      command: /^npx posthorn integration click \S+ --contact web-1 --number web:library --name .+ --option \S+$/,
      code: 0,
      out: /accepted/,
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await eventually(async () => (await due.textContent()) !== extended);
    await desk.getByRole('button', { name: 'Copy “Refresh” as code' }).click();
    t.match(await runs(), {
      command: 'npx posthorn integration context web-1 --number web:library',
      code: 0,
      out: new RegExp((await due.textContent())!),
    });
    await desk.getByRole('button', { name: /Greeting/ }).click();
    t.equal(await desk.getByRole('textbox', { name: 'Reply' }).inputValue(), 'Hello! How can we help?');
    await desk.getByRole('button', { name: 'Send as desk', exact: true }).click();
    await phoneOf(page, 'Ben').getByRole('article', { name: 'Desk: Hello! How can we help?' }).waitFor();
    t.strictSame(failures, []);
  },
);

t.test('a journey waits with a countdown until I take over; the contact sees me typing', { skip: onlyLong || skip }, async (t) => {
  const { open, admin, sandbox } = await startConsole(t, { seed: 'demo' });
  const { numbers } = await admin('GET', '/numbers');
  const number = numbers.find(({ kind }: { kind: string }) => kind === 'network');
  const payload = { from: '+27820001001', name: 'Ann', type: 'text', text: { body: 'hi' } };
  const { conversation, contact } = (await admin('POST', `/network/numbers/${number.uuid}/messages`, payload)).message;
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
  const desk = deskOf(page);
  await desk.getByText(/^4:\d\d$/).waitFor();
  await admin('POST', '/clock', { paused: true });
  await admin('POST', '/clock', { advance: 240 });
  await desk.getByText(/^0:\d\d$/).waitFor();
  for (const label of ['Show typing', 'Take over']) {
    await desk.getByRole('button', { name: `Copy “${label}” as code` }).click();
    await page.getByRole('menuitem', { name: 'curl' }).waitFor();
    await page.getByRole('menuitem', { name: 'TypeScript' }).waitFor();
    await page.getByRole('menuitem', { name: /Command line posthorn api (PUT|DELETE) / }).waitFor();
    await closeMenu(page);
  }
  // An action without a command of its own is copied as a call, which the shell can run.
  await desk.getByRole('button', { name: 'Copy “Mark as read” as code' }).click();
  const { command, code, out } = await copying(t, page, { sandbox }).runs();
  t.match(command, /^npx posthorn api PUT \/messages\/[0-9a-f-]+ '{"status":"read"}'$/);
  t.equal(code, 0, out);
  await page.getByRole('button', { name: 'Attach, as Ann' }).click();
  await page.getByRole('menuitem', { name: 'Copy as code…' }).click();
  await page.getByRole('dialog', { name: 'Copy the message' }).getByRole('button', { name: 'Copy “Send” as code' }).click();
  await page.getByRole('menuitem', { name: /posthorn send --from \+?27820001001 --name Ann/ }).waitFor();
  await closeMenu(page);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await desk.getByRole('button', { name: 'Show typing', exact: true }).click();
  const phone = phoneOf(page, 'Ann');
  await phone.getByText('typing · 25 s').waitFor();
  await admin('POST', '/clock', { advance: 10 });
  await phone.getByText('typing · 15 s').waitFor();
  await desk.getByRole('button', { name: 'Read', exact: true }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await desk.getByRole('button', { name: 'Take over', exact: true }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  t.equal((await admin('GET', `/conversations/${conversation}`)).views.journey.data.session.state, 'waiting', 'taking over asks first');
  await desk.getByRole('button', { name: 'Take over', exact: true }).click();
  await page.getByRole('button', { name: 'End its session' }).click();
  await desk.getByRole('button', { name: 'Take over', exact: true }).waitFor({ state: 'detached' });
  const { views } = await admin('GET', `/conversations/${conversation}`);
  t.strictSame(views.journey, { state: 'loaded', data: null });
  t.match((await admin('GET', `/why?contact=${contact}`)).links, /./, 'the chain of the contact is still explained');
  await desk.getByRole('textbox', { name: 'Reply' }).fill('I am here');
  await page.keyboard.press('Enter');
  await phone.getByText('I am here').waitFor();
  await phone.getByText('typing').waitFor({ state: 'detached' });
  t.strictSame(failures, []);
});

t.test('the desk shows all ids of a contact, a merge as an entry in the history, and the group of a message', { skip }, async (t) => {
  const { open, admin, write, network, sandbox } = await startInbox(t);
  const conversation = await write('oi', '551187654321', 'Ana');
  await write('sou eu', '5511987654321', 'Ana');
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
  const desk = deskOf(page);
  await desk.getByRole('button', { name: 'Copy the id of the contact 551187654321' }).waitFor();
  await desk.getByRole('button', { name: 'Copy another id of the contact 5511987654321' }).waitFor();
  await write('another phone', '27820001002', 'Ana');
  const { contacts } = await admin('GET', `/numbers/${network.uuid}/contacts`);
  await admin('POST', '/contacts/merge', { contact: contacts[1].uuid, into: contacts[0].uuid });
  await desk.getByRole('button', { name: 'Copy another id of the contact 27820001002' }).waitFor();
  await phoneOf(page, 'Ana').getByText('27820001002 and 551187654321 are one person').waitFor();
  await eventually(async () => (await page.getByRole('listbox', { name: 'Conversations' }).getByRole('option').count()) === 1);
  const { store, messages, numbers } = sandbox.platform;
  const group = '120363043968066561';
  const from = '551187654321';
  const inGroup = { id: 'in-group', contact: { id: from }, from, group, timestamp: '1767600000', type: 'text' };
  await store.transaction(async (tx) => {
    await messages.received(tx, await numbers.require(network.uuid), { ...inGroup, content: { text: { body: 'hello all' } } });
  });
  await phoneOf(page, 'Ana')
    .getByRole('article', { name: /hello all/ })
    .getByText(`In the group ${group}`)
    .waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  t.strictSame(failures, []);
});

t.test('files go up and down: from the contact, from the desk, and links to other servers stay links', { skip }, async (t) => {
  const { open, admin, write, messagesOf, sandbox } = await startInbox(t);
  const conversation = await write('hi');
  const { page, requests } = await open(t, `inbox/${conversation}`, { width: 1280 });
  const phone = phoneOf(page, 'Ann');
  await phone.locator('input[type=file]').setInputFiles({ name: 'card.png', mimeType: 'image/png', buffer: PNG });
  await phone.getByRole('textbox', { name: 'Caption, as Ann' }).fill("-- Ann's card");
  const { copied, runs } = copying(t, page, { sandbox }, { 'card.png': PNG });
  const copy = async (label: string) => {
    await page.getByRole('button', { name: 'Attach, as Ann' }).click();
    await page.getByRole('menuitem', { name: 'Copy as code…' }).click();
    await page.getByRole('button', { name: `Copy “${label}” as code` }).click();
  };
  await copy('Send, with the id of the upload');
  const { code, out } = await runs();
  t.equal(code, 0, out);
  await phone.getByRole('article', { name: "Contact: Image: -- Ann's card" }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await copy('Upload');
  t.match(await copied('curl'), /\/media' .* -X POST .*-H 'Content-Type: image\/png' .*--data-binary '@card.png'$/s);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await phone.getByRole('textbox', { name: 'Caption, as Ann' }).fill('My card');
  await page.keyboard.press('Enter');
  await phone.getByRole('article', { name: 'Contact: Image: My card' }).waitFor();
  const [image] = await messagesOf(conversation);
  t.match(image, { type: 'image', content: { image: { mime_type: 'image/png', caption: 'My card' } } });
  const url = `/admin/v1/console/media/${image.content.image.id}`;
  await eventually(async () => requests.some((one) => one.endsWith(url)));
  const isServed = await page.evaluate(async (path) => (await fetch(path)).ok, url);
  if (isServed)
    await eventually(() =>
      phone
        .locator('img.media')
        .last()
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 1),
    );
  else await phone.getByText('cannot be shown').waitFor();

  await deskOf(page)
    .locator('input[type=file]')
    .setInputFiles({ name: 'loans.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') });
  await deskOf(page).getByRole('button', { name: 'Send as desk', exact: true }).click();
  const link = phone.getByRole('link', { name: /loans\.pdf/ });
  await link.waitFor();
  t.match(await link.getAttribute('href'), /\/admin\/v1\/console\/media\/[^/]+$/);
  t.equal(await link.getAttribute('download'), 'loans.pdf');

  const operator = { id: 'desk', name: 'Desk' };
  await admin('POST', `/conversations/${conversation}/messages`, {
    operator,
    type: 'image',
    image: { link: 'https://library.example/room.png' },
  });
  await phone.getByRole('link', { name: /opens library\.example/ }).waitFor();
  t.notOk(
    requests.some((one) => one.includes('library.example')),
    'the page does not load it',
  );
  t.strictSame(await violationsInBothThemes(page), []);

  await phone.locator('input[type=file]').setInputFiles({ name: 'run.exe', mimeType: 'image/tiff', buffer: PNG });
  await phone.getByRole('button', { name: 'Send, as Ann' }).click();
  await phone
    .getByRole('alert')
    .getByText(/image\/tiff.*not supported/)
    .waitFor();
});

t.test('messages are quoted and reacted to in both directions', { skip: onlyLong || skip }, async (t) => {
  const { open, write, messagesOf } = await startInbox(t);
  const conversation = await write('When do you open?');
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
  const phone = phoneOf(page, 'Ann');
  const tool = (name: string) => phone.getByRole('button', { name });
  await tool('Payload and statuses of: When do you open?').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Quote at the desk' }).click();
  await deskOf(page).getByRole('textbox', { name: 'Reply' }).fill('At nine');
  await page.keyboard.press('Enter');
  const answer = phone.getByRole('article', { name: 'Desk: At nine' });
  await answer.locator('blockquote').getByText('When do you open?').waitFor();
  await tool('Reply to: At nine').click();
  await phone.getByRole('textbox', { name: 'Message, as Ann' }).fill('Thanks');
  await page.keyboard.press('Enter');
  await phone.getByRole('article', { name: 'Contact: Thanks' }).locator('blockquote').getByText('At nine').waitFor();
  await tool('Payload and statuses of: At nine').click();
  await page.getByRole('button', { name: 'React with 👍' }).click();
  await page.keyboard.press('Escape');
  await answer.getByText('👍').waitFor();
  const [reaction, thanks, nine, question] = await messagesOf(conversation);
  t.match(reaction, { type: 'reaction', content: { reaction: { emoji: '👍', message_id: nine.external_id } } });
  t.equal(thanks.context.id, nine.external_id);
  t.equal(nine.context.id, question.external_id);
  t.strictSame(failures, []);
});

t.test('a conversation of 10,000 messages has at most 100 in the page, and keeps its place', { skip: onlyLong || skip }, async (t) => {
  const { open, write, admin, sandbox, network } = await startInbox(t);
  const conversation = await write('first');
  const { platform } = sandbox;
  const number = await platform.numbers.require(network.uuid);
  const contact = { id: '27820001001', name: 'Ann' };
  const shared = { contact, from: '27820001001', timestamp: '1767600000' };
  for (let block = 0; block < 100; block++) {
    await platform.store.transaction(async (tx) => {
      for (let i = 0; i < 100; i++) {
        const id = `m-${block * 100 + i}`;
        // Heights differ, so that places that are only estimated show.
        const body = i % 7 === 0 ? `${id} ${'long '.repeat(i * 3)}` : id;
        await platform.messages.received(tx, number, { ...shared, id, type: 'text', content: { text: { body } } });
      }
    });
    // Connections that the server keeps open would time out while it is blocked.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
  const phone = phoneOf(page, 'Ann');
  const log = phone.getByRole('log');
  const line = (text: string) => phone.locator('.line', { has: page.getByText(text, { exact: true }) });
  let most = 0;
  const isStill = async () => {
    const state = () => log.evaluate((element) => `${element.scrollTop} ${element.scrollHeight}`);
    await eventually(async () => {
      const before = await state();
      await page.waitForTimeout(80);
      most = Math.max(most, await phone.locator('.line').count());
      return (await state()) === before;
    });
  };
  const topOf = async (text: string) => (await line(text).boundingBox())!.y;
  const fromEnd = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  await phone.getByText('m-9999').waitFor();
  await isStill();
  t.ok((await fromEnd()) < 2, 'it opens at the newest message');
  t.match(await phone.getByRole('listitem').last().getAttribute('aria-posinset'), '10001');
  await write('while I am at the end');
  await line('while I am at the end').waitFor();
  await isStill();
  t.ok((await fromEnd()) < 2, 'a new message is visible while the newest one was');

  // A line that gets the focus is rendered before the event of the scroll.
  await log.evaluate((element) => {
    element.scrollTo(0, 0);
    element.querySelector('[data-index]')!.dispatchEvent(new Event('focusin'));
  });
  await line('m-9952').waitFor();
  await log.focus();
  await page.keyboard.press('Home');
  await isStill();
  for (const first of ['m-9952', 'm-9452', 'm-8952']) {
    await log.evaluate((element) => element.scrollTo(0, 0));
    await line(first).waitFor();
    await isStill();
    const before = await topOf(first);
    await phone.getByRole('button', { name: /Show older messages/ }).click();
    await eventually(() => log.evaluate((element) => element.scrollTop > 1_000));
    await isStill();
    t.ok(Math.abs((await topOf(first)) - before) <= 2, `${first} stays where it was`);
  }
  await phone.getByRole('button', { name: `Payload and statuses of: m-8953` }).focus();
  for (let step = 0; step < 10; step++) {
    await log.evaluate((element) => element.scrollBy(0, -4_000));
    await isStill();
  }
  t.ok(most > 0 && most <= 100, `${most} messages at most were in the page`);
  await line('m-8953').waitFor({ state: 'attached' });
  t.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), 'Payload and statuses of: m-8953', 'the focus stays');

  const [seen] = await phone.locator('.line p.words').allTextContents();
  const place = await topOf(seen!);
  await write('while I read');
  await phone.getByRole('button', { name: '1 new message' }).waitFor();
  await isStill();
  t.ok(Math.abs((await topOf(seen!)) - place) <= 1, 'a new message does not move what I read');
  await phone.getByRole('button', { name: '1 new message' }).click();
  await line('while I read').waitFor();
  await isStill();
  t.ok((await fromEnd()) < 2);

  const payload = { from: '+27820001001', name: 'Ann', type: 'text', text: { body: 'a quote' }, context: { id: 'm-5001' } };
  await admin('POST', `/network/numbers/${network.uuid}/messages`, payload);
  await line('a quote').getByRole('button', { name: 'An older message' }).press('Enter');
  await line('m-5001').waitFor();
  await isStill();
  const frame = (await log.boundingBox())!;
  const quoted = await topOf('m-5001');
  t.ok(quoted > frame.y && quoted < frame.y + frame.height, 'the quote leads to its message');
  t.match(await page.evaluate('document.activeElement.textContent'), /^m-5001/);
  await page.keyboard.press('End');
  await isStill();
  await line('a quote').getByRole('button', { name: 'm-5001' }).waitFor();
  t.ok((await phone.locator('.line').count()) <= 100);
  t.strictSame(await violationsInBothThemes(page), []);
  t.strictSame(failures, []);
});

t.test('hostile content is text in every part', { skip }, async (t) => {
  const { open, write, admin } = await startInbox(t);
  const evil = `<img src=x onerror="document.title=1"> \u202eevil\u202c \u0001 ${'x'.repeat(4_000)}`;
  const conversation = await write(evil, '+27820001001', '<b>Ann</b> مرحبا');
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 430 });
  await page.getByText('document.title=1').first().waitFor();
  t.equal(await page.locator('.inbox img').count(), 0);
  t.notOk(await overflows(page));
  await page.getByRole('button', { name: /^Payload and statuses of/ }).click();
  await page.getByRole('dialog').getByText('document.title=1').first().waitFor();
  t.notOk(await overflows(page));
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('Escape');
  for (const part of ['Desk', 'Conversations', 'Phone']) {
    await page.getByRole('group', { name: 'Parts of the inbox' }).getByRole('button', { name: part }).click();
    await page.waitForTimeout(100);
    t.strictSame(await violationsInBothThemes(page), [], part);
    t.notOk(await overflows(page), part);
  }
  t.strictSame(failures, []);
  t.equal((await admin('GET', '/conversations')).conversations.length, 1);
});

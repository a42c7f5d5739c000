import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { copying, deskOf, eventually, overflows, phoneOf, startInbox } from './inboxes.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

t.test('I am two contacts side by side', { skip }, async (t) => {
  const { open, admin } = await startConsole(t, { seed: 'demo' });
  const { page, failures } = await open(t, 'inbox', { width: 1280 });
  const becomes = async (name: string) => {
    await page.getByRole('button', { name: 'New contact' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New contact' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await phoneOf(page, name).getByText('In which language').waitFor();
  };
  await becomes('Ann');
  await becomes('Ben');
  t.match(new URL(page.url()).search, /^\?phones=[0-9a-f-]{36}$/, 'the URL names the other phone');
  await phoneOf(page, 'Ann').getByRole('button', { name: 'English' }).click();
  await phoneOf(page, 'Ben').getByRole('button', { name: 'Français' }).click();
  await phoneOf(page, 'Ann').getByText('What can I do for you?').waitFor();
  await phoneOf(page, 'Ben').getByText('Que puis-je faire pour vous').waitFor();
  t.equal(await phoneOf(page, 'Ann').getByRole('textbox').getAttribute('placeholder'), 'Write as Ann (simulated phone)');
  await deskOf(page).getByRole('button', { name: 'Send as desk', exact: true }).waitFor();
  await deskOf(page).getByText('Opened because Ben wrote').waitFor();
  await deskOf(page).getByText('times out in').waitFor();
  t.equal(await page.locator('.row-number').count(), 0, 'all conversations are with one number');
  t.strictSame(await violationsInBothThemes(page), []);
  t.notOk(await overflows(page));
  const [read, typing] = await Promise.all(
    ['Mark as read', 'Show typing'].map((name) => deskOf(page).getByRole('button', { name, exact: true }).boundingBox()),
  );
  t.equal(typing!.x - read!.x - read!.width, 8, 'the hidden arrow takes no room');
  const hidden = () =>
    page.evaluate<number>(
      "(() => { const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.is-selected .bubbles'); return scrollHeight - scrollTop - clientHeight; })()",
    );
  await page.setViewportSize({ width: 390, height: 600 });
  await eventually(async () => (await hidden()) <= 1);
  await page.setViewportSize({ width: 1280, height: 800 });
  const { conversations } = await admin('GET', '/conversations');
  t.strictSame(
    conversations.map(({ contact }: { contact: { fields: { name: string; language: string } } }) => contact.fields.language).sort(),
    ['eng', 'fra'],
  );
  await page.reload();
  await phoneOf(page, 'Ann').getByText('What can I do for you?').waitFor();
  await phoneOf(page, 'Ben').waitFor();
  await phoneOf(page, 'Ann')
    .getByRole('button', { name: 'Show this contact at the desk' })
    .or(phoneOf(page, 'Ann').locator('.phone-name'))
    .first()
    .click();
  await deskOf(page).getByRole('heading', { name: 'Ann' }).waitFor();
  await phoneOf(page, 'Ben').getByRole('button', { name: 'Close the phone of Ben' }).click();
  await phoneOf(page, 'Ben').waitFor({ state: 'detached' });
  t.strictSame(failures, []);
});

t.test('I tap a list row and see the exact payload my connector would post', { skip: onlyLong || skip }, async (t) => {
  const { open, admin, connector, writeToChannel, messagesOf, channel, network, sandbox, write } = await startInbox(t);
  const conversation = await writeToChannel('hi');
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
  await page.getByRole('button', { name: 'Other message type' }).click();
  await page.getByRole('menuitem', { name: /List/ }).click();
  const form = page.getByRole('dialog', { name: 'Reply with a list' });
  await form.getByLabel('Text', { exact: true }).fill('How can we help?');
  t.strictSame(await violationsInBothThemes(page), []);
  await form.getByRole('button', { name: 'Send' }).click();
  const phone = phoneOf(page, 'Ben');
  await phone.getByText('✓ accepted', { exact: true }).waitFor();
  t.match(connector.received, [{ to: 'web-1', turn: { interactive: { type: 'list' } } }]);
  await phone.getByRole('button', { name: /Choose.*list of 2 rows/ }).click();
  const list = page.getByRole('dialog', { name: 'Choose' });
  await list.getByText('Opening hours').click();
  await list.getByText('Body that this tap posts').click();
  const shown = JSON.parse((await list.getByRole('region', { name: 'Body of the call' }).textContent())!);
  t.match(shown, {
    contact: { id: 'web-1', profile: { name: 'Ben' } },
    message: {
      type: 'interactive',
      context: { id: 'out-1' },
      interactive: { type: 'list_reply', list_reply: { id: 'opening-hours', title: 'Opening hours', description: 'Today and tomorrow' } },
    },
  });
  t.strictSame(await violationsInBothThemes(page), []);
  await list.getByRole('button', { name: 'Send' }).click();
  await phone.getByRole('article', { name: 'Contact: Opening hours' }).waitFor();
  const [call] = (await admin('GET', '/calls')).calls;
  t.equal(call.path, `/v1/numbers/${channel.uuid}/messages`);
  t.strictSame(JSON.parse(call.request.body.text), shown, 'the console posted what it had shown');
  t.match((await messagesOf(conversation))[0], { direction: 'inbound', external_id: shown.message.id, context: { id: 'out-1' } });
  await phone.getByRole('button', { name: 'Payload and statuses of: Opening hours' }).click();
  const details = page.getByRole('dialog', { name: 'Message from the contact' });
  await details.getByText('Exactly what this console posted.').waitFor();
  t.strictSame(JSON.parse((await details.getByRole('region', { name: 'Body of the call' }).textContent())!), shown);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.reload();
  await phone.getByRole('button', { name: 'Payload and statuses of: Opening hours' }).click();
  await details.getByText('Made from the record of the message').waitFor();
  t.strictSame(
    JSON.parse((await details.getByRole('region', { name: 'Body of the call' }).textContent())!),
    shown,
    'the record has all of it',
  );
  const { runs } = copying(t, page, { sandbox });
  await details.getByRole('button', { name: 'Copy as code' }).click();
  t.match(await runs(), { command: /--quote out-1 --list 'Opening hours'$/, code: 0 });
  const [again] = await messagesOf(conversation);
  t.match(again, { content: (await messagesOf(conversation))[1].content, context: { id: 'out-1' } }, 'the command makes the same tap');
  await page.keyboard.press('Escape');

  // Two questions with one title: the command taps that of its question.
  const asked = await write('hello');
  for (const id of ['early', 'late']) {
    const interactive = { type: 'button', body: { text: id }, action: { buttons: [{ type: 'reply', reply: { id, title: "I'm in" } }] } };
    await admin('POST', `/conversations/${asked}/messages`, { operator: { id: 'desk', name: 'Desk' }, type: 'interactive', interactive });
  }
  await page.getByRole('option', { name: /Ann/ }).click();
  const ann = phoneOf(page, 'Ann');
  await ann.getByRole('article', { name: 'Desk: early' }).getByRole('button', { name: "I'm in" }).click();
  await ann.getByRole('button', { name: "Payload and statuses of: I'm in" }).click();
  await details.getByRole('button', { name: 'Copy as code' }).click();
  t.match(await runs(), { command: new RegExp(`--number '?\\${network.address}'? .*--button 'I'\\\\''m in'$`), code: 0 });
  t.match((await messagesOf(asked))[0].content, { interactive: { button_reply: { id: 'early', title: "I'm in" } } });
  t.strictSame(failures, []);
});

t.test('my connector fails: its bubble says so, with links to the delivery and the explanation', { skip }, async (t) => {
  const { open, connector, writeToChannel } = await startInbox(t);
  const conversation = await writeToChannel('hi');
  const { page } = await open(t, `inbox/${conversation}`, { width: 1280 });
  connector.status = 401;
  await deskOf(page).getByRole('textbox', { name: 'Reply' }).fill('refused');
  await page.keyboard.press('Enter');
  const phone = phoneOf(page, 'Ben');
  await phone.getByText('Connector failed with 401').waitFor();
  await phone.getByText('✗ failed', { exact: true }).waitFor();
  connector.status = 500;
  await deskOf(page).getByRole('textbox', { name: 'Reply' }).fill('try later');
  await page.keyboard.press('Enter');
  await phone.getByText('Connector failed with 500').waitFor();
  await phone.getByText(/retry in \d+ s/).waitFor();
  await phone.getByText('· queued', { exact: true }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await phone.getByRole('button', { name: 'Payload and statuses of: try later' }).click();
  await page.getByRole('dialog').getByText('◐ retry 1 scheduled').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  const refused = phone.getByRole('article', { name: 'Desk: refused' });
  await refused.getByText('Connector failed with 401').waitFor();
  await refused.getByRole('link', { name: 'Why?' }).click();
  t.match(page.url(), /\/why\?message=[0-9a-f-]{36}$/);
  await page.goBack();
  await phone.getByRole('article', { name: 'Desk: try later' }).getByRole('link', { name: 'Why?' }).click();
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('The first step that is pending:').waitFor();
  t.match(await verdict.textContent(), /due at \d\d:\d\d:\d\d; the last attempt ended with 500/, 'with the time of this browser');
  await page.goBack();
  await refused.getByRole('link', { name: 'Delivery' }).click();
  t.match(page.url(), /\/deliveries\/[0-9a-f-]{36}$/);
});

t.test('statuses are reported automatically or by me', { skip: onlyLong || skip }, async (t) => {
  const { open, write, writeToChannel, messagesOf } = await startInbox(t);
  const conversation = await write('hi');
  const { page, failures } = await open(t, `inbox/${conversation}`, { width: 1280 });
  const reply = async (text: string) => {
    await deskOf(page).getByRole('textbox', { name: 'Reply' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const bubble = (text: string) => phoneOf(page, 'Ann').getByRole('article', { name: `Desk: ${text}` });
  await reply('automatic');
  await bubble('automatic').getByText('delivered').waitFor();
  await page.getByRole('button', { name: 'statuses: automatic, of Library' }).click();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('menuitem', { name: 'Copy as code…' }).click();
  await page.getByRole('button', { name: 'Copy “Manual” as code' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'statuses: automatic, of Library' }).click();
  await page.getByRole('menuitem', { name: 'Manual' }).click();
  await page.getByRole('button', { name: 'statuses: manual, of Library' }).waitFor();
  await reply('by me');
  await bubble('by me').getByText('accepted').waitFor();
  await phoneOf(page, 'Ann').getByRole('button', { name: 'Payload and statuses of: by me' }).click();
  const details = page.getByRole('dialog', { name: 'Message to the contact' });
  await details.getByRole('tab', { name: 'Statuses' }).click();
  await details.getByText('No report yet').waitFor();
  await details.getByRole('button', { name: 'Copy “failed” as code' }).waitFor();
  for (const status of ['sent', 'read']) {
    await details.getByRole('button', { name: status, exact: true }).click();
    await details.getByRole('cell', { name: status, exact: true }).waitFor();
  }
  t.strictSame(await violationsInBothThemes(page), []);
  await details.getByLabel('Reason of a failure').fill('no such phone');
  await details.getByRole('button', { name: 'failed', exact: true }).click();
  await details.getByRole('cell', { name: /no such phone/ }).waitFor();
  await page.keyboard.press('Escape');
  await eventually(async () => (await messagesOf(conversation))[0].statuses.length === 3);
  t.match((await messagesOf(conversation))[0].statuses, [
    { status: 'sent' },
    { status: 'read' },
    { status: 'failed', errors: [{ details: 'no such phone' }] },
  ]);

  const other = await writeToChannel('hello');
  await page.getByRole('option', { name: /Ben/ }).click();
  await reply('through the connector');
  const onChannel = phoneOf(page, 'Ben');
  await onChannel.getByText('✓ accepted', { exact: true }).waitFor();
  await onChannel.getByRole('button', { name: 'Payload and statuses of: through the connector' }).click();
  await details.getByRole('tab', { name: 'Statuses' }).click();
  await details.getByRole('button', { name: 'delivered', exact: true }).click();
  await details.getByRole('cell', { name: 'delivered', exact: true }).waitFor();
  t.match((await messagesOf(other))[0], { status: 'delivered' });
  t.strictSame(failures, []);
});

t.test(
  'a text that is typed while a message is being sent is kept, and a failure puts the message back',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, write, messagesOf } = await startInbox(t);
    const conversation = await write('hi');
    const { page } = await open(t, `inbox/${conversation}`, { width: 1280 });
    let isUp = true;
    let respond = (): void => {};
    await page.route(/messages$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return isUp ? route.continue() : route.abort();
    });
    const fields = { 'by Ann': 'Message, as Ann', 'by the desk': 'Reply' };
    for (const [by, name] of Object.entries(fields)) {
      const field = page.getByRole('textbox', { name });
      isUp = true;
      await field.pressSequentially(`first ${by}`);
      await Promise.all([page.waitForRequest(/messages$/), field.press('Enter')]);
      await field.pressSequentially('second');
      respond();
      await eventually(async () => (await messagesOf(conversation)).some((one) => JSON.stringify(one).includes(`first ${by}`)));
      await page.getByText(`first ${by}`).first().waitFor();
      t.equal(await field.inputValue(), 'second');
      isUp = false;
      await Promise.all([page.waitForRequest(/messages$/), field.press('Enter')]);
      await field.pressSequentially('third');
      respond();
      await t.resolves(eventually(async () => (await field.inputValue()) === 'second\nthird'));
      await field.fill('');
    }
  },
);

t.test(
  'each conversation keeps what I typed; j and k add no steps to the history; namesakes have an address',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, write, writeToChannel } = await startInbox(t);
    const first = await write('hi');
    await write('hello', '+27820001002', 'Ann');
    await writeToChannel('hey');
    const { page, failures } = await open(t, `inbox/${first}`, { width: 1280 });
    const option = (name: RegExp) => page.getByRole('option', { name });
    await option(/Ann 27820001001/).waitFor();
    await option(/Ann 27820001002/).waitFor();
    t.equal(await option(/Ben web-1/).count(), 0, 'Ben has no namesake');
    const fields = [page.getByRole('textbox', { name: 'Message, as' }), page.getByRole('textbox', { name: 'Reply' })];
    const typed = async () => Promise.all(fields.map((field) => field.inputValue()));
    for (const [at, field] of fields.entries()) await field.fill(`for the first ${at}`);
    await phoneOf(page, 'Ann')
      .locator('input[type=file]')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    await page.getByRole('listbox').focus();
    const steps = await page.evaluate<number>('history.length');
    const [addresses, began] = [[] as string[], page.url()];
    for (const key of ['k', 'k', 'k', 'j']) {
      await page.keyboard.press(key);
      addresses.push(page.url());
    }
    t.equal(await page.evaluate('history.length'), steps);
    t.ok(new Set(addresses).size > 1);
    await option(/Ben/).click();
    await phoneOf(page, 'Ben').waitFor();
    t.strictSame(await typed(), ['', '']);
    await fields[0]!.fill('for Ben');
    await option(/Ann 27820001001/).click();
    await phoneOf(page, 'Ann').getByText('note.txt').waitFor();
    t.equal(page.url(), began);
    t.strictSame(await Promise.all([page.getByLabel('Caption, as Ann').inputValue(), fields[1]!.inputValue()]), [
      'for the first 0',
      'for the first 1',
    ]);
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.waitForURL(/numbers/);
    await page.goBack();
    await option(/Ben/).click();
    await phoneOf(page, 'Ben').waitFor();
    t.strictSame(await typed(), ['for Ben', ''], 'also after another page');
    t.strictSame(failures, []);
  },
);

const QUIET_MS = patient(400);

t.test('a contact beyond the newest 500 conversations is found, after older ones were read', { skip: onlyLong || skip }, async (t) => {
  const { open, sandbox, network } = await startInbox(t);
  const { platform } = sandbox;
  const number = await platform.numbers.require(network.uuid);
  let newestEvent = 0;
  platform.listen(() => {
    newestEvent = performance.now();
  });
  const write = (from: number, to: number) =>
    platform.store.transaction(async (tx) => {
      for (let i = from; i < to; i++) {
        const [id, address] = [`m-${i}`, String(27_820_001_000 + i)];
        const contact = { id: address, name: `Contact ${i}` };
        const message = { id, contact, from: address, timestamp: '1767600000', type: 'text', content: { text: { body: id } } } as const;
        await platform.messages.received(tx, number, message);
      }
    });
  for (let i = 0; i < 510; i += 30) {
    await write(i, i + 30);
    // Connections that the server keeps open would time out while it is blocked.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  // A late event about an older conversation would add it to the list of the page.
  while (performance.now() - newestEvent < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 50));
  const { page, failures } = await open(t, 'inbox?q=Contact+3', { width: 1280 });
  const third = page.getByRole('option', { name: /Contact 3\b/ });
  await page.getByRole('option').first().waitFor();
  t.equal(await third.count(), 0);
  await page.goto(page.url().replace(/q=.*/, 'q=27820001003'));
  await page.getByText('No conversation matches among the newest 500.').waitFor();
  await page.getByRole('button', { name: 'Show older conversations' }).click();
  await third.waitFor();
  t.equal(await page.getByRole('button', { name: 'Show older conversations' }).count(), 0, 'there are no more');
  await write(510, 511);
  await page.getByLabel(/Filter contacts/).fill('Contact 510');
  await page.getByRole('option', { name: /Contact 510/ }).waitFor();
  await page.getByLabel(/Filter contacts/).fill('27820001003');
  await third.waitFor();
  t.strictSame(failures, []);
});

t.test('without conversations the page says how to begin, and a refused message says why', { skip: onlyLong || skip }, async (t) => {
  const { open, channel, write, admin } = await startInbox(t);
  for (const width of [430, 1280]) {
    const { page, giveBack } = await open(t, 'inbox?part=phone', { width });
    await page.getByRole('heading', { name: 'No conversations' }).waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    t.notOk(await overflows(page), `${width} px`);
    await giveBack();
  }
  const { page } = await open(t, 'inbox', { width: 1280 });
  await page.getByRole('button', { name: 'New contact' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New contact' });
  await dialog.getByLabel('Writes to').selectOption(channel.uuid);
  await dialog.getByLabel('Name').fill(' ');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByRole('alert').getByText("contact.profile.name: can't be blank").waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.goto(page.url().replace(/\/inbox.*/, '/inbox/00000000-0000-4000-8000-000000000000'));
  await page.getByRole('heading', { name: 'There is no such conversation' }).waitFor();

  await page.goto(page.url().replace(/\/inbox.*/, `/inbox/${await write('hi')}`));
  await phoneOf(page, 'Ann').waitFor();
  await admin('POST', '/state/reset', {});
  await page.getByRole('heading', { name: 'There is no such conversation' }).waitFor();
  t.equal(await deskOf(page).count(), 0, 'the desk does not show what is gone');
});

t.test('without numbers the page leads to the pages that create them', { skip: onlyLong || skip }, async (t) => {
  const { open } = await startConsole(t);
  const { page } = await open(t, 'inbox', { width: 1280 });
  await page.getByText('There is no number that contacts could write to.').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('link', { name: 'Create a number' }).click();
  await page.waitForURL(/\/console\/numbers/);
});

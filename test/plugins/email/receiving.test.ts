import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import t from 'tap';
import { ANN, BOB, listenerPort, startNumber } from './number-under-test.js';

/** Speaks SMTP line by line. @returns the last line of each answer */
async function dialog(port: number, lines: readonly string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  const answers: string[] = [];
  let next = 0;
  for await (const line of createInterface({ input: socket })) {
    if (/^\d{3}-/.test(line)) continue;
    answers.push(line);
    if (next < lines.length) socket.write(`${lines[next++]}\r\n`);
  }
  return answers;
}

const text = (body: string) => ({ type: 'text', text: { body } });
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

for (const via of ['smtp', 'imap'] as const)
  t.test(`mails arrive by ${via}, once each, and what they answer is known`, async (t) => {
    const { send, settle, until, standIn, received, message, problems, admin } = await startNumber(t, { via });
    await settle();
    await standIn.write(ANN, 'Is the library open?', { id: 'one@people.example', subject: 'Opening hours', name: 'Ann Lee' });
    await until(() => received().length === 1);
    const [first] = received();
    t.match(first, { from: ANN, external_id: 'one@people.example', type: 'text', content: { text: { body: 'Is the library open?' } } });
    t.match(first.channel, { subject: 'Opening hours', message_id: 'one@people.example', via });
    const original = await admin('GET', `/email/originals/${first.uuid}`);
    t.equal(original.status, 200);
    t.match(String(original.body), 'Subject: Opening hours');
    const uuid = await send(text('Until six.'));
    await settle();
    t.match(standIn.sent[0], { subject: 'Re: Opening hours', headers: { 'in-reply-to': '<one@people.example>' } });
    await standIn.reply(standIn.sent[0]!, 'Thank you!', { id: 'two@people.example' });
    await standIn.write(ANN, 'Is the library open?', { id: 'one@people.example', subject: 'Opening hours' });
    await standIn.write(ANN, 'One more', { id: 'three@people.example', files: [{ type: 'image/png', filename: 'a.png', bytes: PNG }] });
    await until(() => received().length === 4);
    t.match(received()[1], { content: { text: { body: 'Thank you!' } }, context: { id: (await message(uuid)).external_id } });
    t.match(
      received()
        .slice(2)
        .map(({ type, external_id: id }: { type: string; external_id: string }) => [type, id]),
      [
        ['text', 'three@people.example'],
        ['image', 'three@people.example#2'],
      ],
    );
    t.same(problems(), []);
  });

t.test('only the own addresses are taken, and no broken mails', async (t) => {
  const test = await startNumber(t, { number: { aliases: ['help@shop.example'] } });
  const { standIn, until, received } = test;
  await t.rejects(standIn.write(ANN, 'hi', { to: 'unknown@shop.example' }), { message: /550/ });
  const start = ['EHLO x.example', `MAIL FROM:<${ANN}>`, `RCPT TO:<${standIn.address}>`, 'DATA'];
  const answers = await dialog(await listenerPort(test), [...start, 'From: a@b.example\r\n\r\none\ntwo\r\n.', 'QUIT']);
  t.match(answers.at(-2), /^550 .*CR and LF/);
  t.match((await dialog(await listenerPort(test), ['EHLO x.example', 'AUTH PLAIN AGEAYg==', 'QUIT'])).at(-2), /^5/, 'a login is refused');
  await standIn.write(ANN, 'to the alias', { to: 'HELP@shop.example' });
  await until(() => received().length === 1);
});

t.test('a mail with a known Message-ID and another text is advice, and one of another contact a warning', async (t) => {
  const { standIn, until, received, told, problems, settle } = await startNumber(t);
  const about = { id: 'one@people.example' };
  await standIn.write(ANN, 'The first', about);
  await until(() => received().length === 1);
  await standIn.write(ANN, 'The first', about);
  await settle();
  t.same(told('advice'), []);
  await standIn.write(ANN, 'The second', about);
  await until(() => told('advice').length === 1);
  t.match(told('advice'), [{ name: 'inbound_id_repeated', about: { message: received()[0].uuid } }]);
  await standIn.write(BOB, 'The third', about);
  await until(() => problems().length === 1);
  t.same(problems(), ['a message of a contact was not recorded']);
  t.equal(received().length, 1);
});

t.test('an answer counts only from the contact that got the message', async (t) => {
  const { send, settle, until, standIn, received } = await startNumber(t);
  await send(text('to Ann'));
  await settle();
  await standIn.write(BOB, 'I got it forwarded', { inReplyTo: standIn.sent[0]!.id });
  await until(() => received().length === 1);
  t.match(received()[0], { from: BOB, context: undefined });
});

t.test('a number in the text chooses an option', async (t) => {
  const { send, settle, until, standIn, received, message } = await startNumber(t);
  await standIn.write(ANN, 'hi');
  await until(() => received().length === 1);
  const buttons = [
    { type: 'reply', reply: { id: 'r', title: 'Renew' } },
    { type: 'reply', reply: { id: 'b', title: 'Bring back' } },
  ];
  const uuid = await send({ type: 'interactive', interactive: { type: 'button', body: { text: 'Which?' }, action: { buttons } } });
  await settle();
  t.equal(standIn.sent[0]!.text, 'Which?\n\n1. Renew\n2. Bring back\nReply with the number.');
  await standIn.reply(standIn.sent[0]!, '2');
  await until(() => received().length === 2);
  t.match(received()[1], {
    type: 'interactive',
    content: { interactive: { type: 'button_reply', button_reply: { id: 'b', title: 'Bring back' } } },
    context: { id: (await message(uuid)).external_id },
  });
});

t.test('a plus address finds the message, and proves that it is the own one', async (t) => {
  const { send, settle, until, standIn, received, message } = await startNumber(t, { number: { plus_addresses: true } });
  const uuid = await send(text('to Ann'));
  await settle();
  const to = standIn.sent[0]!.headers['reply-to']!;
  t.match(to, /^support\+[a-z\d]{32}\.[a-z\d]{8}@shop\.example$/);
  t.equal(standIn.sent[0]!.from, to, 'reports go there, too');
  await standIn.write(ANN, 'without the headers of an answer', { to });
  await until(() => received().length === 1);
  t.equal(received()[0].context?.id, (await message(uuid)).external_id);
  await t.rejects(standIn.write(ANN, 'forged', { to: to.replace(/\w@/, (one) => `${one[0] === 'a' ? 'b' : 'a'}@`) }), { message: /550/ });
});

t.test('a mailbox that counts from 1 again, or breaks the connection, loses and doubles nothing', async (t) => {
  const { settle, until, standIn, received, problems } = await startNumber(t, { via: 'imap' });
  await settle();
  for (const n of [1, 2, 3]) await standIn.write(ANN, `mail ${n}`, { id: `m${n}@people.example` });
  await until(() => received().length === 3);
  standIn.mailbox.changeValidity();
  await standIn.write(ANN, 'mail 4', { id: 'm4@people.example' });
  await settle(2_000);
  await until(() => received().length === 4);
  standIn.mailbox.cut();
  await standIn.write(ANN, 'mail 5', { id: 'm5@people.example' });
  await settle(5_000);
  await until(() => received().length === 5);
  t.same(
    received().map(({ content }: { content: { text: { body: string } } }) => content.text.body),
    [1, 2, 3, 4, 5].map((n) => `mail ${n}`),
  );
  t.same(new Set(problems()), new Set(['receiving failed, and is tried again']));
});

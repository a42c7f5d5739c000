import t from 'tap';
import { signatureOf } from '../../../plugins/sms/gateways/twilio.js';
import { createConsent } from '../../../plugins/sms/receiving/opt-out.js';
import { addressesOf } from '../../../plugins/sms/routes.js';
import { ANN, startNumber } from './number-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });
const list = {
  type: 'interactive',
  interactive: {
    type: 'list',
    body: { text: 'How can we help?' },
    action: {
      button: 'Choose',
      sections: [
        { title: 'Library', rows: [{ id: 'hours', title: 'Opening hours', description: 'Today' }] },
        { title: 'Shop', rows: [{ id: 'cards', title: 'Cards' }] },
      ],
    },
  },
};
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

t.test('the signature is that of the documentation of Twilio, and of repeated fields each value counts once', async (t) => {
  const form = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  });
  t.equal(signatureOf('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', form), 'RSOYDt4T1cUTdK1PDd93/VVr8B8=');
  const repeated = new URLSearchParams('b=2&a=y&a=x&a=x&c=');
  t.equal(signatureOf('k', 'https://x/', repeated), signatureOf('k', 'https://x/', new URLSearchParams('a=x&a=y&b=2&c=')));
  t.same(addressesOf('https://a.test/b?c=d e'), [
    'https://a.test/b?c=d e',
    'https://a.test:443/b?c=d e',
    'https://a.test/b?c=d%20e',
    'https://a.test:443/b?c=d%20e',
  ]);
  t.same(addressesOf('http://a.test:8080/b'), ['http://a.test:8080/b', 'http://a.test/b']);
});

for (const shape of ['twilio', 'africas_talking'] as const)
  t.test(`${shape}: messages arrive once, of phone numbers, short codes and names`, async (t) => {
    const { standIn, settle, told, problems } = await startNumber(t, { shape });
    const written: [from: string, body: string][] = [
      [ANN, 'Grüße 👋 & more +1 = 2'],
      ['22345', 'your code'],
      ['BANK', 'your balance'],
      ['15550100009', 'without a plus'],
    ];
    for (const [from, body] of written) await standIn.write(from, body);
    await standIn.repeat();
    await settle();
    t.same(
      told('message.received').map(({ message }) => [message.from, message.content.text.body]),
      written.map(([from, body]) => [from === '15550100009' ? '+15550100009' : from, body]),
    );
    t.match(standIn.callbacks[0]!.answer, { status: 200, body: '<Response/>' });
    t.match(String(standIn.callbacks[0]!.answer!.headers!['content-type']), /^text\/xml/);
    t.same(problems(), []);
  });

t.test('calls without the signature or the secret are refused, and nothing of them is stored', async (t) => {
  const twilio = await startNumber(t);
  await twilio.standIn.write(ANN, 'forged', { signature: 'x'.repeat(28) });
  await twilio.standIn.write(ANN, 'forged', { signature: '' });
  const path = `/sms/${twilio.uuid}/messages`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const payload = 'MessageSid=SM1&From=%2B15550100001&Body=x';
  const refused = await twilio.server.inject({ method: 'POST', url: path, headers, payload });
  t.match(refused, { statusCode: 401, headers: { 'x-posthorn-cause': 'sms_signature_wrong' } });
  t.match(await twilio.server.inject({ method: 'POST', url: '/sms/none/messages', headers, payload }), { statusCode: 404 });
  // With the port that Twilio sometimes adds.
  const url = `https://posthorn.test:443${path}`;
  const signature = signatureOf(twilio.standIn.token, url, new URLSearchParams(payload));
  const good = { ...headers, 'x-twilio-signature': signature };
  t.match(await twilio.server.inject({ method: 'POST', url: path, headers: good, payload }), { statusCode: 200 });
  // Signed, and no message.
  const none = { ...headers, 'x-twilio-signature': signatureOf(twilio.standIn.token, url, new URLSearchParams('a=b&From=')) };
  t.match(await twilio.server.inject({ method: 'POST', url: path, headers: none, payload: 'a=b&From=' }), { statusCode: 200 });
  await twilio.settle();
  t.same(
    twilio.told('message.received').map(({ message }) => message.content.text.body),
    ['x'],
  );
  const at = await startNumber(t, { shape: 'africas_talking' });
  const form = 'id=1&from=%2B254711000001&text=hi&to=12345';
  for (const query of ['', '?secret=', `?secret=${at.uuid}`, '?secret=wrong'])
    t.match(await at.server.inject({ method: 'POST', url: `/sms/${at.uuid}/messages${query}`, headers, payload: form }), {
      statusCode: 401,
    });
  await at.settle();
  t.equal(at.told('message.received').length, 0);
});

t.test('a reply with the number or the title of an option is its reply, until the next options', async (t) => {
  const { standIn, settle, send, told, message } = await startNumber(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const uuid = await send(list);
  await settle();
  t.equal(standIn.sent.at(-1)!.text, 'How can we help?\n\nLibrary\n1 Opening hours - Today\nShop\n2 Cards\nReply with the number.');
  for (const answer of ['2', ' 2. ', 'CARDS']) {
    await standIn.write(ANN, answer);
    await settle();
    t.match(told('message.received').at(-1).message, {
      type: 'interactive',
      content: { interactive: { type: 'list_reply', list_reply: { id: 'cards', title: 'Cards' } } },
      context: { id: (await message(uuid)).external_id },
    });
  }
  for (const other of ['3', 'two', '22']) {
    await standIn.write(ANN, other);
    await settle();
    t.match(told('message.received').at(-1).message, { type: 'text', content: { text: { body: other } } });
  }
});

t.test('files of an MMS are stored, its text is the caption, and other hosts get no credentials', async (t) => {
  const { standIn, settle, told, platform, http } = await startNumber(t);
  await standIn.write(ANN, 'my card', {
    files: [
      { type: 'application/smil', bytes: Buffer.from('<smil/>') },
      { type: 'image/png', bytes: PNG },
      { type: 'audio/amr', bytes: Buffer.from('a sound') },
    ],
  });
  await settle();
  const received = told('message.received').map(({ message }) => message);
  t.match(received, [
    { type: 'image', content: { image: { caption: 'my card', link: /^media:/, mime_type: 'image/png' } } },
    { type: 'audio', content: { audio: { link: /^media:/ } } },
  ]);
  t.equal(received.length, 2);
  t.same(Buffer.from((await platform.media.get(received[0].content.image.id)).bytes), PNG);
  http.answer('* https://attacker.test/*', { body: 'stolen' });
  await standIn.write(ANN, '', { fields: { NumMedia: '1', MediaUrl0: 'https://attacker.test/a', MediaContentType0: 'image/png' } });
  await settle();
  t.match(told('message.received').at(-1).message, { type: 'image', errors: [{ code: 131052, details: /another host/ }] });
  t.equal(http.callsTo('* https://attacker.test/*').length, 0);
  standIn.fault({ times: 1, on: { path: 'file' }, respond: { status: 307, headers: { location: 'https://cdn.test/file' } } });
  http.answer('GET https://cdn.test/file', { body: 'redirected' });
  await standIn.write(ANN, '', { files: [{ type: 'image/png', bytes: PNG }] });
  await settle();
  const { id } = told('message.received').at(-1).message.content.image;
  t.equal(Buffer.from((await platform.media.get(id)).bytes).toString(), 'redirected');
  t.equal(http.callsTo('GET https://cdn.test/file')[0]!.headers.authorization, undefined);
  standIn.fault({ times: 1, on: { path: 'file' }, respond: { status: 404 } });
  await standIn.write(ANN, 'gone', { files: [{ type: 'image/png', bytes: PNG }] });
  await standIn.write(ANN, '');
  await settle();
  const [gone, empty] = told('message.received').slice(-2);
  t.match(gone.message, { type: 'image', content: { image: { caption: 'gone' } }, errors: [{ code: 131052 }] });
  t.match(empty.message, { type: 'unsupported', content: { unsupported: { From: ANN } } });
});

t.test('a file that cannot be fetched now is fetched later', async (t) => {
  const { standIn, settle, told } = await startNumber(t);
  standIn.fault({ times: 2, on: { path: 'file' }, respond: { status: 503 } });
  await standIn.write(ANN, 'later', { files: [{ type: 'image/png', bytes: PNG }] });
  await settle();
  t.equal(told('message.received').length, 0);
  await settle(60 * 60_000);
  t.match(told('message.received'), [{ message: { type: 'image', content: { image: { link: /^media:/ } } } }]);
});

t.test('words of consent are found in several languages, and only as whole messages', async (t) => {
  const consent = createConsent(['genoeg']);
  for (const word of ['STOP', ' stop. ', 'Stop!', 'Abmelden', 'Kündigen', 'ARRÊT', 'arrêter', 'Baja', 'parar', 'Sair', 'Opt-out', 'Genoeg'])
    t.equal(consent(word), 'stop', word);
  for (const word of ['START', 'yes', 'Sí', 'oui', 'ja']) t.equal(consent(word), 'start', word);
  for (const other of ['stop it please', 'do not stop', 'bus stop', '', '1']) t.equal(consent(other), undefined, other);
});

t.test('an opt-out is confirmed once, blocks the contact, and START lifts the block', async (t) => {
  const { standIn, settle, send, told, platform, uuid } = await startNumber(t, { shape: 'africas_talking', number: { language: 'de' } });
  const blocked = async () => (await platform.contacts.known(uuid, ANN))!.blocked;
  await send(list);
  await settle();
  await standIn.write(ANN, 'Stopp!');
  await standIn.write(ANN, 'stop');
  await settle();
  t.same(standIn.sent.map((one) => one.text).slice(1), ['Sie erhalten von uns keine Nachrichten mehr. Mit START erhalten Sie sie wieder.']);
  t.match(told('contact.blocked'), [{ by: 'contact', reason: 'The contact has written "Stopp!"' }]);
  t.same(
    told('message.received').map(({ message }) => message.content.text.body),
    ['Stopp!', 'stop'],
  );
  await t.rejects(send(text('news')), { message: /has opted out of messages/ });
  await standIn.write(ANN, 'hello?');
  await settle();
  t.ok(await blocked(), 'another message is no consent');
  await standIn.write(ANN, 'Start');
  await settle();
  t.equal(await blocked(), undefined);
  t.equal(told('contact.unblocked').length, 1);
  await send(text('news'));
  await settle();
  t.equal(standIn.sent.at(-1)!.text, 'news');
});

t.test('Twilio confirms its own words, and Posthorn the others; opt-out words win over options', async (t) => {
  const { standIn, settle, send, told, platform, uuid } = await startNumber(t);
  await send({
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Keep the loan?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'c', title: 'Cancel' } }] },
    },
  });
  await settle();
  await standIn.write(ANN, 'cancel');
  await settle();
  t.match(told('message.received').at(-1).message, { type: 'text' });
  t.equal(standIn.sent.length, 1, 'Twilio has answered');
  t.match(told('contact.blocked'), [{ by: 'contact' }]);
  await standIn.write(ANN, 'START');
  await settle();
  await standIn.write(ANN, 'baja');
  await settle();
  t.match(standIn.sent.at(-1), { text: /no more messages/ });
  t.match(await platform.contacts.known(uuid, ANN), { blocked: { contact: {} } });
});

t.test("Africa's Talking tells of an opt-out without a message", async (t) => {
  const { standIn, settle, server, told, send, admin } = await startNumber(t, { shape: 'africas_talking' });
  await send(text('hi'), '+254711000001');
  await settle();
  const { messages } = (await admin('GET', '/connections')).body.connections[0].details;
  const url = String(messages).replace('https://posthorn.test', '');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  // With a plus that is not escaped.
  const { statusCode } = await server.inject({ method: 'POST', url, headers, payload: 'senderId=12345&phoneNumber=+254711000001' });
  t.equal(statusCode, 200);
  await settle();
  t.match(told('contact.blocked'), [{ by: 'contact', contact: { id: '+254711000001' } }]);
  t.equal(standIn.sent.length, 1, 'and is not confirmed');
  t.equal(told('message.received').length, 0);
});

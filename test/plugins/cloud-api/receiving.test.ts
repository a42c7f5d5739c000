import { createHash } from 'node:crypto';
import t from 'tap';
import { definePlugin, PlatformError } from '#core';
import { ANN, PHONE_ID, startCloud, WABA } from './cloud-under-test.js';

const text = (body = 'hello') => ({ type: 'text', text: { body } });
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

t.test('the webhook answers the challenge only for the verify token of the number', async (t) => {
  const { call, uuid } = await startCloud(t);
  for (const id of [uuid, uuid.toUpperCase(), PHONE_ID]) {
    const ask = (token: string) =>
      call('GET', `/cloud-api/webhooks/${id}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`);
    const answer = await ask('stand-in-verify-token');
    t.equal(answer.status, 200, id);
    t.equal(answer.body, '1158201444');
    t.match(String(answer.headers['content-type']), /^text\/plain/);
    t.equal((await ask('wrong')).status, 403);
  }
  t.equal(
    (await call('GET', '/cloud-api/webhooks/00000000-0000-4000-8000-000000000000?hub.mode=subscribe&hub.challenge=1&hub.verify_token=x'))
      .status,
    404,
  );
});

t.test('calls need the signature of the bytes as they were received', async (t) => {
  const { standIn, settle, told } = await startCloud(t);
  const before = told('message.received').length;
  for (const signature of ['wrong', 'missing', 'of the unescaped body'] as const) {
    await standIn.write(ANN, 'grüße 😀 1/2', { signature });
    await settle();
  }
  t.equal(told('message.received').length, before);
  t.strictSame(
    standIn.webhooks
      .slice(-3)
      .flatMap(({ attempts }) => attempts.map(({ status }) => status))
      .slice(0, 3)
      .sort(),
    [401, 403, 403],
  );
  await standIn.write(ANN, 'grüße 😀 1/2');
  await settle();
  t.match(told('message.received').at(-1), { message: { content: { text: { body: 'grüße 😀 1/2' } } } });
});

t.test('every type of message arrives as on the local network; unknown types keep their content', async (t) => {
  const { standIn, settle, listen, received, told, send } = await startCloud(t);
  await listen(['msgapp']);
  await send(text('asked'));
  await settle(300);
  const asked = standIn.sent[0]!.id;
  const inbound: Record<string, unknown>[] = [
    { type: 'text', text: { body: 'hi' } },
    { type: 'location', location: { latitude: -33.9, longitude: 18.4, name: 'Library' } },
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Bee' }, phones: [{ phone: '+1', wa_id: '1' }] }] },
    { type: 'button', button: { text: 'Yes', payload: 'y' } },
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } },
    { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'r', title: 'Row', description: 'd' } } },
    { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } } },
  ];
  for (const message of inbound) {
    await standIn.write(ANN, message);
    await settle();
    const { message: recorded } = told('message.received').at(-1);
    t.equal(recorded.type, message.type);
    t.strictSame(recorded.content, { [String(message.type)]: message[String(message.type)] });
  }
  await standIn.write(ANN, { type: 'reaction', reaction: { message_id: asked, emoji: '👍' } });
  await settle();
  const ours = told('message.accepted')[0].message.external_id;
  t.match(told('message.received').at(-1).message.content, { reaction: { message_id: ours, emoji: '👍' } });
  await standIn.write(ANN, { type: 'reaction', reaction: { message_id: asked } });
  await settle();
  t.strictSame(told('message.received').at(-1).message.content, { reaction: { message_id: ours } });
  await standIn.write(ANN, { type: 'hologram', hologram: { depth: 3 } });
  await settle();
  const { message: unknown } = told('message.received').at(-1);
  t.match(unknown, { type: 'unsupported', errors: [{ code: 131051 }] });
  t.match(JSON.stringify(unknown.content), /"depth":3/);
  t.ok(
    received()
      .flatMap(({ json }) => json.messages ?? [])
      .some(({ type }: { type: string }) => type === 'unsupported'),
  );
});

t.test('media files are fetched immediately, and served from the store of the platform', async (t) => {
  for (const switches of [{ mediaUrls: true }, { mediaUrls: false }, { mediaRedirects: true }]) {
    const { standIn, settle, told, call, token, problems } = await startCloud(t, { cloud: { mediaHosts: ['graph.test'] } });
    standIn.change(switches);
    await standIn.write(ANN, { type: 'image', image: { caption: 'look' } }, { file: { bytes: png, mimeType: 'image/png' } });
    await settle();
    const { message } = told('message.received').at(-1);
    const { image } = message.content;
    t.match(
      image,
      { caption: 'look', mime_type: 'image/png', sha256: createHash('sha256').update(png).digest('hex') },
      JSON.stringify(switches),
    );
    t.match(image.file, new RegExp(`/v1/media/${image.id}$`));
    const file = await call('GET', `/v1/media/${image.id}`, { token });
    t.equal(file.status, 200);
    t.match(file.headers['content-type'], /image\/png/);
    t.strictSame(problems(), []);
  }
});

t.test('a voice note is a voice message; a file that is gone, too large or of another type is a message with an error', async (t) => {
  const { standIn, settle, told } = await startCloud(t);
  await standIn.write(ANN, { type: 'audio', audio: { voice: true } }, { file: { bytes: Buffer.from('OggS'), mimeType: 'audio/ogg' } });
  await settle();
  t.match(told('message.received').at(-1), { message: { type: 'voice', content: { voice: { mime_type: 'audio/ogg' } } } });
  const before = told('message.received').length;
  await standIn.write(ANN, { type: 'image', image: { id: '999', mime_type: 'image/png', sha256: 'x' } });
  await settle();
  t.match(told('message.received').slice(before), [{ message: { type: 'image', errors: [{ code: 131052 }] } }]);
  await standIn.write(ANN, { type: 'sticker', sticker: {} }, { file: { bytes: Buffer.alloc(600 * 1024), mimeType: 'image/webp' } });
  await settle();
  t.match(told('message.received').at(-1), {
    message: { type: 'sticker', errors: [{ code: 131052, details: /at most 512000|more than 512000/ }] },
  });
  const page = { bytes: Buffer.from('<script>'), mimeType: 'text/html' };
  await standIn.write(ANN, { type: 'image', image: {} }, { file: page });
  await standIn.write(ANN, { type: 'document', document: { filename: 'a.html' } }, { file: page });
  await settle();
  const [refused, taken] = told('message.received').slice(-2);
  t.match(refused.message.errors, [{ code: 131052, details: /type image has the type text\/html/ }]);
  t.notOk('link' in refused.message.content.image);
  t.match(taken.message, { type: 'document', content: { document: { mime_type: 'text/html', link: String } } });
});

t.test('an expired address is looked up again, and a file that cannot be fetched for long is a message with an error', async (t) => {
  const { standIn, settle, told } = await startCloud(t, { cloud: { mediaHosts: ['graph.test'] } });
  const file = { bytes: png, mimeType: 'image/png' };
  const downloads = () => standIn.requests.filter(({ url }) => url.includes('/media-files/')).length;
  standIn.rule({ on: { path: '/media-files/*' }, times: 1, respond: { status: 404 } });
  await standIn.write(ANN, { type: 'image', image: {} }, { file });
  await settle();
  t.match(told('message.received').at(-1), { message: { content: { image: { link: String } } } });
  t.equal(downloads(), 2);

  const before = told('message.received').length;
  const rule = standIn.rule({ on: { path: '/media-files/*' }, respond: { status: 503, body: 'busy' } });
  await standIn.write(ANN, { type: 'image', image: { caption: 'late' } }, { file });
  await standIn.write(ANN, 'after it');
  await settle();
  t.match(told('message.received').slice(before), [{ message: { type: 'text' } }], 'other messages do not wait for the file');
  await settle(60 * 60 * 1000);
  t.match(told('message.received').slice(before + 1), [
    { message: { type: 'image', content: { image: { caption: 'late' } }, errors: [{ code: 131052 }] } },
  ]);
  standIn.rules.remove(rule.id);
});

t.test('the token goes only to the hosts of the network, also after a redirect', async (t) => {
  const { standIn, settle, http, told } = await startCloud(t, { cloud: { mediaHosts: ['files.test', '.cdn.test'] } });
  const hosts = ['files.test', 'a.cdn.test', 'cdn.test.evil.test', 'evilcdn.test', 'sub.files.test'];
  for (const host of hosts) http.answer(`GET https://${host}/*`, { headers: { 'content-type': 'image/png' }, body: png });
  http.answer('GET https://graph.test/redirect', { status: 302, headers: { location: 'https://evil.test/stolen' } });
  http.answer('GET https://evil.test/*', { headers: { 'content-type': 'image/png' }, body: png });
  for (const url of [...hosts.map((host) => `https://${host}/file`), 'https://graph.test/redirect']) {
    await standIn.write(ANN, { type: 'image', image: { id: '77', url, mime_type: 'image/png' } });
    await settle();
    t.match(told('message.received').at(-1), { message: { content: { image: { link: String } } } }, url);
  }
  const withToken = (host: string) =>
    http.calls.filter(({ url }) => new URL(url).host === host).map(({ headers }) => 'authorization' in headers);
  t.strictSame(
    [...hosts, 'evil.test'].map((host) => [host, ...withToken(host)]),
    [...hosts.map((host) => [host, host === 'files.test' || host === 'a.cdn.test']), ['evil.test', false]],
  );
});

t.test('one call with several entries, changes, unknown numbers and types loses nothing', async (t) => {
  const { standIn, settle, told, send } = await startCloud(t);
  await send(text());
  await settle();
  const before = told('message.received').length;
  await standIn.inOneCall(async () => {
    for (const body of ['a', 'b']) await standIn.write(ANN, body);
    await standIn.write('16505550002', 'c');
    await standIn.write(ANN, { type: 'hologram', hologram: {} });
    await standIn.status(standIn.sent[0]!.id, 'read');
    await standIn.emit({
      wabaId: WABA,
      phoneNumberId: '999',
      field: 'messages',
      value: { metadata: { phone_number_id: '999' }, messages: [{ id: 'x', from: '1', type: 'text' }] },
    });
  });
  await settle();
  t.equal(told('message.received').length - before, 4);
  t.equal(told('message.status').filter(({ report }) => report.status === 'read').length, 1);
  const last = standIn.webhooks.at(-1)!;
  t.match(last.attempts, [{ status: 200 }]);
});

t.test('duplicates change nothing, also concurrent ones and late ones', async (t) => {
  const { standIn, settle, told, listen, received } = await startCloud(t);
  await listen(['msgapp']);
  await standIn.write(ANN, 'once', { copies: 2 });
  await settle();
  const count = told('message.received').length;
  await standIn.resend(standIn.webhooks.at(-1)!, 3);
  await settle(3 * 60 * 60 * 1000);
  await standIn.resend(standIn.webhooks.at(-1)!);
  await settle();
  t.equal(told('message.received').length, count);
  t.equal(received().flatMap(({ json }) => json.messages ?? []).length, 1);
});

t.test('statuses in any order, doubled, and without callback data leave the right state', async (t) => {
  const { standIn, settle, send, platform, uuid, told } = await startCloud(t);
  standIn.change({ statuses: 'manual' });
  const { id } = (await send(text())).body.messages[0];
  await settle();
  const wamid = standIn.sent[0]!.id;
  for (const status of ['read', 'delivered', 'sent', 'read', 'played'] as const) await standIn.status(wamid, status);
  await settle();
  t.match(await platform.messages.known(uuid, 'outbound', id), { status: 'read' });
  t.equal(told('message.status').length, 3, 'each once; played is not a status of ours');
});

t.test('statuses that overtake the answer are joined, with and without callback data', async (t) => {
  for (const hasData of [true, false]) {
    const { standIn, settle, send, told, listen, received } = await startCloud(t);
    await listen(['svc', 'msgapp']);
    standIn.change({ statuses: 'manual' });
    standIn.rule({ on: { method: 'POST', path: '/*/messages' }, times: 1, holdMs: 500 });
    const { id } = (await send(text())).body.messages[0];
    await settle(100);
    const wamid = standIn.sent[0]!.id;
    t.equal(told('message.accepted').length, 0, 'the answer is not here yet');
    if (hasData) await standIn.status(wamid, 'delivered');
    else {
      const statuses = [{ id: wamid, status: 'delivered', timestamp: '1767600000', recipient_id: ANN }];
      const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: PHONE_ID }, statuses };
      await standIn.emit({ wabaId: WABA, phoneNumberId: PHONE_ID, field: 'messages', value });
    }
    await settle();
    t.equal(told('message.accepted').length, hasData ? 1 : 0, 'callback data proves the acceptance');
    await settle(1_000);
    t.equal(told('message.accepted').length, 1);
    t.match(told('message.status'), [{ message: { external_id: id }, report: { status: 'delivered' } }]);
    t.equal(received().filter(({ headers }) => headers['x-svc-hook-subscription'] === 'svc').length, 1);
    await settle(1_000_000);
    t.equal(standIn.sent.length, 1);
  }
});

t.test('users without a phone number write, and get replies by their user id', async (t) => {
  const { standIn, settle, told, send } = await startCloud(t);
  standIn.contact('16505557777', { hidesNumber: true, name: 'Hidden' });
  await standIn.write('16505557777', 'hi');
  await settle();
  const { message, contact } = told('message.received').at(-1);
  t.match(message.from, /^[A-Z]{2}\./);
  const answer = await send({ ...text('welcome'), to: contact.id });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  await settle(300);
  t.match(standIn.requests.filter(({ url }) => url.endsWith('/messages')).at(-1)!.json, { recipient: contact.id });
  t.match(told('message.status').at(-1), { report: { status: 'delivered' } });
});

t.test('quality and account events become advice', async (t) => {
  const { standIn, settle, told } = await startCloud(t);
  await standIn.changeQuality(PHONE_ID, 'RED');
  await settle();
  t.match(told('advice'), [{ name: 'cloud_api_quality', message: /FLAGGED/ }]);
});

t.test('read receipts and typing reach the network', async (t) => {
  const { standIn, settle, call, token, told } = await startCloud(t);
  const { message } = told('message.received').at(-1);
  const mark = (body: object) => call('PUT', `/v1/messages/${message.external_id}`, { token, payload: body });
  t.strictSame((await mark({ status: 'read', typing_indicator: { type: 'text' } })).body, {});
  await settle();
  t.match(standIn.readMarks, [{ id: message.external_id, isTyping: true }]);
});

t.test('a message that a plugin refuses is acknowledged and logged, and not stored; others are', async (t) => {
  const strict = definePlugin({
    name: 'strict',
    version: '1.0.0',
    register: () => ({
      beforeReceive: [
        (_, { message }) => {
          if (JSON.stringify(message.content).includes('darn')) throw new PlatformError(403, 'forbidden_word', 'The word is forbidden');
        },
      ],
    }),
  });
  const { standIn, settle, told, log } = await startCloud(t, { more: [strict()] });
  const before = told('message.received').length;
  await standIn.write(ANN, 'darn');
  await standIn.write(ANN, 'fine');
  await settle();
  await settle(60 * 60 * 1000);
  t.strictSame(
    standIn.webhooks.slice(-2).map(({ attempts }) => attempts.map(({ status }) => status)),
    [[200], [200]],
    'the network has no reason to repeat it',
  );
  t.match(told('message.received').slice(before), [{ message: { content: { text: { body: 'fine' } } } }]);
  const refused = log.lines.filter(({ message }) => message === 'a message of a contact was not recorded');
  t.match(refused, [{ level: 'warn', fields: { plugin: 'strict', message_id: /^wamid/ } }]);
  t.equal(refused.length, 1, 'the job is not repeated');
});

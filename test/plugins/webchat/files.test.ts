import t from 'tap';
import type { CallRefused } from '../../../plugins/webchat/testing/index.js';
import { startChat } from './chat-under-test.js';

const chat = await startChat(t, { privateTargets: 'allow' });
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const refusal = async (work: Promise<unknown>) => {
  const error = (await work.then(
    () => undefined,
    (one) => one,
  )) as CallRefused | undefined;
  return error && [error.status, error.reason];
};
const png = { name: 'pixel.png', type: 'image/png' };

t.test('a file is sent with its caption, and shown by its URL', async (t) => {
  const ann = chat.visitor();
  await ann.open();
  const sent = await ann.sendFile(PNG, { ...png, caption: 'a dot' });
  t.match(sent, {
    type: 'image',
    file: { kind: 'image', type: 'image/png', name: 'pixel.png', size: PNG.length, caption: { body: 'a dot' } },
  });
  const { content } = (await chat.platform.messages.get(sent.id))!;
  t.match(content, { image: { mime_type: 'image/png', caption: 'a dot', filename: 'pixel.png', link: /^media:/ } });
  const shown = await ann.file(sent.file!.url);
  t.strictSame(Buffer.from(await shown.arrayBuffer()), PNG);
  t.match(Object.fromEntries(shown.headers), {
    'content-type': 'image/png',
    'content-disposition': /^inline/,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
  });
  const [path] = sent.file!.url.split('?');
  t.equal((await ann.file(path!)).status, 401, 'without signature and token');
  t.equal((await ann.file(`${path}?token=${ann.token}`)).status, 200, 'with the token of the session');
  const ben = chat.visitor();
  await ben.open();
  t.equal((await ben.file(`${path}?token=${ben.token}`)).status, 404, 'a file of another visitor');
});

t.test('the type is found by the bytes: nothing that could be a page is accepted', async (t) => {
  const ann = chat.visitor();
  await ann.open();
  const send = (bytes: string | Buffer, name: string, type: string) => ann.sendFile(Buffer.from(bytes as string), { name, type });
  const refused = [415, 'webchat_file_refused'];
  t.strictSame(await refusal(send('<html><script>alert(1)</script>', 'x.html', 'text/html')), refused);
  t.strictSame(await refusal(send('<svg xmlns="http://www.w3.org/2000/svg"/>', 'x.svg', 'image/svg+xml')), refused);
  const text = await send('<script>alert(1)</script>', '../x.txt', 'text/html');
  t.match(text, { type: 'document', file: { type: 'text/plain', name: '.._x.txt' } });
  const shown = await ann.file(text.file!.url);
  t.match(Object.fromEntries(shown.headers), { 'content-type': 'application/octet-stream', 'content-disposition': /^attachment/ });
  t.match(await send(PNG, 'lie.pdf', 'application/pdf'), { type: 'image' });
  t.match(await send('%PDF-1.7 ...', 'a.pdf', ''), { type: 'document', file: { type: 'application/pdf' } });
  t.strictSame(await refusal(send(PNG, 'sixth.png', '')), [429, 'rate_limited'], 'five files in ten minutes');
});

t.test('a file of another visitor cannot be sent', async (t) => {
  const [ann, ben] = [chat.visitor(), chat.visitor()];
  await ann.open();
  await ben.open();
  const upload = await fetch(`${chat.url}/files?name=a.png`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'image/png' },
    body: PNG,
  });
  const { id } = (await upload.json()) as { id: string };
  const send = (token: string | undefined) =>
    chat.call('POST', `/webchat/${chat.number.uuid}/messages`, {
      token: token!,
      payload: { client_id: crypto.randomUUID(), type: 'file', file: id },
    });
  t.match(await send(ben.token), { status: 404, body: { errors: [{ cause: 'webchat_file_unknown' }] } });
  t.equal((await send(ann.token)).status, 200);
  t.equal((await send(ann.token)).status, 404, 'once');
});

t.test('a foreign file of a message is fetched by the platform', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open();
  chat.http.answer('https://example.org/*', { status: 200, body: 'bytes', headers: { 'content-type': 'image/png' } });
  await chat.send(visitor, { type: 'image', image: { link: 'https://example.org/a.png', mime_type: 'image/png', caption: '*Look*' } });
  await ann.poll();
  const { file } = ann.messages().at(-1)!;
  t.match(file, { kind: 'image', url: /^files\/[\w-]+\?token=/, caption: { spans: [{ type: 'strong' }] } });
  t.equal(await (await ann.file(file!.url)).text(), 'bytes');
});

t.test('names of files cannot break a response, or hide their end', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open();
  const named = await ann.sendFile(Buffer.from('a'), { name: 'a\u202exod.txt', type: '' });
  t.match(named.file, { name: 'a_xod.txt' });
  chat.http.answer('https://example.org/*', { status: 200, body: 'bytes', headers: { 'content-type': 'application/pdf' } });
  await chat.send(visitor, { type: 'document', document: { link: 'https://example.org/a.pdf', filename: 'half \ud83d.pdf' } });
  await ann.poll();
  const shown = await ann.file(ann.messages().at(-1)!.file!.url);
  t.match([shown.status, shown.headers.get('content-disposition')], [200, /half%20_\.pdf$/]);
});

t.test('uploads can be switched off', async (t) => {
  const { body } = await chat.admin('POST', '/connections', { type: 'webchat', settings: { key: 'quiet', upload: false } });
  const ann = chat.visitor({ url: chat.url.replace(chat.number.uuid, body.connection.number.uuid), origin: undefined as never });
  await ann.open();
  t.strictSame(await refusal(ann.sendFile(PNG, png)), [403, 'webchat_upload_off']);
});

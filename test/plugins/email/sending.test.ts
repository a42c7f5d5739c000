import t from 'tap';
import { flows } from '../../../plugins/flows/plugin.js';
import { sampleJson } from '../../pages/samples.js';
import { flowTurn, formPath, publishedFlow } from '../form-turns.js';
import { ANN, startNumber } from './number-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });

t.test('a message is a mail with an id of the platform, and is sent when the server has it', async (t) => {
  const { send, settle, standIn, message, problems } = await startNumber(t);
  const uuid = await send(text('Hello **Ann**, see [us](https://example.org/a)'));
  await settle();
  const [mail] = standIn.sent;
  t.match(mail, { to: ANN, from: standIn.address, subject: 'The library', text: 'Hello Ann, see us (https://example.org/a)' });
  t.equal(mail!.id, `m.${uuid}@shop.example`);
  t.match(mail!.html, '<strong>Ann</strong>');
  t.match(await message(uuid), { status: 'sent', external_id: mail!.id, pending_for: undefined });
  t.same(standIn.logins.at(-1), standIn.address);
  t.same(problems(), []);
});

t.test('the number on the page is connected', async (t) => {
  const { admin, standIn } = await startNumber(t, { via: 'imap' });
  const body = sampleJson('plugins/email/README.md', 'number');
  // The servers of the stand-in, which has neither the account nor the names of the page.
  const { smtp_port, smtp_security, imap_port, imap_security, password, address: username } = standIn.settings as Record<string, unknown>;
  const servers = { smtp_host: '127.0.0.1', imap_host: '127.0.0.1', smtp_port, smtp_security, imap_port, imap_security };
  const settings = { ...body.settings, ...servers, password, username, address: 'desk@shop.example' };
  t.equal((await admin('POST', '/connections', { ...body, settings })).status, 201);
});

t.test('a form is a link in the mail', async (t) => {
  const test = await startNumber(t, { more: [flows()] });
  const { send, settle, standIn, call } = test;
  const flow = await publishedFlow(test);
  await send(flowTurn(flow));
  await settle();
  const path = formPath(standIn.sent[0]!.text);
  t.equal(standIn.sent[0]!.text, `Library\n\nHow was it?\n\nGive feedback: https://posthorn.test${path}\n\nThank you`);
  t.match(standIn.sent[0]!.html, `<a href="https://posthorn.test${path.split('?')[0]}`);
  t.equal((await call('GET', path, { headers: { accept: 'text/html' } })).status, 200);
  await t.rejects(send(flowTurn('123')), { code: 'message_refused', message: /"123" is not one of this platform/ });
});

t.test('files are attached, a picture is shown, one that was deleted is refused, and a large one is a link', async (t) => {
  const { send, settle, standIn, message, platform, uuid: number, call } = await startNumber(t);
  const stored = await platform.media.put(number, Buffer.from('%PDF-1.4 loans'), { mimeType: 'application/pdf', filename: 'loans.pdf' });
  await send({
    type: 'document',
    document: { link: `media:${stored.id}`, mime_type: 'application/pdf', caption: 'Your loans', filename: 'loans.pdf' },
  });
  await settle();
  t.match(standIn.sent[0], { text: 'Your loans', files: [{ type: 'application/pdf', filename: 'loans.pdf' }] });
  t.equal(Buffer.from(standIn.sent[0]!.files[0]!.bytes).toString(), '%PDF-1.4 loans');
  const gone = await platform.media.put(number, Buffer.from('gone'), { mimeType: 'application/pdf' });
  await platform.media.erase(gone.id);
  const uuid = await send({ type: 'document', document: { link: `media:${gone.id}`, mime_type: 'application/pdf' } });
  await settle();
  t.match(await message(uuid), { status: 'failed', statuses: [{ errors: [{ details: /file of the message was deleted/ }] }] });
  const large = await platform.media.put(number, Buffer.alloc(11 * 1024 * 1024), { mimeType: 'application/pdf' });
  await send({ type: 'document', document: { link: `media:${large.id}`, mime_type: 'application/pdf', caption: 'All loans' } });
  await settle();
  const { text: shown, files } = standIn.sent.at(-1)!;
  const link = /^All loans\n\nhttps:\/\/posthorn\.test(\/media\/\S+)$/.exec(shown)?.[1];
  t.same(files, []);
  t.equal((await call('GET', link!)).status, 200);
});

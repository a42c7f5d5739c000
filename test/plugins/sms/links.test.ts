import t from 'tap';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { flowTurn, formPath, publishedFlow, withForms } from '../form-turns.js';
import { ANN, BOB, startNumber } from './number-under-test.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const HTML = { accept: 'text/html' };
const image = (id: string) => ({ type: 'image', image: { link: `media:${id}`, mime_type: 'image/png', caption: 'The reading room' } });

t.test('a form is a line with a link, and its response arrives as the answer to the message', async (t) => {
  const { plugin, forms } = withForms();
  const test = await startNumber(t, { more: [plugin] });
  const { standIn, settle, send, call, admin, platform, uuid: number, told, log } = test;
  const flow = await publishedFlow(test);
  const asked = await send(flowTurn(flow));
  await settle();
  const [sent] = standIn.sent;
  const path = formPath(sent!.text);
  t.equal(sent!.text, `Library\n\nHow was it?\n\nGive feedback: https://posthorn.test${path}\n\nThank you`);
  t.match(path, asked);

  const page = await call('GET', path, { headers: HTML });
  t.match(page, { status: 200, headers: { 'content-type': /^text\/html/, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' } });
  t.match(page.headers['content-security-policy'], /^default-src 'none'.*connect-src 'self'/);
  const content = JSON.parse(/id="flow">(.*?)<\/script>/s.exec(page.body)![1]!);
  t.match(content, { name: 'Give feedback', opened: { flow_token: 'token-17', flow_action_payload: { screen: 'SURVEY' } } });

  const answer = (response: unknown = { rating: 'good' }) => call('POST', path, { payload: { response } });
  t.equal((await answer('none')).status, 400);
  t.match(await answer(), { status: 200, body: { success: true } });
  await settle();
  const { message: reply } = told('message.received').at(-1)!;
  t.match(reply, {
    ...{ number, direction: 'inbound', from: ANN, type: 'interactive', context: { id: sent!.id, from: standIn.sender } },
    content: { interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent' } } },
  });
  t.strictSame(JSON.parse(reply.content.interactive.nfm_reply.response_json), { rating: 'good', flow_token: 'token-17' });

  t.match(await answer(), { status: 410, headers: { 'x-posthorn-cause': 'form_used' } });
  t.match(await call('GET', path, { headers: HTML }), { status: 410, body: /This form was sent/ });
  t.equal(told('message.received').length, 1);

  const other = await send(flowTurn(flow), BOB);
  await settle();
  const second = formPath(standIn.sent[1]!.text);
  t.match(await call('GET', second.replace(other, asked), { headers: HTML }), { status: 404, body: /not available/ }, 'of another message');
  await platform.store.transaction((tx) => forms().revoke(tx, other));
  t.equal((await call('GET', second, { headers: HTML })).status, 404, 'withdrawn');
  await send(flowTurn(flow), BOB);
  await settle();
  const third = formPath(standIn.sent[2]!.text);
  for (let i = 0; i < 40; i++) await call('GET', `${third}x`);
  t.match(await call('GET', `${third}x`, { headers: HTML }), { status: 429, body: /Too many wrong links/ });
  t.equal((await call('GET', third)).status, 200, 'the right link still works');
  await admin('POST', `/flows/${flow}/health`, { status: 'THROTTLED' });
  await admin('POST', `/flows/${flow}/health`, { status: 'BLOCKED' });
  t.match(await call('GET', third, { headers: HTML }), { status: 409, body: /cannot be filled in at the moment/ });
  t.equal((await call('POST', third, { payload: { response: {} } })).status, 409);
  await admin('POST', `/flows/${flow}/health`, { status: 'PUBLISHED' });
  await test.clock.advance(30 * DAY_MS);
  t.match(await call('GET', third, { headers: HTML }), { status: 410, body: /has expired/ });
  t.match(await call('POST', third, { payload: { response: {} } }), { status: 410, headers: { 'x-posthorn-cause': 'form_expired' } });
  t.strictSame(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('a form that no page can show is refused, with the reason', async (t) => {
  const { plugin, forms } = withForms();
  const test = await startNumber(t, { more: [plugin] });
  const { send, platform, uuid } = test;
  await t.rejects(send(flowTurn('123')), { code: 'message_refused', message: /"123" is not one of this platform/ });
  const { screens } = JSON.parse((await forms().definition(await platform.numbers.require(uuid), await publishedFlow(test)))!);
  const next = { type: 'Footer', label: 'Next', 'on-click-action': { name: 'data_exchange', payload: {} } };
  const asking = await publishedFlow(test, {
    ...{ version: '7.3', data_api_version: '3.0', routing_model: { SURVEY: [] } },
    screens: [{ ...screens[0], layout: { type: 'SingleColumnLayout', children: [next] } }],
  });
  await t.rejects(send(flowTurn(asking)), { message: /asks an endpoint/ });
  const number = { ...(await platform.numbers.require(uuid)), account: 'another' };
  t.match(await forms().refusal(number, { flow_id: await publishedFlow(test) }), /not one of this platform/, 'of another account');
  const local = await startNumber(t, { publicUrl: undefined as never });
  await t.rejects(local.send(flowTurn(await publishedFlow(local))), { message: /no publicUrl/ });
});

t.test('a file is a link that the contact can open for 30 days, also when the number keeps files for less', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startNumber(t, { mediaKeptDays: 7, dataDir });
  const { standIn, settle, send, platform, uuid, told } = before;
  const picture = await platform.media.put(uuid, Buffer.from('a picture'), { mimeType: 'image/png', filename: 'room é.png' });
  await send(image(picture.id));
  // The API gives operators such a link; it would be over before the contact reads it.
  await send({ type: 'image', image: { link: platform.media.link(picture.id), mime_type: 'image/png' } });
  const flow = await publishedFlow(before);
  await send(flowTurn(flow));
  await settle();
  const links = standIn.sent.map(({ text }) => /https:\/\/posthorn\.test(\/media\/\d+\/[\w-]{22})$/.exec(text)?.[1]);
  t.equal(standIn.sent[0]!.text, `The reading room\n\nhttps://posthorn.test${links[0]}`);
  t.ok(links[1], standIn.sent[1]!.text);
  const form = formPath(standIn.sent[2]!.text);
  await t.rejects(send(image('1234567890123456')), { message: /was deleted/ });
  t.strictSame(told('message.undeliverable'), []);

  // After a restart.
  await before.server.stop();
  const { clock } = before;
  const { call, admin, platform: later } = await startNumber(t, { mediaKeptDays: 7, dataDir, ports: { clock } });
  const file = await call('GET', links[0]!);
  t.match(file, { status: 200, body: 'a picture', headers: { 'content-type': /^image\/png/, 'cache-control': 'private, no-store' } });
  t.match(file.headers['content-disposition'], "inline; filename*=UTF-8''room%20%C3%A9.png");
  t.equal((await call('GET', form)).status, 200);
  await clock.advance(29 * DAY_MS);
  t.equal((await call('GET', links[0]!)).status, 200, 'the file is kept as long as its link');
  const [ann] = await later.contacts.list(uuid);
  const exported = (await admin('GET', `/contacts/${ann!.uuid}/export`)).body.plugins;
  t.match(
    exported.core.media_links.find(({ opened }: { opened: number }) => opened === 2),
    { media: picture.id, contact: ann!.uuid },
  );
  t.match(exported.flows.form_links, [{ expires_at: String, sent: true }]);
  t.notMatch(JSON.stringify(exported), links[0]!.split('/').at(-1), 'the token is a credential');
  await clock.advance(DAY_MS);
  t.match(
    await call('GET', links[0]!, { headers: HTML }),
    { status: 404, body: /not available/ },
    'the file is deleted, and with it the link',
  );
  t.equal(await later.media.about(picture.id), undefined);
});

t.test('with MMS, only a file above the limit is a link; links are revoked, and erased with their contact', async (t) => {
  const { standIn, settle, send, platform, uuid, call, admin, clock } = await startNumber(t, { number: { mms: true } });
  const put = (bytes: Buffer) => platform.media.put(uuid, bytes, { mimeType: 'image/png', filename: 'a.png' });
  const [small, large] = [await put(Buffer.from('small')), await put(Buffer.alloc(5 * 1024 * 1024 + 1))];
  await send(image(small.id));
  for (const to of [ANN, BOB, BOB]) await send(image(large.id), to);
  await settle();
  t.match(
    standIn.sent.find(({ bytes }) => bytes),
    { to: ANN, text: 'The reading room', bytes: Buffer.from('small') },
  );
  const linksTo = (who: string) => standIn.sent.flatMap(({ to, text }) => (to === who ? (/\/media\/\S+/.exec(text) ?? []) : []));
  const [ann, bob, again] = [...linksTo(ANN), ...linksTo(BOB)];
  t.equal((await call('GET', ann!)).status, 200);
  const contact = (await platform.contacts.known(uuid, ANN))!;
  const { body } = await admin('DELETE', `/contacts/${contact.uuid}`);
  t.match(body.erasure, { state: 'done', removed: { media_links: 1 } });
  t.match(await call('GET', ann!), { status: 404, headers: { 'x-posthorn-cause': 'media_link_not_found' } });
  t.equal((await call('GET', bob!)).status, 200, 'the file remains for another contact');
  await platform.store.transaction((tx) => platform.media.revoke(tx, large.id));
  for (const link of [bob!, again!]) t.equal((await call('GET', link)).status, 404);
  const other = await put(Buffer.from('other'));
  const bobs = (await platform.contacts.known(uuid, BOB))!;
  const until = new Date(clock.now().getTime() + DAY_MS);
  const [short, foreign] = await platform.store.transaction((tx) =>
    Promise.all([
      platform.media.publish(tx, other.id, { contact: bobs, until }),
      platform.media.publish(tx, other.id, { contact: { ...bobs, number: 'another' }, until }).catch(({ code }) => code),
    ]),
  );
  t.equal(foreign, 'medium_not_found');
  await clock.advance(DAY_MS);
  const expired = await call('GET', short!.replace('https://posthorn.test', ''), { headers: HTML });
  t.match(expired, { status: 410, body: /This link has expired/, headers: { 'x-posthorn-cause': 'media_link_expired' } });
  for (let i = 0; i < 40; i++) await call('GET', `${bob}x`);
  t.match(await call('GET', `${bob}x`, { headers: HTML }), { status: 429, body: /Too many wrong links/ });
});

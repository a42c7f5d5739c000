import t from 'tap';
import { inboundText, startChannel, tokenOf } from './channel-under-test.js';

t.test('the same message id again succeeds, changes nothing and emits nothing', async (t) => {
  const { say, post, admin, told, uuid, http, settle } = await startChannel(t);
  await admin('POST', '/webhooks', { number: uuid, url: 'https://owner.test/hook', subscriptions: ['msgapp'] });
  http.answer('https://owner.test/hook', {});
  await say('hi', { id: 'in-1' });
  t.match(await say('hi', { id: 'in-1' }), { status: 200, body: { success: true } });
  t.match(await say('something else', { id: 'in-1', name: 'Another contact' }), { status: 200, body: { success: true } });
  t.equal(told('message.received').length, 1);
  const [conversation] = (await admin('GET', `/numbers/${uuid}/conversations`)).body.conversations;
  t.match(conversation, { length: 1, unread: 1 });
  t.match((await admin('GET', `/conversations/${conversation.uuid}`)).body, {
    contact: { fields: { name: 'Ann' } },
    messages: { length: 1 },
  });

  const answers = await Promise.all(Array.from({ length: 20 }, () => post(inboundText('all at once', { id: 'in-2' }))));
  await settle();
  t.ok(answers.every(({ status, body }) => status === 200 && body.success === true));
  t.equal(told('message.received').length, 2, 'also concurrently');
  t.equal(http.callsTo('https://owner.test/hook').length, 2);
});

t.test('the same id on another channel is another message', async (t) => {
  const test = await startChannel(t);
  const { body } = await test.admin('POST', '/channels', { from_addr: 'museum', name: 'Museum', endpoint: 'https://museum.test' });
  const token = await tokenOf(test, body.number.uuid);
  await test.say('hi', { id: 'in-1' });
  const answer = await test.call('POST', `/v1/numbers/${body.number.uuid}/messages`, { token, payload: inboundText('hi', { id: 'in-1' }) });
  t.equal(answer.status, 200);
  t.equal(test.told('message.received').length, 2);
});

t.test('an id that another contact has used is refused, so that the message is not lost silently', async (t) => {
  const { post, told, platform, uuid } = await startChannel(t);
  const [ann, ben] = [inboundText('hi', { id: '1', from: 'ann' }), inboundText('hello', { id: '1', from: 'ben' })];
  t.strictSame((await post(ann)).body, { success: true });
  t.match(await post(ben), { status: 400, body: { message: 'Bad Request', errors: { message: { id: ['is invalid'] } } } });
  t.equal((await platform.contacts.list(uuid)).length, 1);
  t.match(told('advice'), [
    { name: 'inbound_id_taken', message: /from 'ben'.*'1'.*from 'ann'/, fix: /<chat>:<count>/, about: { message: String } },
  ]);
  t.strictSame((await post(ann)).body, { success: true }, 'the same message again is still a duplicate');
  t.strictSame((await post(inboundText('hello', { id: 'ben:1', from: 'ben' }))).body, { success: true });
  t.equal(told('message.received').length, 2);
  t.equal(told('advice').length, 1);
});

t.test('a message with the id of an earlier message of its sender is a duplicate, with advice if its content differs', async (t) => {
  const { post, told, platform, uuid } = await startChannel(t);
  const image = { id: 'file-1', mime_type: 'image/png', link: 'https://files.test/a?signature=1', sha256: 'abc', caption: 'look' };
  const audio = { id: 'file-2', mime_type: 'audio/ogg', link: 'https://files.test/b' };
  /** @returns how many advice events there are afterwards */
  const say = async (message: object) => {
    const body = { contact: { id: 'ann', profile: { name: 'Ann' } }, message: { from: 'ann', timestamp: '1767600000', ...message } };
    t.match(await post(body), { status: 200, body: { success: true } });
    return told('advice').length;
  };
  t.equal(await say({ id: '1', type: 'text', text: { body: 'first' } }), 0);
  t.equal(await say({ id: '1', type: 'text', text: { body: 'first' }, timestamp: '1767600060' }), 0, 'with another timestamp');
  t.equal(await say({ id: '1', type: 'text', text: { body: 'second' } }), 1);
  t.equal(await say({ id: '1', type: 'image', image }), 1, 'issued once');
  t.equal(await say({ id: '2', type: 'image', image }), 1);
  t.equal(await say({ id: '2', type: 'image', image: { ...image, link: 'https://files.test/a?signature=2' } }), 1, 'with a fresh link');
  t.equal(await say({ id: '2', type: 'image', image: { ...image, sha256: 'def' } }), 2);
  t.equal(await say({ id: '3', type: 'audio', audio }), 2);
  t.equal(await say({ id: '3', type: 'audio', audio: { ...audio, link: null } }), 2, 'without its link');
  t.equal(await say({ id: '4', type: 'button', button: { text: 'Yes', payload: null } }), 2);
  t.equal(await say({ id: '4', type: 'button', button: { text: 'Yes' } }), 2, 'without a payload, as before');
  const { uuid: message, content } = (await platform.messages.known(uuid, 'inbound', '1'))!;
  t.match(told('advice')[0], { name: 'inbound_id_repeated', message: /from 'ann'.*'1'/, fix: /counter restarts/, about: { message } });
  t.equal(told('message.received').length, 4);
  t.strictSame(content, { text: { body: 'first' } });
});

t.test('a message is identified by its id and its sender, not by the address for replies', async (t) => {
  const { post, told } = await startChannel(t);
  const of = (contact: string, from: string) => ({
    contact: { id: contact, profile: { name: contact } },
    message: inboundText('hi', { from }).message,
  });
  t.strictSame((await post(of('ann', 'room-7'))).body, { success: true });
  t.strictSame((await post(of('ann', 'room-8'))).body, { success: true }, 'the same message, with another address of its sender');
  t.match(await post(of('ben', 'room-7')), { status: 400, body: { errors: { message: { id: ['is invalid'] } } } });
  t.equal(told('message.received').length, 1);
});

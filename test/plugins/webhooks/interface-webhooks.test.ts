import t from 'tap';
import { CONTACT, inboundText, startChannel } from '../channels/channel-under-test.js';

const OWNER = 'https://owner.test/hook';

t.test('webhooks receive media unchanged, under the name of their type', async (t) => {
  const { post, settle, admin, uuid, http } = await startChannel(t);
  await admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] });
  http.answer(OWNER, {});
  const { contact, message } = inboundText('');
  const file = { id: 'file-1', mime_type: 'application/x', link: 'https://files.test/1', sha256: 'ab12' };
  const parts: [type: string, part: object][] = [
    ['audio', file],
    ['image', { ...file, caption: 'A picture' }],
    ['video', { ...file, filename: 'a.mp4', caption: 'A film' }],
    ['document', { ...file, filename: 'a.pdf', caption: 'A leaflet' }],
  ];
  for (const [type, part] of parts) {
    await post({ contact, message: { type, from: CONTACT, id: type, timestamp: message.timestamp, [type]: part } });
    await settle();
    t.strictSame(http.callsTo(OWNER).at(-1)?.json, {
      contacts: [{ profile: { name: 'Ann' }, wa_id: '27820001001' }],
      messages: [{ from: CONTACT, id: type, timestamp: message.timestamp, type, [type]: part }],
    });
  }
});

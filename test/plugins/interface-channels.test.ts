import t from 'tap';
import { CONTACT, inboundText, startChannel } from './channel-under-test.js';

const file = { id: 'file-1', mime_type: 'application/x', link: 'https://files.test/1', sha256: 'ab12', filename: 'a.bin' };

t.test('captions and descriptions are text, where there are any', async (t) => {
  const { post } = await startChannel(t);
  const { contact, message } = inboundText('');
  const cases: [type: string, part: object, field: string][] = [
    ...['image', 'video', 'document', 'sticker'].map((type): [string, object, string] => [
      type,
      { ...file, caption: 7 },
      `${type}.caption`,
    ]),
    ['interactive', { type: 'list_reply', list_reply: { id: 'y', title: 'Yes', description: 7 } }, 'interactive.list_reply.description'],
  ];
  for (const [type, part, field] of cases) {
    const answer = await post({ contact, message: { type, from: CONTACT, id: type, timestamp: message.timestamp, [type]: part } });
    t.equal(answer.status, 400, field);
    t.strictSame(answer.body, { message: 'Bad Request', errors: { message: { [field]: ['is invalid'] } } });
  }
});

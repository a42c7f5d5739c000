import t from 'tap';
import { startPlatform } from '#core/testing';
import { messages } from '../../../plugins/messages/plugin.js';

t.test('a message of a number that no plugin carries is refused, and nothing of it is recorded', async (t) => {
  const { call, log, number, platform } = await startPlatform(t, { plugins: [messages()] });
  const { token, uuid } = await number('channel', { type: 'pigeon-post' });
  const payload = { to: '+27820001001', type: 'text', text: { body: 'hi' } };
  t.match(await call('POST', '/v1/messages', { token, payload }), {
    status: 409,
    body: { errors: [{ code: 1009, details: "No plugin carries the messages of numbers of type 'pigeon-post'" }], meta: {} },
  });
  t.strictSame(await platform.contacts.list(uuid), []);
  t.strictSame(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

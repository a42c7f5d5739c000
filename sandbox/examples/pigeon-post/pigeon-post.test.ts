import { test } from 'node:test';
import { channelContract, nodeTap, startPlatform } from 'posthorn/testing';
import { pigeonPost } from './pigeon-post.js';

const gateway = 'https://gateway.test';
const plugins = [pigeonPost({ gateway })];
const number = { kind: 'channel', type: 'pigeon-post', address: 'loft:1' } as const;

test('it fulfils the contract of channels', (t) =>
  channelContract(nodeTap(t), () => ({
    plugins,
    number,
    prepare: ({ http }) => void http.answer(`POST ${gateway}/messages`, { status: 200 }),
    delivered: ({ http }) => http.callsTo(`POST ${gateway}/messages`).map(({ json }) => ({ to: json.to, text: json.text })),
    async write({ call }, { token }, message) {
      await call('POST', '/v1/pigeon-post/messages', { token, payload: message });
    },
  })));

test('a failing gateway gets five attempts, then the message is undeliverable', async (t) => {
  const { platform, http, clock, events, ...made } = await startPlatform(nodeTap(t), { plugins });
  http.answer(`POST ${gateway}/messages`, { status: 503 });
  const { uuid } = await made.number('channel', number);
  const ours = await platform.numbers.require(uuid);
  const contact = { id: 'ada', address: 'ada' };
  const turn = { type: 'text', text: { body: 'hello' } } as const;
  await platform.store.transaction((tx) =>
    platform.channels.sendTo(tx, ours, contact, { turn, author: { type: 'OPERATOR', id: '1', name: 'Op' } }),
  );
  await clock.advance(3_600_000);
  nodeTap(t).equal(http.calls.length, 5);
  nodeTap(t).ok(events.some(({ name }) => name === 'message.undeliverable'));
});

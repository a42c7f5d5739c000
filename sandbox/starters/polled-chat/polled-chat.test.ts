import { test } from 'node:test';
import type { Turn } from 'posthorn';
import { type ChannelNumber, channelContract, nodeTap, startPlatform, type TestPlatform } from 'posthorn/testing';
import { polledChat } from './polled-chat.js';
import { BUSY_MS, type Fault, StandIn } from './stand-in.js';

const number = { kind: 'channel', type: 'polled-chat', address: 'polled-chat:7000' } as const;

/** Connects a number to a stand-in, which needs no port: it answers the calls of the scripted HTTP client. */
async function connect({ http, clock, admin }: TestPlatform, { uuid }: ChannelNumber): Promise<StandIn> {
  const standIn = new StandIn(clock);
  serve(standIn, http);
  const { status } = await admin('PUT', `/numbers/${uuid}/connection`, { settings: { token: standIn.token, api_url: standIn.url } });
  if (status !== 200) throw new Error(`the number was not connected: ${status}`);
  await clock.advance(0);
  return standIn;
}

const serve = (standIn: StandIn, http: TestPlatform['http']) => void http.answer(`* ${standIn.url}/*`, (call) => standIn.answer(call));

test('it fulfils the contract of channels', (t) =>
  channelContract(nodeTap(t), () => {
    let standIn: StandIn;
    return {
      plugins: [polledChat()],
      number,
      contacts: ['ann', '9007199254740993'],
      order: 'strict',
      statuses: ['sent'],
      async prepare(test, number) {
        standIn = await connect(test, number);
        test.http.answer('https://example.org/*', { body: 'a file' });
      },
      delivered: () => standIn.sent.map(({ chat, text, bytes }) => ({ to: chat, text, bytes })),
      async write({ clock }, _number, { from, id, text }) {
        standIn.write(from, text, id);
        await clock.advance(0);
      },
      async tap({ clock }, _number, { from }) {
        standIn.tap(from, 0);
        await clock.advance(0);
      },
      async media({ clock }, _number, { from, bytes }) {
        standIn.writeFile(from, bytes, 'image/png');
        await clock.advance(0);
      },
      fault(_test, _number, kind, times) {
        standIn.fault(kind === 'unknown' ? 'lost' : kind, times);
        return kind === 'busy' ? BUSY_MS : undefined;
      },
      reopen: ({ http }) => serve(standIn, http),
    };
  }));

/** A number with its stand-in, and how it sends to Ann. */
async function open(t: Parameters<typeof nodeTap>[0]) {
  const test = await startPlatform(nodeTap(t), { plugins: [polledChat()] });
  const made = await test.number('channel', number);
  const standIn = await connect(test, made);
  const ours = await test.platform.numbers.require(made.uuid);
  const author = { type: 'OPERATOR', id: '1', name: 'Op' } as const;
  const ann = { id: 'ann', address: 'ann' };
  return {
    ...{ test, made, standIn },
    send: (turn: Turn = { type: 'text', text: { body: 'hello' } }) =>
      test.platform.store.transaction((tx) => test.platform.channels.sendTo(tx, ours, ann, { turn, author })),
    reasonOf: async (uuid: string) => (await test.platform.messages.get(uuid))?.statuses?.at(-1)?.errors?.[0]?.details,
  };
}

for (const [fault, event] of [
  ['blocked', 'contact.blocked'],
  ['revoked', 'connection.changed'],
] as const satisfies readonly (readonly [Fault, string])[])
  test(`after the error '${fault}' nothing is sent until it is solved`, async (t) => {
    const { test, standIn, send } = await open(t);
    standIn.fault(fault, 1);
    const before = test.events.filter(({ name }) => name === event).length;
    await send();
    await test.clock.advance(60_000);
    nodeTap(t).equal(test.events.filter(({ name }) => name === event).length, before + 1);
    await send().catch(() => undefined);
    await test.clock.advance(60_000);
    nodeTap(t).same(standIn.sent, []);
  });

test('what cannot be sent fails with its reason, and a date says when to repeat', async (t) => {
  const { test, made, standIn, send, reasonOf } = await open(t);
  const tap = nodeTap(t);
  test.http.answer('https://example.org/*', { status: 404, body: 'not here' });
  const link = 'https://example.org/a.png';
  const { uuid } = await send({ type: 'image', image: { link, caption: 'look', mime_type: 'image/png' } });
  await test.clock.advance(1_000);
  tap.equal(await reasonOf(uuid), `${link} cannot be fetched`);
  tap.same(standIn.sent, [], 'the caption does not go without its file');

  standIn.fault('later', 1);
  await send();
  await test.clock.advance(BUSY_MS - 1_000);
  tap.equal(standIn.sent.length, 0);
  await test.clock.advance(2_000);
  tap.equal(standIn.sent.length, 1);

  standIn.fault('broken', 20);
  const pending = await send();
  await test.clock.advance(20_000);
  await test.admin('DELETE', `/numbers/${made.uuid}/connection`);
  await test.clock.advance(0);
  tap.equal(await reasonOf(pending.uuid), 'The number was disconnected');
});

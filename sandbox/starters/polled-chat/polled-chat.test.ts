import { test } from 'node:test';
import { type ChannelNumber, channelContract, nodeTap, startPlatform, type TestPlatform } from 'posthorn/testing';
import { polledChat } from './polled-chat.js';
import { type Fault, StandIn } from './stand-in.js';

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
      fault: (_test, _number, kind, times) => standIn.fault(kind === 'unknown' ? 'lost' : kind, times),
      reopen: ({ http }) => serve(standIn, http),
    };
  }));

for (const [fault, event] of [
  ['blocked', 'contact.blocked'],
  ['revoked', 'connection.changed'],
] as const satisfies readonly (readonly [Fault, string])[])
  test(`after the error '${fault}' nothing is sent until it is solved`, async (t) => {
    const test = await startPlatform(nodeTap(t), { plugins: [polledChat()] });
    const made = await test.number('channel', number);
    const standIn = await connect(test, made);
    standIn.fault(fault, 1);
    const ours = await test.platform.numbers.require(made.uuid);
    const send = () =>
      test.platform.store.transaction((tx) =>
        test.platform.channels.sendTo(
          tx,
          ours,
          { id: 'ann', address: 'ann' },
          {
            turn: { type: 'text', text: { body: 'hello' } },
            author: { type: 'OPERATOR', id: '1', name: 'Op' },
          },
        ),
      );
    const before = test.events.filter(({ name }) => name === event).length;
    await send();
    await test.clock.advance(60_000);
    nodeTap(t).equal(test.events.filter(({ name }) => name === event).length, before + 1);
    await send().catch(() => undefined);
    await test.clock.advance(60_000);
    nodeTap(t).same(standIn.sent, []);
  });

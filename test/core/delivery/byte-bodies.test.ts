import t from 'tap';
import { beforeCommit, definePlugin, messageReceived, object, type SentAttempt, string } from '#core';
import { multipart } from '#core/messaging';
import { startPlatform, type Tap } from '#core/testing';
import { faultyHttp } from '../../../core/adapters/faults/faulty-http.js';
import type { Faults } from '../../../core/ports/faults.js';
import type { OutboundRequest } from '../../../core/ports/outbound.js';

const TOKEN = 'a-token-that-is-secret';
const SHOWN = 'https://bots.test/bot…/upload';

/** A sender that posts what `build` returns to a service whose URLs contain a token, for each message of a contact. */
async function startBot(t: Tap, build: (attempt: SentAttempt<never>) => Pick<OutboundRequest, 'body' | 'headers'>) {
  const destination = (uuid: string) => ({ uuid, number: uuid, enabled: true, lane: 'high' as const });
  const bot = definePlugin({
    name: 'bot',
    version: '1.0.0',
    register: ({ deliveries }) => ({
      senders: [
        {
          name: 'bot',
          destination: (_, uuid) => destination(uuid),
          request: (attempt) => ({
            ...{ method: 'POST', url: `https://bots.test/bot${TOKEN}/upload`, shownUrl: SHOWN },
            ...{ signatures: [], deadlineMs: 5_000, maxResponseBytes: 1_000, ...build(attempt as never) },
          }),
        },
      ],
      payloads: [{ name: 'upload', summary: 'An upload.', subscription: 'network', body: object({ file: string() }) }],
      on: [
        beforeCommit(messageReceived, async ({ number, message }, tx) => {
          const webhook = destination(number.uuid);
          await deliveries.post(tx, { sender: 'bot', webhook, event: message.uuid, kind: 'network', body: { file: 'media:1' } });
        }),
      ],
    }),
  });
  const test = await startPlatform(t, { plugins: [bot()], recording: { deliveries: true } });
  const { uuid } = await test.number('channel', { type: 'bot' });
  const number = await test.platform.numbers.require(uuid);
  let count = 0;
  return {
    ...test,
    async upload() {
      await test.platform.store.transaction((tx) =>
        test.platform.messages.received(tx, number, {
          ...{ id: `in-${++count}`, contact: { id: 'ann' }, from: 'ann', timestamp: '1767600000' },
          ...{ type: 'text', content: { text: { body: 'hello' } } },
        }),
      );
      await test.clock.advance(1_000);
    },
    async shown() {
      const { deliveries } = (await test.admin('GET', '/deliveries')).body;
      return (await test.admin('GET', `/deliveries/${deliveries[0].uuid}`)).body;
    },
  };
}

t.test(
  'a sender uploads bytes that it builds for each attempt; its records have their sizes, and never the token of the URL',
  async (t) => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, i) => i % 256);
    const built: number[] = [];
    const { http, clock, upload, shown, log, events, platform } = await startBot(t, ({ entry: { record } }) => {
      built.push(record.attempts);
      const { body, type } = multipart([
        ['chat_id', '12'],
        ['caption', 'é\r\n"quoted"'],
        ['photo"\n', { bytes, type: 'image/png', filename: 'a "b".png' }],
      ]);
      return { body, headers: { 'content-type': type } };
    });
    http.answer('*', { status: 503 }, 'refuse', { status: 200 });
    await upload();
    await clock.advance(60_000);
    t.strictSame(built, [0, 1, 2], 'it was built for each attempt');
    const [sent] = http.calls;
    t.equal(sent!.url, `https://bots.test/bot${TOKEN}/upload`);
    const form = await new Response(sent!.body.slice(), { headers: { 'content-type': sent!.headers['content-type']! } }).formData();
    t.strictSame([form.get('chat_id'), form.get('caption')], ['12', 'é\r\n"quoted"'], 'as a parser of another project reads it');
    const photo = [...form.values()].at(-1) as File;
    t.match({ type: photo.type, size: photo.size }, { type: 'image/png', size: 3_000 });
    t.strictSame(new Uint8Array(await photo.arrayBuffer()), bytes);

    const { details, delivery } = await shown();
    t.equal(delivery.state, 'delivered');
    t.match(details[0], { url: SHOWN, request: { body: { bytes: sent!.body.length, encoding: 'utf8', cut: true } } });
    const { content } = details[0].request.body;
    t.match(content, /^chat_id: "12"\ncaption: "é\\r\\n\\"quoted\\""\nphoto%22%0A: \[3000 bytes, image\/png\]$/);
    const everything = JSON.stringify([details, delivery, events, log.lines, (await platform.readState()).collections]);
    t.notOk(everything.includes(TOKEN), 'the token is nowhere');
  },
);

t.test('bytes without parts are shown as their size and type, and long texts of one are cut', async (t) => {
  const bodies: Pick<OutboundRequest, 'body' | 'headers'>[] = [
    { body: new Uint8Array(10), headers: { 'Content-Type': 'application/pdf' } },
    { body: new Uint8Array(), headers: {} },
    { body: Buffer.from('--x\r\nnot complete'), headers: { 'Content-Type': 'multipart/form-data; boundary=x' } },
    (({ body, type }) => ({ body, headers: { 'Content-Type': type } }))(multipart([['text', 'y'.repeat(5_000)]])),
  ];
  const seen: string[] = [];
  const { http, upload, shown } = await startBot(t, () => bodies[seen.length]!);
  http.answer('*', { status: 200 });
  for (const _ of bodies) {
    await upload();
    seen.push((await shown()).details[0].request.body.content);
  }
  t.strictSame(seen.slice(0, 3), ['[10 bytes, application/pdf]', '[0 bytes, unknown type]', '[17 bytes, multipart/form-data; boundary=x]']);
  t.equal(seen[3], `text: "${'y'.repeat(4_096)}"… [5000 bytes, unknown type]`);
});

t.test('errors and rules of faults have the URL that is shown', async (t) => {
  const { upload, shown, http, clock } = await startBot(t, () => ({ body: '{}', headers: {} }));
  await upload();
  t.match((await shown()).attempts, [{ error: `no answer was scripted for POST ${SHOWN}` }]);
  const seen: unknown[] = [];
  const faults: Faults = {
    fire(_, { text }) {
      seen.push(text);
      return { rule: '1', effect: { kind: 'dns' } };
    },
  };
  const faulty = faultyHttp(http, { faults, clock, plugin: 'bot' });
  const sent = { method: 'GET', url: `${TOKEN} is no URL`, shownUrl: 'bot…', deadlineMs: 1_000, maxResponseBytes: 10 };
  t.match(await faulty.send(sent), { code: 'ENOTFOUND', reason: 'the host bot… does not exist' });
  t.strictSame(seen, ['bot…']);
});

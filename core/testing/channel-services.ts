import { PlatformError } from '../errors.js';
import type { DeliveryStatus, MessageRecord } from '../messaging/message.js';
import type { Turn } from '../turns/turn.js';
import { type ChannelUnderTest, copiedData, dataFolder, REPEATED_MS, startChannel, textTurn, turns } from './channel-under-test.js';
import type { Tap } from './tap.js';

const LONG_TEXT = Array.from({ length: 4_000 }, (_, i) => `word${i}`).join(' ');
const STATUSES = ['sent', 'delivered', 'read'] as const;
const IMAGE = new Uint8Array(
  Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'),
);
const THREE = ['one', 'two', 'three'] as const;

/** The part of the contract of channels that needs more of the remote end: what a channel does with a real service. */
export async function serviceContract(t: Tap, open: () => ChannelUnderTest): Promise<void> {
  const { tap, report, media, fault, reopen } = open();
  const about = (has: unknown, name: string, what: string): boolean => {
    if (has === undefined) t.comment(`left out without \`${name}\`: ${what}`);
    return has !== undefined;
  };

  await t.test('a long text is delivered as a whole, or refused or failed with a reason', async (t) => {
    const { send, settle, delivered, message } = await startChannel(t, open());
    const sent = await send(textTurn(LONG_TEXT)).catch((error: unknown) => error);
    await settle(REPEATED_MS);
    const texts = (await delivered()).map(({ text = '' }) => text).join(' ');
    if (sent instanceof Error) {
      t.ok(sent instanceof PlatformError && sent.status < 500, sent.message);
      t.equal(texts, '', 'it was refused, and not delivered');
    } else if ((await message((sent as MessageRecord).uuid))?.status !== 'failed') {
      t.equal(withoutSpaces(texts), withoutSpaces(LONG_TEXT), 'nothing is cut off');
    }
  });

  if (about(tap, 'tap', 'replies to buttons and lists'))
    await t.test('a tap on an option arrives as an interactive reply with the message as its context', async (t) => {
      for (const [turn, kind] of [
        [turns.buttons, 'button_reply'],
        [turns.list, 'list_reply'],
      ] as const) {
        const channel = open();
        const { test, number, contact, send, settle, received, message, write } = await startChannel(t, channel);
        await write?.({ from: contact, id: 'in-1', text: 'hi' });
        const sent = await send(turn as Turn).catch((error: unknown) => error);
        if (sent instanceof PlatformError) {
          t.comment(`the channel refuses messages with a ${kind}: ${sent.message}`);
          continue;
        }
        await settle();
        const { external_id: id, uuid } = (await message((sent as MessageRecord).uuid))!;
        await channel.tap!(test, number, { from: contact, id: 'in-2', option: { id: 'a', title: 'This' } });
        await settle();
        const reply = received().at(-1);
        t.same(reply?.content.interactive, { type: kind, [kind]: { id: 'a', title: 'This' } });
        t.equal(reply?.context?.id, id ?? uuid);
      }
    });

  if (about(report, 'report', 'statuses of the service'))
    await t.test('statuses are recorded in any order, each once', async (t) => {
      const { statuses = STATUSES } = open();
      for (const order of [statuses, [...statuses].reverse()]) {
        const channel = open();
        const { test, number, send, settle, message } = await startChannel(t, channel);
        const { uuid } = await send(textTurn('hello'));
        await settle();
        for (const status of [...order, order[0]!]) {
          await channel.report!(test, number, { message: (await message(uuid))!, status });
          await settle();
        }
        const reported = await message(uuid);
        t.equal(reported?.status, furthestOf(statuses), order.join(', '));
        t.same(new Set(reported?.statuses.map(({ status }) => status)), new Set(statuses));
      }
    });

  if (about(media, 'media', 'files in both directions'))
    await t.test('files keep their bytes in both directions', async (t) => {
      const channel = open();
      const { test, number, contact, send, settle, received, delivered, message } = await startChannel(t, channel);
      await channel.media!(test, number, { from: contact, id: 'in-1', bytes: IMAGE });
      await settle();
      const { id } = (received().at(-1)?.content.image ?? {}) as { id?: string };
      t.ok(id !== undefined, 'the file is stored');
      t.ok(Buffer.from(IMAGE).equals((await test.platform.media.get(id!)).bytes), 'as it was sent');
      const stored = await test.platform.media.put(number.uuid, IMAGE, { mimeType: 'image/png', filename: 'a.png' });
      const { uuid } = await send({ type: 'image', image: { link: `media:${stored.id}`, mime_type: 'image/png', caption: 'look' } });
      await settle();
      t.notOk((await message(uuid))?.pending_for !== undefined, 'its message is settled');
      const all = await delivered();
      t.ok(Buffer.from(IMAGE).equals(all.findLast(({ bytes }) => bytes)?.bytes ?? new Uint8Array()), 'the contact has the bytes');
      t.ok(
        all.some(({ text }) => text?.includes('look')),
        'the contact has the caption',
      );
    });

  if (about(fault, 'fault', 'refusals, limits, broken connections and unknown outcomes')) await faults(t, open);

  if (about(reopen, 'reopen', 'a killed process'))
    await t.test('after the process was killed nothing is lost, and nothing is doubled that must not be', async (t) => {
      const channel = open();
      const dataDir = dataFolder(t);
      const first = await startChannel(t, channel, { dataDir });
      await first.write?.({ from: first.contact, id: 'in-1', text: 'hi' });
      const [one, two, three] = THREE;
      const sent = [await first.send(textTurn(one))];
      await first.settle();
      for (const text of [two, three]) sent.push(await first.send(textTurn(text)));
      // The files are those of a process that is killed now: it sends nothing more.
      const copy = copiedData(t, dataDir);
      await first.test.sockets.stop();
      await first.test.http.stop();
      await first.test.server.stop();
      const again = await startChannel(t, channel, { dataDir: copy, killed: first });
      await again.write?.({ from: again.contact, id: 'in-1', text: 'hi' });
      await again.settle(REPEATED_MS);
      t.same(again.received(), [], 'a message that arrives again is a duplicate');
      const texts = (await again.delivered()).map(({ text }) => text);
      for (const [i, text] of THREE.entries()) {
        const { pending_for: pending, status } = (await again.message(sent[i]!.uuid))!;
        t.equal(pending, undefined, `${text} is settled`);
        t.ok(texts.includes(text) || status === 'failed', `${text} is delivered, or reported as failed`);
      }
      if (channel.atMostOnce) t.same(texts, [...new Set(texts)], 'nothing is doubled');
      if (channel.order === 'strict')
        t.same(
          [...new Set(texts)],
          THREE.filter((text) => texts.includes(text)),
          'in the order of sending',
        );
    });
}

async function faults(t: Tap, open: () => ChannelUnderTest): Promise<void> {
  for (const [kind, what] of [
    ['busy', 'after the service was busy'],
    ['broken', 'after connections have broken'],
  ] as const)
    await t.test(`all messages are delivered once ${what}, in their order if the channel keeps it`, async (t) => {
      const channel = open();
      const { test, number, send, settle, delivered, message } = await startChannel(t, channel);
      await channel.fault!(test, number, kind, 2);
      const sent: MessageRecord[] = [];
      for (const text of THREE) sent.push(await send(textTurn(text)));
      await settle(REPEATED_MS);
      const texts = (await delivered()).map(({ text = '' }) => text);
      t.same(channel.order === 'strict' ? texts : texts.sort(), channel.order === 'strict' ? THREE : [...THREE].sort());
      for (const { uuid } of sent) t.equal((await message(uuid))?.pending_for, undefined, 'reported as accepted');
    });

  await t.test('a service that says how long it is busy gets no message before', async (t) => {
    const channel = open();
    const { test, number, send, settle, delivered } = await startChannel(t, channel);
    const busyMs = await channel.fault!(test, number, 'busy', 1);
    if (typeof busyMs !== 'number') return t.comment('left out, because `fault` does not return how long the service is busy');
    await send(textTurn('one'));
    await settle(busyMs - 1);
    t.same(await delivered(), []);
    await settle(REPEATED_MS);
    t.equal((await delivered()).length, 1);
  });

  await t.test('a message that the service refuses fails with its reason, and the next one is delivered', async (t) => {
    const channel = open();
    const { test, number, send, settle, delivered, message } = await startChannel(t, channel);
    await channel.fault!(test, number, 'refused', 1);
    const { uuid } = await send(textTurn('refused'));
    await send(textTurn('next'));
    await settle(REPEATED_MS);
    t.same(
      (await delivered()).map(({ text }) => text),
      ['next'],
    );
    const { status, statuses = [] } = (await message(uuid)) ?? {};
    t.equal(status, 'failed');
    t.ok(statuses.at(-1)?.errors?.[0]?.details, 'with a reason');
  });

  await t.test('a message whose outcome is unknown is settled, and not sent again if the channel says so', async (t) => {
    const channel = open();
    const { test, number, send, settle, delivered, message } = await startChannel(t, channel);
    await channel.fault!(test, number, 'unknown', 1);
    const { uuid } = await send(textTurn('one'));
    await send(textTurn('two'));
    await settle(REPEATED_MS);
    t.equal((await message(uuid))?.pending_for, undefined, 'settled');
    const texts = (await delivered()).map(({ text }) => text);
    const times = texts.filter((text) => text === 'one').length;
    t.ok(channel.atMostOnce ? times === 1 : times >= 1, `the service has it ${times} times`);
    t.equal(texts.filter((text) => text === 'two').length, 1, 'the next one is delivered once');
  });
}

const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '');

const furthestOf = (statuses: readonly DeliveryStatus[]): DeliveryStatus | undefined =>
  [...STATUSES].reverse().find((one) => statuses.includes(one));

import { MemoryStore } from '../adapters/store/index.js';
import { collectionsOf } from '../platform/stored-collections.js';
import type { Faults } from '../ports/faults.js';
import { type ChannelUnderTest, copiedData, dataFolder, startChannel, textTurn, turns } from './channel-under-test.js';
import { RecordingLogger } from './recording-logger.js';
import type { Tap } from './tap.js';

const TEXT = 'acknowledged';
const MESSAGE = { id: 'in-1', text: TEXT };
/** More commits than a message needs. */
const MAX_COMMITS = 12;
/** As long as a platform waits before it tries to receive again, several times. */
const RETRIED_MS = 15 * 60_000;

type Started = Awaited<ReturnType<typeof startChannel>>;

/** Lets the nth commit fail from when it is armed, with `store` only that one. With `faults`, which need a data folder, all after it fail too. */
function failingCommit(nth: number, failed: () => void = () => undefined) {
  const commits = { isArmed: false, count: 0 };
  const fails = (): boolean => {
    if (!commits.isArmed || ++commits.count !== nth) return false;
    failed();
    return true;
  };
  const beforeWrite = (): void => {
    if (fails()) throw new Error(`commit ${nth} fails`);
  };
  const isJournal = (file: unknown): boolean => String(file).startsWith('journal-');
  const faults: Pick<Faults, 'fire'> = {
    fire: (place, { operation, file }) =>
      place === 'store' && operation === 'write' && isJournal(file) && fails() ? { rule: '', effect: { kind: 'disk_full' } } : undefined,
  };
  return { commits, faults: faults as Faults, store: new MemoryStore({ log: new RecordingLogger(), beforeWrite }) };
}

/** The texts that are stored of contacts. */
async function receivedTexts({ test, number }: Started): Promise<unknown[]> {
  const all = await test.platform.conversations.list(number.uuid, 10);
  const found = await Promise.all(all.map(({ uuid }) => test.platform.conversations.newest(uuid, 10)));
  return found
    .flat()
    .filter(({ direction }) => direction === 'inbound')
    .map(({ content }) => (content.text as { body?: unknown } | undefined)?.body);
}

/** Writes a message. @returns whether the remote end learnt that it was not taken, so that it sends the message again */
async function isRefused({ test, write, contact, settle }: Started): Promise<boolean> {
  let refused = false;
  test.server.events.on('response', ({ response }) => {
    refused ||= !('statusCode' in response) || response.statusCode >= 400;
  });
  await write!({ from: contact, ...MESSAGE }).catch(() => {
    refused = true;
  });
  await settle();
  return refused;
}

/** The part of the contract of channels about messages of contacts: what was acknowledged is stored once, refers to what it answers, and can be erased. */
export async function receivingContract(t: Tap, open: () => ChannelUnderTest): Promise<void> {
  const { write, reply, quoted, reopen } = open();

  if (write !== undefined)
    await t.test('a message of a contact is stored once when any of its commits fails: its position moves with it', async (t) => {
      for (let nth = 1; nth <= MAX_COMMITS; nth++) {
        const { commits, store } = failingCommit(nth);
        const started = await startChannel(t, open(), { ports: { store } });
        commits.isArmed = true;
        const refused = await isRefused(started);
        if (commits.count < nth) return;
        if (refused) await started.write!({ from: started.contact, ...MESSAGE });
        await started.settle(RETRIED_MS);
        t.same(await receivedTexts(started), [TEXT], `after a failure of commit ${nth}`);
      }
    });

  if (write !== undefined && reopen !== undefined)
    await t.test('a message of a contact is stored once when the process is killed between its commits', async (t) => {
      for (let nth = 1; nth <= MAX_COMMITS; nth++) {
        const channel = open();
        const dataDir = dataFolder(t);
        // The process does nothing more: it makes no call that its remote end could take for an acknowledgement.
        const { commits, faults } = failingCommit(nth, () => void Promise.all([first.test.http.stop(), first.test.sockets.stop()]));
        const first: Started = await startChannel(t, channel, { dataDir, ports: { faults } });
        commits.isArmed = true;
        const refused = await isRefused(first);
        if (commits.count < nth) return;
        await first.test.server.stop();
        const again = await startChannel(t, channel, { dataDir: copiedData(t, dataDir), killed: first });
        if (refused) await again.write!({ from: again.contact, ...MESSAGE });
        await again.settle(RETRIED_MS);
        t.same(await receivedTexts(again), [TEXT], `killed at commit ${nth}`);
      }
    });

  if (reply !== undefined)
    await t.test('a message that answers an earlier one has it as its context', async (t) => {
      const channel = open();
      const { test, number, contact, send, settle, received, message } = await startChannel(t, channel);
      await channel.write?.(test, number, { from: contact, ...MESSAGE });
      const [first] = [await send(textTurn('first')), await send(textTurn('second'))];
      await settle();
      const { external_id: id, uuid } = (await message(first.uuid))!;
      await channel.reply!(test, number, { from: contact, id: 'in-2', text: 'to the first', to: (await message(first.uuid))! });
      await settle();
      t.equal(received().at(-1)?.context?.id, id ?? uuid);
    });

  if (quoted !== undefined)
    await t.test('a message to a contact that answers an earlier one says so', async (t) => {
      const channel = open();
      const { test, number, contact, send, settle, received, write } = await startChannel(t, channel);
      for (const id of ['in-1', 'in-2']) await write!({ from: contact, id, text: id });
      await settle();
      const [first] = received();
      await send(textTurn('to the first'), undefined, { id: first!.external_id!, from: contact });
      await settle();
      t.equal(await channel.quoted!(test, number), first!.external_id);
    });

  await t.test('after a contact was erased, no record of the plugin names them', async (t) => {
    const channel = open();
    const started = await startChannel(t, channel);
    const { test, number, contact, send, settle, write } = started;
    await write?.({ from: contact, ...MESSAGE });
    for (const turn of [turns.text, turns.buttons, textTurn('word '.repeat(2_000))]) await send(turn).catch(() => undefined);
    await settle();
    if (channel.tap && write)
      await channel.tap(test, number, { from: contact, id: 'in-2', option: { id: 'a', title: 'This' } }).catch(() => undefined);
    await settle();
    const { body } = await test.admin('GET', `/numbers/${number.uuid}/contacts`);
    for (const { uuid } of body.contacts) {
      t.equal((await test.admin('DELETE', `/contacts/${uuid}`)).status, 200);
      await settle();
      const names = new RegExp([contact, uuid].map((one) => `(?<![\\w])${one.replace(/\W/g, '\\$&')}(?![\\w])`).join('|'));
      for (const { manifest } of channel.plugins)
        for (const [name, type] of collectionsOf(manifest)) {
          const left = (await test.platform.store.open(type).list()).filter((one) => names.test(JSON.stringify(one)));
          t.same(left, [], `${name} has nothing of ${contact}`);
        }
    }
  });

  for (const [name, what] of Object.entries({ reply: 'answers of contacts to a message', quoted: 'answers to a message of a contact' }))
    if (open()[name as 'reply'] === undefined) t.comment(`left out without \`${name}\`: ${what}`);
}

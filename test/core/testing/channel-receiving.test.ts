import t from 'tap';
import { type ChannelDriver, collection, consume, definePlugin, type Inbound, object, queue, string } from '#core';
import { type ChannelUnderTest, channelContract, type TestPlatform } from '#core/testing';
import { receivingContract } from '../../../core/testing/channel-receiving.js';
import { brokenOn } from './failing-tap.js';

/** The mistake of a driver; `nothing` keeps the contract. */
type Mistake = 'nothing' | 'position first' | 'position anyway' | 'position in memory' | 'ids of its own' | 'no context' | 'no erasure';

interface Written {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly answers?: string;
}

const SERVICE = 'https://raven.test';
const FAILED = 'a message of a contact is stored once when any of its commits fails: its position moves with it';
const KILLED = 'a message of a contact is stored once when the process is killed between its commits';
const REPLY = 'a message that answers an earlier one has it as its context';
const QUOTED = 'a message to a contact that answers an earlier one says so';
const ERASED = 'after a contact was erased, no record of the plugin names them';

/** A channel that asks its service for messages after a position, and sends without retries. */
function raven(mistake: Mistake) {
  const positions = collection<{ number: string; after: number }>({ key: 'number', tenant: { number: 'number' } });
  const greeted = collection<{ key: string; number: string }>({ key: 'key', tenant: { number: 'number' } });
  const received = queue<{ number: string; message: Written }>('raven.received');
  const sends = queue<{ number: string; message: string; to: string; text: string; answers?: string | undefined }>('raven.sends');
  return definePlugin({
    name: 'raven',
    version: '1.0.0',
    collections: { positions, greeted },
    register: ({ store, http, clock, ids, messages, numbers }) => {
      let inMemory = 0;
      const call = async (path: string, body?: object, signal?: AbortSignal) => {
        const about = { method: body ? 'POST' : 'GET', url: `${SERVICE}/${path}`, deadlineMs: 5_000, maxResponseBytes: 100_000, signal };
        const outcome = await http.send({ ...about, ...(body && { body: JSON.stringify(body) }) });
        if (outcome.kind !== 'response') throw new Error('no answer');
        return JSON.parse(Buffer.from(outcome.body).toString());
      };
      const driver: ChannelDriver = {
        type: 'raven',
        connection: { schema: object({ key: string() }), secrets: [], check: async () => ({ address: 'raven:1', name: 'Raven' }) },
        deliver(tx, { number, message: { uuid, to, context, content } }) {
          const text = (content.text as { body?: string } | undefined)?.body ?? 'other';
          const answers = mistake === 'no context' ? undefined : context?.id;
          tx.push(sends, { number: number.uuid, message: uuid, to, text, answers }, { serial: to });
        },
      };
      return {
        channels: [driver],
        loops: [
          {
            name: 'raven',
            type: 'raven',
            async run({ number }, { signal }) {
              const stored = (await store.open(positions).get(number))?.after ?? 0;
              const after = mistake === 'position in memory' ? Math.max(inMemory, stored) : stored;
              const found: Written[] = (await call(`after/${after}`, undefined, signal)).messages;
              if (found.length === 0) return clock.sleep(5_000, signal);
              const keep = () =>
                store.transaction((tx) => {
                  for (const message of found) tx.push(received, { number, message }, { serial: message.from });
                  if (mistake === 'nothing' || mistake.startsWith('no ')) tx.in(positions).put({ number, after: after + found.length });
                });
              const move = () => store.transaction((tx) => tx.in(positions).put({ number, after: after + found.length }));
              inMemory = after + found.length;
              if (mistake === 'position first') await move();
              await (mistake === 'position anyway' ? keep().catch(() => undefined) : keep());
              if (mistake === 'position anyway' || mistake === 'ids of its own' || mistake === 'position in memory') await move();
            },
          },
        ],
        consumes: [
          consume(received, async (job) => {
            const { number: uuid, message } = job.payload;
            const { from, text, answers } = message;
            const number = await numbers.require(uuid);
            const inbound: Inbound = {
              ...{ id: mistake === 'ids of its own' ? ids.uuid() : message.id, from, contact: { id: from }, timestamp: '1767600000' },
              ...{ type: 'text', content: { text: { body: text } } },
              ...(answers !== undefined && mistake !== 'no context' && { context: { id: answers } }),
            };
            await store.transaction(async (tx) => {
              await messages.received(tx, number, inbound);
              tx.in(greeted).put({ key: `${uuid}/${from}`, number: uuid });
              job.done(tx);
            });
          }),
          consume(sends, async ({ payload: { number, message, to, text, answers } }) => {
            const { id } = await call('send', { to, text, answers });
            const own = await numbers.require(number);
            await store.transaction((tx) => messages.accepted(tx, own, message, id));
          }),
        ],
        ...(mistake !== 'no erasure' && {
          personalData: {
            async erase(tx, { number, ids }) {
              for (const id of ids) tx.in(greeted).delete(`${number.uuid}/${id}`);
              return {};
            },
          },
        }),
      };
    },
  })();
}

function channelOf(mistake: Mistake): ChannelUnderTest {
  const sent: { to: string; text: string; answers?: string }[] = [];
  const written: Written[] = [];
  const serve = ({ http }: Pick<TestPlatform, 'http'>): void => {
    http.answer(`GET ${SERVICE}/*`, ({ url }) => ({ body: { messages: written.slice(Number(url.split('/').at(-1))) } }));
    http.answer(`POST ${SERVICE}/send`, ({ json }) => {
      sent.push(json);
      return { body: { id: `out-${sent.length}` } };
    });
  };
  const write = async ({ clock }: TestPlatform, message: Written): Promise<void> => {
    written.push(message);
    await clock.advance(5_000);
  };
  return {
    plugins: [raven(mistake)],
    number: { kind: 'channel', type: 'raven', address: 'raven:1' },
    contacts: ['ann'],
    async prepare(test, { uuid }) {
      serve(test);
      await test.admin('PUT', `/numbers/${uuid}/connection`, { settings: { key: 'k' } });
    },
    delivered: () => sent.map(({ to, text }) => ({ to, text })),
    write: (test, _, message) => write(test, message),
    reply: (test, _, { to, ...message }) => write(test, { ...message, answers: to.external_id! }),
    quoted: () => sent.at(-1)?.answers,
    reopen: serve,
  };
}

for (const [mistake, ...rules] of [
  ['nothing'],
  ['position first', FAILED, KILLED],
  ['position anyway', FAILED],
  ['position in memory', FAILED],
  ['ids of its own', FAILED, KILLED],
  ['no context', REPLY, QUOTED],
  ['no erasure', ERASED],
] as const)
  t.test(`the contract of channels and a driver with the mistake: ${mistake}`, async (t) => {
    const contract = mistake === 'nothing' ? channelContract : receivingContract;
    const broken = await brokenOn((t) => contract(t, () => channelOf(mistake)));
    for (const rule of [FAILED, KILLED, REPLY, QUOTED, ERASED])
      t.equal(broken.includes(rule), (rules as readonly string[]).includes(rule), `${rule}: ${broken}`);
    if (mistake === 'nothing') t.strictSame(broken, []);
  });

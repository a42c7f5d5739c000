import t from 'tap';
import { ANN, type CloudUnderTest, PHONE_ID, startCloud } from './cloud-under-test.js';

const MESSAGES = { method: 'POST', path: '/*/messages' } as const;
const text = (body: string) => ({ type: 'text', text: { body } });

let started: Promise<CloudUnderTest> | undefined;
/** The platform of the tests of this file that need no settings. Each writes to a contact of its own, and the last one stops the number. */
const start = () => (started ??= startCloud(t));

/** Sends a message. @returns its id */
const sent = async ({ send }: CloudUnderTest, body: string, to = ANN): Promise<string> =>
  (await send({ ...text(body), to })).body.messages[0].id;

/** The step of the network in the explanation of a message. */
async function stepOf({ admin }: CloudUnderTest, message: string) {
  const { status, body } = await admin('GET', `/why?message=${message}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.links.find(({ name }: { name: string }) => name === 'network');
}

t.test('an accepted message names its id on the network', async (t) => {
  const cloud = await start();
  const id = await sent(cloud, 'one');
  await cloud.settle();
  t.match(await stepOf(cloud, id), {
    state: 'ok',
    summary: `The network accepted the message as ${cloud.standIn.sent[0]!.id}.`,
    fix: null,
  });
});

t.test('a message that the network refused says what to do about its code', async (t) => {
  const cloud = await start();
  cloud.standIn.rule({ on: MESSAGES, times: 1, error: 131026 });
  const id = await sent(cloud, 'one', '16505550002');
  await cloud.settle();
  t.match(await stepOf(cloud, id), {
    state: 'broken',
    summary: /^The message failed with 131026/,
    fix: { action: /the contact is not on the network/ },
  });
});

t.test('a message that is repeated names the last error and when it is next sent, and those behind it name it', async (t) => {
  const cloud = await start();
  const BEE = '16505550003';
  cloud.standIn.rule({ on: MESSAGES, times: 1, error: 131000 });
  const [first, second] = [await sent(cloud, 'one', BEE), await sent(cloud, 'two', BEE)];
  await cloud.settle();
  const fix = { action: 'Correct what the error names, and send the message again' };
  t.match(await stepOf(cloud, first), { state: 'waiting', summary: /^The last attempt failed, and the next one is due at /, fix });
  t.match(await stepOf(cloud, second), { state: 'waiting', summary: /^An earlier message of the conversation is sent first/ });
});

t.test('messages beyond the limit of a contact name that limit', async (t) => {
  const cloud = await startCloud(t, { cloud: { pairBurst: 2, pairSeconds: 60 } });
  const ids: string[] = [];
  for (const body of ['one', 'two', 'three', 'four']) ids.push(await sent(cloud, body));
  await cloud.settle();
  const waiting = (await Promise.all(ids.map((id) => stepOf(cloud, id)))).filter(({ state }) => state === 'waiting');
  t.match(waiting[0], { summary: /for the limit of messages to its contact/ });
});

t.test('a send of unknown outcome says that a status is waited for', async (t) => {
  const cloud = await start();
  cloud.standIn.rule({ on: MESSAGES, times: 1, connection: 'reset' });
  const id = await sent(cloud, 'one', '16505550004');
  await cloud.settle();
  t.match(await stepOf(cloud, id), { state: 'waiting', summary: /^The connection broke after the message was sent/ });
});

t.test('messages of a stopped number name the cause and how to resume', async (t) => {
  const cloud = await start();
  cloud.standIn.rule({ on: MESSAGES, times: 1, error: 190 });
  const id = await sent(cloud, 'one', '16505550005');
  await cloud.settle();
  const step = await stepOf(cloud, id);
  t.match(step, { state: 'broken', summary: /^The number is stopped/, fix: { action: /new token/ } });
  const route = String(step.fix.route);
  t.match(route, /^POST \/admin\/v1\/cloud-api\/numbers\/.*\/resume$/);
  t.notMatch(JSON.stringify(step), PHONE_ID);
});

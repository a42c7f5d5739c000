import t from 'tap';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { ANN, type NumberUnderTest, startNumber } from './number-under-test.js';

const asks = {
  texts: { text: 'What is your name?' },
  blocks: [{ name: 'ask', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'text' } }],
};

async function publish(journey: string, number: string, admin: NumberUnderTest['admin']): Promise<void> {
  await admin('PUT', `/journeys/${journey}`, { number, name: 'Ask', definition: containerOf(asks), triggers: [{ on: 'message' }] });
  const { status } = await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  if (status !== 200) throw new Error(`the journey was not published: ${status}`);
}

t.test('an opt-out in a journey ends it without a message to the contact', async (t) => {
  const { standIn, settle, admin, platform, uuid: number, told, problems } = await startNumber(t, { shape: 'africas_talking' });
  await publish(platform.ids.uuid(), number, admin);
  await standIn.write(ANN, 'hi');
  await settle(1_000);
  await standIn.write(ANN, 'stop');
  await settle(1_000);
  await standIn.write(ANN, 'stop');
  await settle(60 * 60_000);
  t.same(
    standIn.sent.map((one) => one.text),
    ['What is your name?', 'You will receive no more messages from us. Reply START to receive them again.'],
  );
  t.equal(told('message.received').length, 3);
  t.same(told('advice'), []);
  t.same(problems(), []);
});

t.test('the files of an MMS are one input of a journey', async (t) => {
  const { standIn, settle, admin, platform, uuid: number, told, problems } = await startNumber(t);
  await publish(platform.ids.uuid(), number, admin);
  const file = { type: 'image/png', bytes: Buffer.from('a picture') };
  await standIn.write(ANN, 'my files', { files: [file, file, file] });
  await settle(1_000);
  t.equal(told('message.received').length, 3);
  t.same(
    standIn.sent.map((one) => one.text),
    ['What is your name?'],
  );
  t.same(problems(), []);
});

t.test('a number answers the question that was asked last, and not the options of an earlier one', async (t) => {
  const { standIn, settle, send, told } = await startNumber(t);
  const buttons = ['Ten', 'Noon'].map((title) => ({ type: 'reply', reply: { id: title, title } }));
  const answers = () =>
    told('message.received').map(({ message: { type, content } }) => content[type].body ?? content[type].button_reply.title);
  const writeTwo = async (): Promise<void> => {
    await standIn.write(ANN, '2');
    await settle(1_000);
  };
  await send({ type: 'interactive', interactive: { type: 'button', body: { text: 'At what time?' }, action: { buttons } } });
  await settle(1_000);
  await send({ type: 'text', text: { body: 'Please choose.' } });
  await settle(1_000);
  await writeTwo();
  await writeTwo();
  t.same(answers(), ['Noon', 'Noon'], 'nothing was asked since');
  await send({ type: 'text', text: { body: 'How many people?' } });
  await settle(1_000);
  await writeTwo();
  t.same(answers().at(-1), '2');
});

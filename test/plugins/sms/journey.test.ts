import t from 'tap';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { ANN, startNumber } from './number-under-test.js';

const asks = {
  texts: { text: 'What is your name?' },
  blocks: [{ name: 'ask', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'text' } }],
};

t.test('an opt-out in a journey ends it without a message to the contact', async (t) => {
  const { standIn, settle, admin, platform, uuid: number, told, problems } = await startNumber(t, { shape: 'africas_talking' });
  const journey = platform.ids.uuid();
  await admin('PUT', `/journeys/${journey}`, { number, name: 'Ask', definition: containerOf(asks), triggers: [{ on: 'message' }] });
  t.equal((await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' })).status, 200);
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
  t.same(problems(), []);
});

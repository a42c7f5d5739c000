import t from 'tap';
import { sampleJson } from '../../pages/samples.js';
import { startCloud } from './cloud-under-test.js';

t.test('the file on the page connects a number', async (t) => {
  const cloud = sampleJson('plugins/cloud-api/README.md', 'cloud.json');
  const [{ accessToken, appSecret, verifyToken, ...number }] = cloud.numbers;
  const { admin, standIn } = await startCloud(t, { cloud, secrets: { accessToken, appSecret, verifyToken } });
  const { body } = await admin('GET', '/cloud-api/numbers');
  t.match(body.connections, [{ phone_number_id: number.phoneNumberId, waba_id: number.wabaId }]);
  t.ok(standIn.webhooks[0]!.isAcknowledged);
});

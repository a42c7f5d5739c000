import t from 'tap';
import { startPlatform } from '#core/testing';
import { flows } from '../../../plugins/flows/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { survey } from '../flows/flows-under-test.js';
import { containerOf } from './engine/journey-under-test.js';

const asking = (flow_id: string) =>
  containerOf({
    texts: { r: 'Please fill this in' },
    languages: ['eng'],
    blocks: [{ name: 'ask', type: 'Svc.FlowMessage', config: { body: 'r', flow: { flow_id, cta: 'Open', screen: 'START' } } }],
  });

t.test('a journey that sends a form which its number does not have is published with a warning', async (t) => {
  const { admin, call, number, platform } = await startPlatform(t, { plugins: [flows(), journeys()] });
  const { uuid, token } = await number('network', { account: 'waba-1' });
  const other = await number('network', { account: 'waba-2' });
  const channel = await number('channel');
  const made = await call('POST', '/v1/flows', { token, payload: { name: 'Survey', flow_json: survey } });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const put = async (of: string, flow_id: string) => {
    const journey = platform.ids.uuid();
    const { body } = await admin('PUT', `/journeys/${journey}`, { number: of, name: 'Asks', definition: asking(flow_id) });
    return { journey, codes: body.problems.map(({ severity, code }: { severity: string; code: string }) => `${severity} ${code}`) };
  };
  t.strictSame((await put(uuid, made.body.id)).codes, []);
  t.strictSame((await put(other.uuid, made.body.id)).codes, ['warning missing_form'], 'another account has its own forms');
  t.strictSame((await put(channel.uuid, '777')).codes, [], 'a connector may show forms of another system');
  const { journey, codes } = await put(uuid, '777');
  t.strictSame(codes, ['warning missing_form']);
  t.match(await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' }), {
    status: 200,
    body: { problems: [{ code: 'missing_form', path: '/flows/0/blocks/0/config/flow/flow_id' }] },
  });
});

t.test('without a plugin that provides forms lint gives no warning', async (t) => {
  const { admin, number, platform } = await startPlatform(t, { plugins: [journeys()] });
  const { uuid } = await number('network');
  const { body } = await admin('PUT', `/journeys/${platform.ids.uuid()}`, { number: uuid, name: 'Asks', definition: asking('777') });
  t.strictSame(body.problems, []);
});

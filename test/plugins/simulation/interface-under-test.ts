import { startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { containerOf, type Draft } from '../journeys/engine/journey-under-test.js';

export const JOURNEY = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
export const OTHER = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f002';
export const ID = 'simulation-1';

/** A number with a published journey. */
export async function start(t: Tap, draft: Draft) {
  const posthorn = await startPlatform(t, { plugins: [channels(), webhooks(), journeys(), simulation()] });
  const { admin, call } = posthorn;
  const { number } = (await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'Library' })).body;
  const token = (await admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'test' })).body.text as string;
  const put = (drafted: Draft, uuid = JOURNEY) =>
    admin('PUT', `/journeys/${uuid}`, { number: number.uuid, name: 'Talk', definition: containerOf({ languages: ['eng'], ...drafted }) });
  const publish = (revision = 'production', uuid = JOURNEY) => admin('POST', `/journeys/${uuid}/publish`, { revision });
  const simulate = (payload: object, uuid = JOURNEY) =>
    call('POST', `/v1/journeys/${uuid}/simulation`, { token, payload: { simulation_id: ID, ...payload } });
  await put(draft);
  const published = await publish();
  t.equal(published.status, 200, JSON.stringify(published.body));
  return { ...posthorn, token, number: number.uuid as string, put, publish, simulate };
}

export const says = (name: string, text = name) => ({ name, type: 'MobilePrimitives.Message', config: { prompt: text } });
export const asks = (name: string, text = name) => ({ name, type: 'MobilePrimitives.OpenResponse', config: { prompt: text } });
export const talk: Draft = { blocks: [asks('first'), says('second')], texts: { first: 'Who are you?', second: 'Hello, @first.' } };

/** The reserved fields of the default contact. */
export const DEFAULT_CONTACT = {
  name: null,
  surname: null,
  location: null,
  language: null,
  birthday: null,
  opted_in: false,
  opted_in_at: null,
  is_blocked: false,
  first_message_received_at: null,
  last_message_received_at: null,
  last_message_sent_at: null,
  last_seen_at: null,
  msgapp_id: 'simulated',
  msgapp_profile_name: null,
};

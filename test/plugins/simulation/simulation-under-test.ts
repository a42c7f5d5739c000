import { type Answer, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { containerOf, type Draft, type DraftBlock } from '../journeys/engine/journey-under-test.js';

export const JOURNEY = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
export const ID = 'simulation-1';

export interface SimulationUnderTest extends Omit<TestPlatform, 'number'> {
  readonly number: string;
  simulate(payload?: object, about?: { journey?: string; token?: string }): Promise<Answer>;
}

/** A number with a published journey. */
export async function startSimulation(t: Tap, draft: Draft, options: Partial<TestPlatformOptions> = {}): Promise<SimulationUnderTest> {
  const posthorn = await startPlatform(t, { plugins: [channels(), webhooks(), journeys(), simulation()], ...options });
  const { admin, call } = posthorn;
  const { number } = (await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'Library' })).body;
  const text = (await admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'test' })).body.text as string;
  const definition = containerOf({ languages: ['eng'], ...draft });
  await admin('PUT', `/journeys/${JOURNEY}`, { number: number.uuid, name: 'Talk', definition });
  const published = await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' });
  if (published.status !== 200) throw new Error(JSON.stringify(published.body));
  return {
    ...posthorn,
    number: number.uuid,
    simulate: (payload = {}, { journey = JOURNEY, token = text } = {}) =>
      call('POST', `/v1/journeys/${journey}/simulation`, { token, payload: { simulation_id: ID, ...payload } }),
  };
}

export const says = (name: string, text = name): DraftBlock => ({ name, type: 'MobilePrimitives.Message', config: { prompt: text } });
export const asks = (name: string, text = name): DraftBlock => ({ name, type: 'MobilePrimitives.OpenResponse', config: { prompt: text } });
export const fetches = (name: string, config: DraftBlock['config']): DraftBlock => ({
  name,
  type: 'Svc.Http',
  config: { method: 'GET', ...config },
});

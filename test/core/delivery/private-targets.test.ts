import t from 'tap';
import type { HttpOutcome } from '#core';
import type { HttpRequest } from '#core/ports';
import { ManualClock, ScriptedHttp, type Tap } from '#core/testing';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { integration } from '../../../plugins/integration/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONNECTOR, startChannel } from '../../plugins/channels/channel-under-test.js';
import type { DraftBlock } from '../../plugins/journeys/engine/journey-under-test.js';
import { receive, respond } from '../ports/receiver.js';

/** The real HTTP client with its address guard; only the connector of the test is scripted. */
class Guarded extends ScriptedHttp {
  readonly #client: UndiciClient;

  constructor(t: Tap, clock: ManualClock) {
    super({ clock });
    // A public name that resolves to a private address, as an attacker would set it up.
    this.#client = new UndiciClient({ clock, guard: { allow: [] }, lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
    t.teardown(() => this.#client.stop());
  }

  override send(request: HttpRequest): Promise<HttpOutcome> {
    return request.url === CONNECTOR ? super.send(request) : this.#client.send(request);
  }
}

/** A channel, and an internal service that would respond to any request, reachable by its address and by a name. */
async function startInside(t: Tap) {
  const service = await receive(t, (socket) => respond(socket, { headers: { 'content-type': 'application/json' }, body: '{"secret":1}' }));
  const clock = new ManualClock();
  const plugins = [channels(), webhooks(), journeys(), integration()];
  const channel = await startChannel(t, { plugins, ports: { clock, http: new Guarded(t, clock) } });
  return { ...channel, service, ways: [`http://127.0.0.1:${service.port}/`, `http://public.test:${service.port}/`] };
}

t.test('a journey cannot reach an internal service, and its turn says why', async (t) => {
  const { publish, say, received, told, service, ways } = await startInside(t);
  let journey: string | undefined;
  for (const url of ways) {
    const blocks = [
      { name: 'ask', type: 'Svc.Http', config: { method: 'GET', url } },
      { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
    ] as DraftBlock[];
    journey = await publish(
      { texts: { r: 'got @ask.status @ask.error @ask.body' }, blocks },
      journey === undefined ? {} : { uuid: journey },
    );
    await say('hi', { id: `in-${url}` });
    t.match(told('journey.turn_taken').at(-1).http_calls, [{ url, status: null, failures: ['blocked address'] }]);
  }
  t.strictSame(received(), Array(2).fill(received()[0]));
  t.match(received()[0], /blocked_address/);
  t.notMatch(received()[0], /secret/);
  t.equal(service.connections, 0, 'nothing was sent');
});

t.test('an integration cannot be an internal service: nothing is sent, and its handshake says why', async (t) => {
  const { admin, uuid, told, service, ways } = await startInside(t);
  for (const url of ways) {
    const { status, body } = await admin('POST', '/integrations', { number: uuid, name: 'Inside', url });
    const reason = /^(127\.0\.0\.1 is|public\.test resolves to) a loopback or private address, which privateTargets does not allow$/;
    t.equal(status, 201);
    t.match(body.integration.handshake, { state: 'failed', trouble: { kind: 'unreachable', reason } });
    t.match(told('integration.shaken').at(-1), { state: 'failed', trouble: 'unreachable' });
  }
  t.equal(service.connections, 0, 'nothing was sent');
});

t.test('a webhook whose name resolves to an internal address is not called', async (t) => {
  const { admin, maker, platform, settle, service, ways, told } = await startInside(t);
  const made = await admin('POST', '/webhooks', { number: maker.uuid, url: ways[1], subscriptions: ['msgapp'] });
  t.equal(made.status, 201, 'the name is resolved only when a delivery is sent');
  const webhook = await platform.webhooks.require(made.body.webhook.uuid);
  const body = {
    contacts: [{ profile: { name: 'Ann' }, wa_id: '27820001001' }],
    messages: [{ from: '27820001001', id: 'in-1', timestamp: '1767600000', type: 'text', text: { body: 'hi' } }],
  };
  await platform.store.transaction((tx) => platform.deliveries.post(tx, { event: 'one', webhook, kind: 'network', body }));
  await settle();
  const last_error = 'public.test resolves to a loopback or private address, which privateTargets does not allow';
  t.match(told('delivery.settled').at(-1), { delivery: { state: 'cancelled', reason: 'blocked_address', last_error } });
  t.equal(service.connections, 0, 'nothing was sent');
});

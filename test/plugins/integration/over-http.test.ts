import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock, type Tap } from '#core/testing';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { integration } from '../../../plugins/integration/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { run } from '../../iso/posthorn-process.js';
import { startChannel } from '../channels/channel-under-test.js';

const EXAMPLE = join(import.meta.dirname, '..', '..', '..', 'sandbox', 'examples', 'integration.js');

/** A platform that listens, with a manual clock, and the example integration in a separate process. */
async function startBoth(t: Tap, dialect: object | undefined, service: string) {
  const clock = new ManualClock();
  const http = new UndiciClient({ clock, guard: false });
  const plugins = [channels(), webhooks(), journeys(), integration()];
  const test = await startChannel(t, { plugins, ports: { clock, http }, ...(dialect && { dialect }) });
  const { admin, uuid: number, server, platform, say } = test;
  const door = createServer((request, response) => server.listener.emit('request', request, response)).listen(0, '127.0.0.1');
  await once(door, 'listening');
  t.teardown(() => {
    door.closeAllConnections();
    door.close();
  });

  const about = { number, name: 'Library desk', url: 'http://127.0.0.1/', enabled: false, authorization: 'Token', token: 'desk-1' };
  const { integration: made, hmac_secret } = (await admin('POST', '/integrations', about)).body;
  const { child, printed } = run(t, [EXAMPLE], process.cwd(), {
    POSTHORN_API: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    POSTHORN_SECRET: hmac_secret,
    POSTHORN_SERVICE: service,
  });
  const [, url] = /integration on (\S+)/.exec(await printed(/integration on \S+\n/))!;
  const greeted = (await admin('PATCH', `/integrations/${made.uuid}`, { url: `${url}/desk`, enabled: true })).body.integration;
  await say('When is my book due?');
  const [conversation] = await platform.conversations.list(number, 1);
  const path = `/conversations/${conversation!.uuid}`;
  return {
    clock,
    child,
    greeted,
    open: async (query = '') => (await admin('GET', `${path}${query}`)).body.views.integrations.data,
    click: async (action: string, option?: string) =>
      (await admin('POST', `${path}/actions`, { integration: made.uuid, action, ...(option && { option }) })).body,
    /** Resolves after the event has been emitted `times` times from now. */
    told: (name: string, times = 1) =>
      new Promise<void>((resolve) => {
        const stop = platform.listen((event) => {
          if (event.name !== name || --times > 0) return;
          stop();
          resolve();
        });
      }),
  };
}

const dialects = [
  ['the default words', undefined, 'svc'],
  ['other words', { service: 'turn', network: 'chat' }, 'turn'],
] as const;

for (const [words, dialect, service] of dialects) {
  t.test(`over real HTTP with ${words}: handshake, poll, click, immediate refresh and later refresh`, async (t) => {
    const { clock, child, greeted, open, click, told } = await startBoth(t, dialect, service);
    t.match(greeted.handshake, { state: 'ready', version: '1.0.0-alpha', warnings: [] });

    const opened = await open();
    t.match(opened, { panels: [{ name: 'Library desk', state: 'loaded', warnings: [] }] });
    const [{ context_objects, actions }] = opened.panels;
    t.match(context_objects, [
      { code: 'loan', type: 'table', title: 'Loan' },
      { code: 'waiting', type: 'ordered-list', items: [{ number: 1, value: [{ type: 'text', text: 'Paddle Your Own Canoe' }] }] },
    ]);
    t.match(actions, [
      { action: 'extend', options: [{ option: 'week' }, { option: 'month' }] },
      { action: 'reserve', options: [] },
    ]);
    t.match(
      opened.suggested_responses,
      [{ title: 'Due date', confidence: 0.9 }, { title: 'Greeting' }],
      'the integration has read the message',
    );

    t.match(await click('extend', 'month'), { refreshed: true, click: { state: 'accepted', status: 200 } });
    const extended = (await open()).panels[0].context_objects[0];
    t.not(JSON.stringify(extended), JSON.stringify(context_objects[0]), 'the loan is extended');

    const refreshed = told('integration.polled');
    t.match(await click('reserve'), { refreshed: false, click: { state: 'accepted', status: 200 } });
    await refreshed;
    t.match((await open()).panels[0].context_objects[1].items, [{}, { number: 2, value: [{ text: 'The Sea Around Us' }] }]);

    child.kill('SIGSTOP');
    const stuck = open('?refresh=true');
    await clock.advance(5_000);
    t.match(await stuck, { panels: [{ state: 'stale', trouble: { kind: 'timeout' }, context_objects: [{}, {}] }] });
    child.kill('SIGCONT');
    t.match(await open('?refresh=true'), { panels: [{ state: 'loaded' }] });
  });
}

t.test('with an unknown dialect the example refuses the signature, which is a state of the handshake', async (t) => {
  const { greeted, open } = await startBoth(t, undefined, 'turn');
  t.match(greeted.handshake, { state: 'failed', trouble: { kind: 'refused', reason: 'it responded 401' } });
  t.match(await open(), { panels: [{ state: 'failed', trouble: { kind: 'not_ready' } }] });
});

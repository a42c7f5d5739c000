import t from 'tap';
import type { Tap } from '#core/testing';
import { startSandbox } from '../../sandbox/compose.js';
import { accessChecks } from '../../sandbox/conform/api/access-checks.js';
import { channelChecks } from '../../sandbox/conform/api/channel-checks.js';
import { flowChecks } from '../../sandbox/conform/api/flow-checks.js';
import { Api, checksOfApi } from '../../sandbox/conform/api/index.js';
import { messageChecks } from '../../sandbox/conform/api/message-checks.js';
import { simulationChecks } from '../../sandbox/conform/api/simulation-checks.js';
import { bind, runChecks } from '../../sandbox/conform/run.js';
import { apiFlaws, type Flaw } from './api-flaws.js';
import { type Incoming, serve } from './connector-subject.js';
import { failsOnly } from './flawed.js';

const JOURNEY = '22222222-3333-4444-8555-666666666666';
const notebook = 'card Ask, then: Thanks do\n  name = ask("What is your name?")\nend\n\ncard Thanks do\n  text("Thank you")\nend\n';

const areas = [accessChecks, flowChecks, messageChecks, channelChecks, simulationChecks];

async function startPlatform(t: Tap) {
  const address = '+27600000001';
  const sandbox = await startSandbox({
    seed: {
      numbers: [{ kind: 'network', address, name: 'Number', account: 'conformance' }],
      channels: [{ from_addr: 'web:1', name: 'Channel', endpoint: 'http://127.0.0.1:9' }],
      journeys: [{ uuid: JOURNEY, number: address, name: 'Names', notebook, triggers: [] }],
    },
    logLevel: 'error',
  });
  t.teardown(() => sandbox.stop());
  const [number, channel] = sandbox.numbers;
  return { api: sandbox.api, token: number!.token, channel: { uuid: channel!.uuid, token: channel!.token }, journey: JOURNEY };
}

t.test('implementations of the API', async (t) => {
  const { api, ...options } = await startPlatform(t);
  const check = async (url: string, checks = checksOfApi) =>
    runChecks(bind(checks, new Api({ url, ...options, requestsPerSecond: 10_000 }), { withinMs: 600_000 }));

  await t.test('a sandbox passes every check', async (t) => {
    const outcomes = await check(api);
    t.ok(outcomes.length >= 60);
    for (const { id, result, reason, expected, received } of outcomes)
      t.equal(result, 'pass', `${id} ${reason ?? ''} ${expected}; ${received}`);
  });

  /** A sandbox behind a proxy that changes responses. */
  const flawed = (t: Tap, flaw: Flaw) =>
    serve(t, async ({ request, body, json }: Incoming) => {
      const { method = 'GET', url: path = '/', headers } = request;
      const { authorization, 'content-type': type } = headers;
      const response = await fetch(`${api}${path}`, {
        method,
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        ...(method !== 'GET' && { body: new Uint8Array(body) }),
      });
      const text = await response.text();
      const good = { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
      const given = {
        method,
        path,
        json: json ?? {},
        raw: body.toString(),
        isChannel: authorization?.endsWith(options.channel.token) ?? false,
        good,
      };
      return { ...good, ...flaw({ ...given, hasToken: authorization !== undefined }) };
    });

  await failsOnly(t, checksOfApi, apiFlaws, async (t, flaw, { id }) => {
    // A flaw changes responses of the routes of one area only.
    const area = areas.find((area) => area.some((check) => check.id === id))!;
    return check(await flawed(t, flaw), area === accessChecks ? checksOfApi : [...accessChecks, ...area]);
  });
});

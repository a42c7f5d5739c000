import { readFileSync } from 'node:fs';
import t from 'tap';
import { startPlatform, type Tap } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';

const clinic = JSON.parse(readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8'));
const JOURNEY = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';

async function start(t: Tap) {
  const posthorn = await startPlatform(t, { plugins: [channels(), webhooks(), journeys(), simulation()] });
  const { admin, call } = posthorn;
  const number = async (address: string) => {
    const { number } = (await admin('POST', '/numbers', { kind: 'network', address, name: 'Library' })).body;
    return { uuid: number.uuid, token: (await admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'test' })).body.text as string };
  };
  const owner = await number('+27600000001');
  await admin('PUT', `/journeys/${JOURNEY}`, { number: owner.uuid, name: 'Library', definition: clinic });
  await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' });
  const simulate = (payload: object, token = owner.token) => call('POST', `/v1/journeys/${JOURNEY}/simulation`, { token, payload });
  return { ...posthorn, simulate, number };
}

t.test("a simulation starts, continues turn by turn, shows the journey's messages and sends nothing real", async (t) => {
  const { simulate, http, events } = await start(t);
  const announced = events.length;

  const opening = await simulate({ simulation_id: 'sim-0001', contact: { name: 'Thandi' } });
  t.equal(opening.status, 200);
  t.match(opening.body, { simulation_id: 'sim-0001', state: 'waiting_for_input', card: 'Welcome', options: ['English', 'Français'] });
  t.match(opening.body.message, /Options \(reply with the exact label of one option\):\n- English\n- Français$/);

  const menu = await simulate({ simulation_id: 'sim-0001', input: 'English' });
  t.match(menu.body, { state: 'waiting_for_input', card: 'Menu', contact: { name: 'Thandi', language: 'eng' } });
  t.strictSame(menu.body.contact, menu.body.context.contact);
  t.match(menu.body.message, /Good to hear from you, Thandi/);

  t.strictSame(http.calls, []);
  t.equal(events.length, announced, 'the simulation emitted no events');
});

t.test('a first message answers the first question, and one response contains both parts', async (t) => {
  const { simulate } = await start(t);
  const { body } = await simulate({ simulation_id: 'sim-0001', input: 'English', contact: { name: 'Thandi' } });
  t.match(body.message, /Welcome to the Riverside Library[\s\S]+Good to hear from you, Thandi/);
  t.equal(body.card, 'Menu');
});

t.test("another number's token opens neither a simulation nor its journey", async (t) => {
  const { simulate, number } = await start(t);
  await simulate({ simulation_id: 'sim-0001' });
  const other = await number('+27600000002');
  t.match(await simulate({ simulation_id: 'sim-0001', input: 'English' }, other.token), {
    status: 404,
    body: { errors: ['Journey not found'] },
  });
});

t.test('a simulation expires after half an hour without a request', async (t) => {
  const { simulate, clock } = await start(t);
  await simulate({ simulation_id: 'sim-0001' });
  await clock.advance(29 * 60_000);
  t.match(await simulate({ simulation_id: 'sim-0001', input: 'English' }), { status: 200 });
  await clock.advance(30 * 60_000);
  t.match(await simulate({ simulation_id: 'sim-0001', input: 'Opening hours' }), {
    status: 404,
    body: { errors: ['Simulation not found or expired'] },
  });
});

t.test('input that cannot be simulated is refused as the interface says', async (t) => {
  const { simulate, admin, call } = await start(t);
  const refusals: [payload: object, status: number, text: string][] = [
    [{}, 400, 'simulation_id is required'],
    [{ simulation_id: 'five5' }, 400, 'simulation_id must be between 6 and 64 characters'],
    [{ simulation_id: 'x'.repeat(65) }, 400, 'simulation_id must be between 6 and 64 characters'],
    [{ simulation_id: 'sim-0001', revision: 'draft' }, 400, "Invalid revision, must be 'production' or 'staging'"],
    [{ simulation_id: 'sim-0001', parent: 'x' }, 400, 'Invalid parent, must be an object'],
    [{ simulation_id: 'sim-0001', child: [] }, 400, 'Invalid child, must be an object'],
    [{ simulation_id: 'sim-0001', revision: 'staging' }, 400, 'Journey has no staging revision'],
    [{ simulation_id: 'sim-0001', input: '' }, 400, 'Invalid input, must be a non-empty string'],
    [{ simulation_id: 'sim-0001', input: 7 }, 400, 'Invalid input, must be a non-empty string'],
  ];
  for (const [payload, status, text] of refusals) {
    t.match(await simulate(payload), { status, body: { errors: [text] } }, text);
  }
  const { token } = await tokenOf(admin);
  t.match(await call('POST', '/v1/journeys/not-a-uuid/simulation', { token, payload: { simulation_id: 'sim-0001' } }), {
    status: 400,
    body: { errors: ['Invalid Journey UUID'] },
  });
  await admin('POST', `/journeys/${JOURNEY}/disable`);
  t.match((await simulate({ simulation_id: 'sim-0001' })).body, { errors: ['Journey is disabled'] });
  await admin('POST', `/journeys/${JOURNEY}/enable`);
  await admin('DELETE', `/journeys/${JOURNEY}`);
  t.match((await simulate({ simulation_id: 'sim-0001' })).body, { errors: ['Journey has been deleted'] });
});

async function tokenOf(
  admin: (method: string, path: string, payload?: unknown) => Promise<{ body: { numbers: { uuid: string }[]; text: string } }>,
) {
  const { numbers } = (await admin('GET', '/numbers')).body;
  return { token: (await admin('POST', `/numbers/${numbers[0]?.uuid}/tokens`, { name: 'second' })).body.text };
}

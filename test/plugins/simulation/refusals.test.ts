import t from 'tap';
import { JOURNEY, OTHER, start, talk } from './interface-under-test.js';

t.test('an id of 6 to 64 characters is accepted, including a UUID', async (t) => {
  const { simulate } = await start(t, talk);
  for (const simulation_id of ['123456', 'x'.repeat(64), '0d7f5a2e-6a3b-4f0e-9d55-0f5c1f3b2a11']) {
    t.match(await simulate({ simulation_id }), { status: 200, body: { simulation_id } });
  }
});

t.test('every error has exactly the text of the interface', async (t) => {
  const { simulate, put, admin, clock } = await start(t, talk);
  await put(talk, OTHER);
  const refused = async (status: number, text: string, payload: object, uuid = JOURNEY) => {
    const answer = await simulate(payload, uuid);
    t.equal(answer.status, status, text);
    t.strictSame(answer.body, { errors: [text] });
  };
  await refused(400, 'simulation_id is required', { simulation_id: undefined });
  await refused(400, 'simulation_id must be between 6 and 64 characters', { simulation_id: '12345' });
  await refused(400, 'simulation_id must be between 6 and 64 characters', { simulation_id: 'x'.repeat(65) });
  await refused(400, 'Invalid Journey UUID', {}, '5c1e7a52');
  await refused(400, 'Invalid Journey UUID', { simulation_id: undefined }, '5c1e7a52');
  const bare = JOURNEY.replaceAll('-', '');
  for (const uuid of [bare, `{${JOURNEY}}`, JOURNEY.replaceAll('-', ':'), `${bare.slice(0, 8)}-${bare.slice(8)}`, `${JOURNEY}0`]) {
    await refused(400, 'Invalid Journey UUID', {}, uuid);
  }
  await refused(400, 'Journey has no published production revision', {}, OTHER);
  await refused(400, 'Journey has no staging revision', { revision: 'staging' });
  await refused(400, "Invalid revision, must be 'production' or 'staging'", { revision: 'draft' });
  for (const value of ['x', [], 7]) {
    await refused(400, 'Invalid parent, must be an object', { parent: value });
    await refused(400, 'Invalid child, must be an object', { child: value });
  }
  for (const input of ['', 7]) await refused(400, 'Invalid input, must be a non-empty string', { input });
  await refused(404, 'Journey not found', {}, '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f003');

  await simulate({});
  for (const input of ['', 7, undefined, null]) await refused(400, 'Invalid input, must be a non-empty string', { input });
  await clock.advance(31 * 60_000);
  await refused(404, 'Simulation not found or expired', { input: 'Ann' });
  await admin('POST', `/journeys/${JOURNEY}/disable`);
  await refused(400, 'Journey is disabled', {});
  await admin('DELETE', `/journeys/${JOURNEY}`);
  await refused(400, 'Journey has been deleted', {});
});

t.test('null means absent, also in a mock, except for the body of a response', async (t) => {
  const { simulate } = await start(t, talk);
  const nulls = { revision: null, parent: null, child: null, input: null, fail_unmocked_http_calls: null, debug: null };
  t.match(await simulate({ simulation_id: 'with-nulls', ...nulls, contact: null, http_mocks: null }), { status: 200 });
  const parts = { method: null, url: 'https://weather.test/*', status: null };
  const http_mocks = [
    { ...parts, response: null },
    { ...parts, response: { status: null, headers: { 'x-a': null }, body: null } },
  ];
  t.match(await simulate({ simulation_id: 'with-mocks', http_mocks }), { status: 200 });
  t.match(await simulate({ simulation_id: null }), { status: 400, body: { errors: ['simulation_id is required'] } });
});

t.test('http_mocks is a list of objects', async (t) => {
  const { simulate } = await start(t, talk);
  for (const http_mocks of [{}, 'x', ['x'], [null]]) {
    t.match(await simulate({ http_mocks }), { status: 400, body: { errors: [/^Invalid http_mocks: (http_mocks|mock 1)/] } });
  }
  t.match(await simulate({ http_mocks: [{ url: 'https://weather.test/*', response: { body: {} } }] }), { status: 200 });
});

t.test('a body that is too large or not JSON gets an error sentence', async (t) => {
  const { simulate, call, token } = await start(t, talk);
  const { status, body } = await simulate({ contact: { note: 'x'.repeat(2 * 1024 * 1024) } });
  t.equal(status, 413);
  t.strictSame(body, { errors: ['The body is larger than 2097152 bytes'] });
  const path = `/v1/journeys/${JOURNEY}/simulation`;
  const as = (headers: Record<string, string>) => call('POST', path, { token, payload: '{}', headers });
  const text = await as({ 'content-type': 'text/plain' });
  t.equal(text.status, 415);
  t.strictSame(text.body, { errors: ['Send the body as application/json'] });
  const packed = await as({ 'content-type': 'application/json', 'content-encoding': 'br' });
  t.equal(packed.status, 415);
  t.match(packed.body, { errors: [/^The content encoding "br" is not supported/] });
});

import t from 'tap';
import { startChannel, tokenOf } from '../channels/channel-under-test.js';

const HELLO = '```stack\ntrigger(on: "MESSAGE RECEIVED")\ncard Hello do\n  text("Hello")\nend\n```\n';
const BROKEN = HELLO.replace('end\n', '');

t.test('a journey is created, changed and published as a notebook with the token of its number', async (t) => {
  const { call, token, say, received, clock } = await startChannel(t);
  const api = (method: string, path: string, payload?: object) => call(method, path, { token, ...(payload && { payload }) });
  t.strictSame((await api('GET', '/v1/stacks')).body, []);
  const created = await api('POST', '/v1/stacks', { name: 'Hello', notebook: HELLO, publish_latest_changes: false, enabled: true });
  t.equal(created.status, 201);
  const { uuid } = created.body;
  const now = clock.now().toISOString().replace('Z', '000Z');
  t.strictSame(created.body, {
    name: 'Hello',
    uuid,
    inserted_at: now,
    updated_at: now,
    is_canvas: false,
    url: `http://posthorn.test/v1/stacks/${uuid}`,
    is_notebook_valid: true,
    production_notebook_revision_uuid: null,
    enabled: true,
    has_unpublished_changes: true,
  });
  t.strictSame((await api('GET', '/v1/stacks')).body, [{ name: 'Hello', uuid }]);
  t.strictSame((await api('GET', `/v1/stacks/${uuid.toUpperCase()}`)).body, created.body);
  await say('hi');
  t.strictSame(received(), [], 'a draft answers nothing');

  const published = await api('PATCH', `/v1/stacks/${uuid}`, { publish_latest_changes: true, name: 'Greeting' });
  t.match(published.body, { name: 'Greeting', has_unpublished_changes: false, production_notebook_revision_uuid: /-/ });
  await say('hi');
  t.strictSame(received(), ['Hello']);

  const changed = await api('PATCH', `/v1/stacks/${uuid}`, { notebook: HELLO.replace('"Hello"', '"Good day"') });
  t.match(changed.body, { name: 'Greeting', has_unpublished_changes: true, is_notebook_valid: true });
  const production = published.body.production_notebook_revision_uuid;
  t.equal(changed.body.production_notebook_revision_uuid, production);
  t.equal((await api('PATCH', `/v1/stacks/${uuid}`, { publish_latest_changes: true, enabled: false })).body.enabled, false);
  await say('hi');
  t.equal(received().length, 1, 'it is disabled');
  await api('PATCH', `/v1/stacks/${uuid}`, { enabled: true });
  await say('hi');
  t.strictSame(received(), ['Hello', 'Good day']);
});

t.test('a notebook with mistakes is stored as invalid, and refused with its lines when it is to be published', async (t) => {
  const { call, token } = await startChannel(t);
  const api = (method: string, path: string, payload?: object) => call(method, path, { token, ...(payload && { payload }) });
  const refused = await api('POST', '/v1/stacks', { name: 'Hello', notebook: BROKEN, publish_latest_changes: true });
  t.equal(refused.status, 409);
  t.match(refused.body, { errors: [/^line 3: /] });
  t.strictSame((await api('GET', '/v1/stacks')).body, [], 'nothing is stored');
  const { body } = await api('POST', '/v1/stacks', { name: 'Hello', notebook: BROKEN });
  t.match(body, { is_notebook_valid: false, has_unpublished_changes: true });
  t.equal((await api('PATCH', `/v1/stacks/${body.uuid}`, { publish_latest_changes: true, name: 'New' })).status, 409);
  t.match((await api('GET', `/v1/stacks/${body.uuid}`)).body, { name: 'Hello', is_notebook_valid: false });
  const fixed = await api('PATCH', `/v1/stacks/${body.uuid}`, { notebook: HELLO, publish_latest_changes: true, enabled: false });
  t.match(fixed.body, { is_notebook_valid: true, has_unpublished_changes: false, enabled: false });
  for (const payload of [{ name: 'No notebook' }, { name: '', notebook: HELLO }, { name: 'x', notebook: 7 }])
    t.equal((await api('POST', '/v1/stacks', payload)).status, 400, JSON.stringify(payload));
});

t.test('journeys of other numbers are not found, and not listed', async (t) => {
  const channel = await startChannel(t);
  const { call, token, maker } = channel;
  const { body } = await call('POST', '/v1/stacks', { token, payload: { name: 'Hello', notebook: HELLO } });
  const other = await tokenOf(channel, maker.uuid);
  t.strictSame((await call('GET', '/v1/stacks', { token: other })).body, []);
  for (const method of ['GET', 'PATCH']) {
    const answer = await call(method, `/v1/stacks/${body.uuid}`, { token: other, ...(method === 'PATCH' && { payload: { name: 'x' } }) });
    t.match(answer, { status: 404, body: { errors: ['Journey not found'] } });
  }
  t.equal((await call('GET', '/v1/stacks')).status, 401);
});

import t from 'tap';
import { stateFile, stateText } from '../../../sandbox/state/state-file.js';
import { ANN, NUMBER, OWNER, SECRETS, startCloud } from './cloud-under-test.js';

const text = { type: 'text', text: { body: 'hello' } };

t.test('secrets never appear in logs, events, errors, admin responses, deliveries or exports', async (t) => {
  const { send, standIn, settle, admin, log, events, listen, received, call, callback, platform, uuid, server } = await startCloud(t);
  await listen(['svc', 'msgapp']);
  await send(text);
  standIn.rule({ on: { method: 'POST', path: '/*/messages' }, times: 1, error: 190 });
  await send(text);
  standIn.rule({ on: { method: 'POST', path: '/*/messages' }, times: 1, connection: 'reset' });
  await settle(5_000);
  await standIn.write(ANN, { type: 'image', image: { id: '999', mime_type: 'image/png' } });
  await standIn.write(ANN, 'x', { signature: 'wrong' });
  await settle();
  const seen: string[] = [];
  const keep = (value: unknown) => seen.push(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const { pathname } = new URL(callback);
  keep((await call('GET', `${pathname}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong`)).body);
  keep((await call('POST', pathname, { payload: '{}', headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } })).body);
  const credentials = { access_token: SECRETS.accessToken, app_secret: SECRETS.appSecret, verify_token: SECRETS.verifyToken };
  // A refused body repeats none of its values.
  keep((await admin('PUT', `/cloud-api/numbers/${uuid}`, { phone_number_id: 'no', waba_id: '1', ...credentials })).body);
  keep(
    (await admin('PUT', `/cloud-api/numbers/${uuid}`, { phone_number_id: NUMBER.phoneNumberId, waba_id: NUMBER.wabaId, ...credentials }))
      .body,
  );
  await settle(5_000);
  const { body } = await admin('GET', '/deliveries?limit=100');
  for (const { uuid } of body.deliveries) keep((await admin('GET', `/deliveries/${uuid}`)).body);
  for (const path of [
    '/numbers',
    '/cloud-api/numbers',
    '/calls',
    '/advice',
    '/metrics',
    '/openapi.json',
    '/health',
    '/platform',
    `/events?limit=1000`,
  ]) {
    keep((await admin('GET', path)).body);
  }
  for (const { lines } of [log]) for (const line of lines) keep(line);
  keep(events);
  for (const { json, headers } of received(OWNER)) keep({ json, headers });
  keep(await platform.numbers.list());
  keep(server.info);
  const state = await platform.readState();
  const { clock, seeded } = { clock: { paused: false }, seeded: { numbers: [], channels: [], webhooks: [], journeys: [] } };
  const exported = await stateFile({ clock, state, seeded, integration: undefined });
  t.ok(exported.collections['cloud-api.connections']?.length, 'the export has the connection');
  t.ok(exported.secrets.names.includes(`cloud-api/${uuid}/access-token`), exported.secrets.names.join());
  keep(stateText(exported));
  keep(Object.entries(state.media).map(([, bytes]) => Buffer.from(bytes).toString('latin1')));
  const all = seen.join('\n');
  t.ok(all.length > 10_000, `${all.length} characters were searched`);
  for (const [name, secret] of Object.entries(SECRETS)) t.notOk(all.includes(secret), `${name} does not appear`);
  t.ok(
    standIn.requests.some(({ headers }) => JSON.stringify(headers).includes(SECRETS.accessToken)),
    'the network did get the token',
  );
});

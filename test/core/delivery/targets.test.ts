import t from 'tap';
import { createPlatform, type PlatformOptions } from '#core';
import { ManualClock, RecordingLogger, ScriptedHttp } from '#core/testing';
import { TargetRules } from '../../../core/adapters/http/target-rules.js';
import { startChannel } from '../../plugins/channels/channel-under-test.js';

const INSIDE = 'http://169.254.169.254/latest/meta-data';

/** Scripted responses, with rules about the addresses that requests may reach. */
class RuledHttp extends ScriptedHttp {
  readonly refusal = (url: string): string | undefined => new TargetRules().refusal(url);
}

t.test('a webhook cannot be created or changed to a URL that deliveries may not be sent to', async (t) => {
  const clock = new ManualClock();
  const { admin, call, maker, webhook } = await startChannel(t, { ports: { clock, http: new RuledHttp({ clock }) } });
  const details = /url is not allowed: 169\.254\.169\.254 is a loopback or private address/;
  const made = await admin('POST', '/webhooks', { number: maker.uuid, url: INSIDE });
  t.match(made, { status: 400, body: { errors: [{ details }] } });
  t.match(await admin('PATCH', `/webhooks/${webhook.uuid}`, { url: INSIDE }), { status: 400, body: { errors: [{ details }] } });
  const payload = { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'other', name: 'Other', endpoint: INSIDE };
  t.match(await call('POST', '/v1/numbers', { token: maker.token, payload }), {
    status: 400,
    body: { message: 'Bad Request', errors: { webhook: { endpoint: ['is invalid'] } } },
  });
  t.equal((await admin('GET', `/webhooks?number=${maker.uuid}`)).body.webhooks.length, 0);
});

t.test('a webhook cannot set the headers of the delivery itself, and a number has at most twenty webhooks', async (t) => {
  const { admin, maker } = await startChannel(t);
  const about = { number: maker.uuid, url: 'https://owner.test/' };
  for (const name of [
    'Host',
    'Content-Length',
    'X-Svc-Hook-Signature',
    'x-svc-hook-signature-previous',
    'X-Svc-Hook-Subscription',
    'a b',
    'a\n',
  ])
    t.equal((await admin('POST', '/webhooks', { ...about, headers: { [name]: 'x' } })).status, 400, JSON.stringify(name));
  for (const value of ['a\r\nb: c', '\u0000', '😀', 'x'.repeat(5_000)])
    t.equal((await admin('POST', '/webhooks', { ...about, headers: { 'x-own': value } })).status, 400);
  for (let i = 0; i < 20; i++) t.equal((await admin('POST', '/webhooks', about)).status, 201);
  t.match(await admin('POST', '/webhooks', about), {
    status: 409,
    body: { errors: [{ details: 'A number has at most 20 webhooks; delete one first' }] },
  });
});

t.test('an embedded platform refuses private addresses unless they are allowed; ports and https: can be required', async (t) => {
  const refused = async (options: Partial<PlatformOptions>, url: string) => {
    const platform = createPlatform({ plugins: [], ...options, ports: { log: new RecordingLogger() } });
    await platform.start();
    const made = platform.store.transaction((tx) => {
      const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Office' });
      return platform.webhooks.create(tx, { number: number.uuid, url, name: 'Owner', subscriptions: ['network'] });
    });
    const error = await made.then(
      () => undefined,
      (error: Error) => error.message,
    );
    await platform.stop();
    return error;
  };
  t.match(await refused({}, INSIDE), /url is not allowed: 169\.254\.169\.254 is a loopback or private address/);
  t.match(await refused({}, 'http://[::1]:8080/'), /is a loopback or private address/);
  t.equal(await refused({}, 'https://connector.test/'), undefined);
  t.equal(await refused({ privateTargets: 'allow' }, INSIDE), undefined);
  t.equal(await refused({ privateTargets: ['10.0.0.0/8'] }, 'http://10.1.2.3/'), undefined);
  t.match(await refused({ privateTargets: ['10.0.0.0/8'] }, 'http://192.168.0.1/'), /is a loopback or private address/);
  t.match(await refused({ outbound: { httpsOnly: true } }, 'http://connector.test/'), /only https: is allowed/);
  t.match(await refused({ outbound: { ports: [443] } }, 'https://connector.test:8443/'), /port 8443/);
});

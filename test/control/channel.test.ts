import { join } from 'node:path';
import t from 'tap';
import { channel } from '../../sandbox/commands/channel.js';
import { env } from '../../sandbox/commands/env.js';
import { send } from '../../sandbox/commands/send.js';
import { status } from '../../sandbox/commands/status.js';
import { newFolder } from '../iso/posthorn-process.js';
import { type ControlledSandbox, startControlled } from './sandbox-with-receiver.js';
import type { Link } from './why-chain.js';

const variablesIn = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => /^export (\w+)='(.*)'$/.exec(line)!.slice(1) as [string, string]));

/** Posts a message as the connector of a channel. @returns the status */
async function post({ call }: ControlledSandbox, { POSTHORN_NUMBER, POSTHORN_TOKEN }: Record<string, string>, id: string): Promise<number> {
  const message = { from: 'ann', id, timestamp: '1767600000', type: 'text', text: { body: 'hi' } };
  const payload = { contact: { id: 'ann', profile: { name: 'Ann' } }, message };
  return (await call('POST', `/v1/numbers/${POSTHORN_NUMBER}/messages`, { payload, token: POSTHORN_TOKEN! })).status;
}

t.test('a channel that is added while a sandbox runs works with the variables that are printed, until it is removed', async (t) => {
  const box = await startControlled(t);
  const url = `${box.receiver.url}/another`;
  const address = `web:${new URL(url).host}/another`;
  const added = await box.run(channel, 'add', url);
  const variables = variablesIn(added.out);
  t.match(variables, {
    POSTHORN_API: box.sandbox.api,
    POSTHORN_NUMBER: String,
    POSTHORN_TOKEN: String,
    POSTHORN_SECRET: String,
    PORT: new URL(url).port,
  });
  t.match(added.err, [`Created channel ${address} for ${url}`, `These variables again: npx posthorn env --number ${address}`]);
  t.equal(await post(box, variables, 'm-1'), 200, 'the token works');

  t.match(variablesIn((await box.run(env, '--number', address)).out), { ...variables, PORT: undefined }, 'env knows it');
  const shown = JSON.parse((await box.run(status, '--json')).out[0]!);
  const { POSTHORN_NUMBER: uuid, POSTHORN_SECRET: hmac_secret, POSTHORN_TOKEN: token } = variables;
  t.match(
    shown.channels.find((one: Link) => one.uuid === uuid),
    { endpoint: url, webhook: { hmac_secret } },
    'status knows it',
  );
  t.match(
    shown.numbers.find((one: Link) => one.uuid === uuid),
    { kind: 'channel', address, token },
  );
  t.equal((await box.run(send, 'hello', '--number', address, '--wait', '5')).code, 0, 'send knows it');

  const again = JSON.parse((await box.run(channel, 'add', url, '--json')).out[0]!);
  t.match(again, { v: 1, created: false, channel: { uuid, address, endpoint: url }, environment: variables }, 'the same URL adds nothing');
  t.match((await box.run(channel, 'ls')).out.join('\n'), new RegExp(`^web:shop +Shop .*\n${address.replaceAll('.', '\\.')} .*${uuid}$`));

  t.match((await box.run(channel, 'remove', address)).out, [`Removed channel ${address}`]);
  t.equal(await post(box, variables, 'm-2'), 401, 'its token is revoked');
  t.match(JSON.parse((await box.run(channel, 'list', '--json')).out[0]!), { v: 1, channels: [{ number: { address: 'web:shop' } }] });
  const after = JSON.parse((await box.run(status, '--json')).out[0]!);
  t.strictSame([after.numbers.length, after.channels.length], [1, 1], 'status does not show it any more');
  await t.rejects(box.run(channel, 'rm', address), /channel 'web:.*' not found; channels: web:shop/);
  t.equal((await box.admin('DELETE', `/channels/${uuid}`)).status, 404);

  const renewed = JSON.parse((await box.run(channel, 'add', url, '--name', 'Renewed', '--json')).out[0]!);
  t.match(renewed, { created: true, channel: { uuid, name: 'Renewed' } }, 'the address continues its number');
  t.equal(await post(box, renewed.environment, 'm-3'), 200);
  const { conversations } = (await box.admin('GET', `/numbers/${uuid}/conversations`)).body;
  t.equal(conversations.length, 2, 'and its conversations: of ann and of send');
});

t.test('env and status know numbers, secrets and webhooks as they are now', async (t) => {
  const box = await startControlled(t);
  const created = await box.admin('POST', '/numbers', { kind: 'network', address: '+27600000009', name: 'Late' });
  const { uuid } = created.body.number;
  const hook = { number: uuid, url: `${box.receiver.url}/late`, name: 'Late', subscriptions: ['msgapp'] };
  const { hmac_secret } = (await box.admin('POST', '/webhooks', hook)).body;
  const rotated = (await box.admin('POST', `/webhooks/${box.webhook.uuid}/rotate-secret`, {})).body;
  const shown = JSON.parse((await box.run(status, '--json')).out[0]!);
  t.match(variablesIn((await box.run(env, '--number', uuid)).out), { POSTHORN_NUMBER: uuid, POSTHORN_SECRET: hmac_secret });
  t.equal(shown.webhooks.find((one: Link) => one.uuid === box.webhook.uuid).hmac_secret, rotated.hmac_secret, 'a rotated secret');
  const { token } = shown.numbers.find((one: Link) => one.uuid === uuid);
  t.equal((await box.call('GET', '/v1/stacks', { token })).status, 200);
  const { tokens } = (await box.admin('GET', `/numbers/${uuid}/tokens`)).body;
  t.match(tokens, [{ name: 'sandbox' }], 'reading twice creates one token');
});

t.test('wrong arguments of channel are explained', async (t) => {
  const box = await startControlled(t);
  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [[], /^channel takes add, list, remove$/],
    [['ad'], /^channel takes add, list, remove, not 'ad'$/],
    [['add'], /^channel add needs the URL of a connector/],
    [['add', 'telegram'], /^channel add telegram needs --token/],
    [['add', 'pigeon'], /pigeon/],
    [['add', 'ftp://127.0.0.1/'], /is not a URL/],
    [['add', 'http://127.0.0.1:3000/', 'more'], /^'more' is too many for channel add$/],
    [['list', 'web:shop'], /^'web:shop' is too many for channel list$/],
    [['remove'], /^channel remove needs a channel/],
    [['add', 'http://127.0.0.1:3000/', '--address', 'web:shop'], /^another channel has the address web:shop; choose one with --address/],
  ];
  for (const [args, message] of wrong) await t.rejects(box.run(channel, ...args), { message }, args.join(' '));
});

t.test('a channel that was added keeps its token in the data folder, and a removed channel is missed by nothing', async (t) => {
  const data = join(newFolder(t), 'data');
  const box = await startControlled(t, { data });
  const url = `${box.receiver.url}/another`;
  const { environment } = JSON.parse((await box.run(channel, 'add', url, '--json')).out[0]!);
  await box.run(channel, 'remove', 'web:shop');
  await box.sandbox.stop();

  const again = await startControlled(t, { data, seed: undefined }, box.receiver);
  t.strictSame(again.sandbox.withoutToken, [], 'the removed channel needs no token');
  const shown = JSON.parse((await again.run(channel, 'add', url, '--json')).out[0]!);
  t.match(shown, { created: false, environment: { ...environment, POSTHORN_API: again.sandbox.api } });
  t.equal(await post(again, environment, 'm-1'), 200);
});

// A host application with its own route runs a platform with the plugins of its arguments, without optional packages.

import { once } from 'node:events';
import { createServer } from 'node:http';
import Hapi from '@hapi/hapi';
import { createPlatform } from 'posthorn';
import { verifySignature } from 'posthorn/signature';

const factoryOf = (subpath) =>
  subpath
    .split('/')
    .at(-1)
    .replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const plugins = await Promise.all(process.argv.slice(2).map(async (name) => (await import(name))[factoryOf(name)]()));
const server = Hapi.server({ port: 0, host: '127.0.0.1' });
server.route({ method: 'GET', path: '/', handler: () => 'ours' });
const key = 'the-key-of-the-scratch-project';
const platform = createPlatform({ plugins, admin: { key }, privateTargets: 'allow', journeys: { country: 'ZA' } });
await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });
await server.start();

const received = [];
const receiver = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  received.push({ body: Buffer.concat(chunks), signature: request.headers['x-svc-hook-signature'] });
  response.end('{"messages":[{"id":"1"}]}');
  receiver.emit('received');
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

const call = async (method, path, payload) => {
  const response = await fetch(`${server.info.uri}/messaging/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(payload && { body: JSON.stringify(payload) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
// A signed delivery arrives only if the store, the queue, the worker thread that signs and the HTTP client work.
const { number } = await call('POST', '/numbers', { kind: 'network', type: 'network', address: '+27600000001', name: 'Scratch' });
const { hmac_secret: secret } = await call('POST', '/webhooks', {
  number: number.uuid,
  url: `http://127.0.0.1:${receiver.address().port}`,
  subscriptions: ['msgapp'],
});
const got = once(receiver, 'received');
await call('POST', `/network/numbers/${number.uuid}/messages`, { from: '+27611111111', type: 'text', text: { body: 'hi' } });
await got;
const [{ body, signature }] = received;
if (!verifySignature(secret, body, signature)) throw new Error('the signature of the delivery is invalid');
const metrics = await fetch(`${server.info.uri}/messaging/admin/v1/metrics`, { headers: { authorization: `Bearer ${key}` } });
if (!/^posthorn_\w+/m.test(await metrics.text())) throw new Error(`there are no metrics: ${metrics.status}`);
if ((await (await fetch(server.info.uri)).text()) !== 'ours') throw new Error('the route of the host application has changed');
await server.stop();
receiver.closeAllConnections();
receiver.close();
console.log(`${plugins.length} plugins, one signed delivery`);

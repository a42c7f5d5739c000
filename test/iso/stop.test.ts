import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { verifySignature } from '#core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type Received, receive, respond } from '../core/ports/receiver.js';
import { admin, newFolder, type Ready, silence, startSandbox } from './posthorn-process.js';

/** A receiver that answers by what the message says: at once, after a while, or not as long as it is told so. */
async function startReceiver(t: Tap) {
  let answersAll = false;
  const { url, received } = await receive(t, async (socket: Socket, { body }: Received) => {
    const text = body.toString();
    if (text.includes('never') && !answersAll) return;
    if (text.includes('slow') && !answersAll) await sleep(700);
    respond(socket);
  });
  const about = (word: string): Received[] => received.filter(({ body }) => body.includes(word));
  return {
    url,
    received,
    about,
    answerAll() {
      answersAll = true;
    },
  };
}

/** One webhook at the receiver, on a channel that the test writes to as its connector would. */
const seedFor = (url: string) => ({
  channels: [{ from_addr: 'web:test', name: 'Test', endpoint: 'http://127.0.0.1:9/' }],
  webhooks: [{ number: 'web:test', url, subscriptions: ['msgapp'] }],
});

async function bringIn({ api, numbers: [channel] }: Ready, from: string, text: string): Promise<number> {
  const message = { type: 'text', from, id: randomUUID(), timestamp: '1767600000', text: { body: text } };
  const response = await fetch(`${api}/v1/numbers/${channel!.uuid}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${channel!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contact: { id: from, profile: { name: 'Sam' } }, message }),
  });
  return response.status;
}

/** Calls on one connection that stays open as long as both sides want it to. */
function keptAlive(t: Tap, base: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  return (path: string) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      request(`${base}${path}`, { agent }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (data) => (body += data));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      })
        .on('error', reject)
        .end();
    });
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + patient(10_000); !(await isSo()) && performance.now() < end; ) await sleep(10);
  if (!(await isSo())) throw new Error('it does not become so');
}

const statesOf = async (ready: Ready): Promise<string[]> => {
  const { deliveries } = await admin(ready, 'GET', '/deliveries');
  return deliveries.map(({ state }: { state: string }) => state).sort();
};

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal}: first not ready, then closed, then what is under way ends or is kept, and the process ends by itself`, async (t) => {
    const folder = newFolder(t);
    const data = join(folder, 'data');
    const receiver = await startReceiver(t);
    const seed = join(folder, 'seed.json');
    writeFileSync(seed, JSON.stringify(seedFor(receiver.url)));
    const first = await startSandbox(t, folder, '--data', data, '--seed', seed, '--stop-notice', '1', '--stop-within', '1.5');
    const { ready } = first;
    const call = keptAlive(t, ready.api);
    t.match(await call('/ready'), { status: 200, headers: { connection: 'keep-alive' } });
    t.equal(await bringIn(ready, '+1', 'slow'), 200);
    t.equal(await bringIn(ready, '+2', 'never'), 200);
    await until(() => receiver.about('slow').length === 1 && receiver.about('never').length === 1);

    const asked = performance.now();
    first.child.kill(signal);
    await until(async () => (await call('/ready')).status === 503);
    t.match(await call('/ready'), { status: 503, headers: { connection: 'close', 'retry-after': /\d/ }, body: /the platform is stopping/ });
    t.match(await call('/health'), { status: 200, headers: { connection: 'close' } }, 'and it still answers');
    t.equal(await bringIn(ready, '+3', 'never, and late'), 200, 'and takes calls');
    await silence(ready.api);
    t.equal(first.child.exitCode, null, 'nobody can call, and it waits for what is under way');
    t.equal(await first.ended, 0);
    const took = performance.now() - asked;
    t.ok(took > 2_400 && took < patient(6_000), `it waited for its deadline, and not much longer: ${took} ms`);
    t.notMatch(first.err(), /"level":"error"/, 'nothing of this is an error');

    receiver.answerAll();
    const second = await startSandbox(t, folder, '--data', data);
    await until(async () => (await statesOf(second.ready)).every((state) => state === 'delivered'));
    t.equal((await statesOf(second.ready)).length, 3);
    t.equal(receiver.about('slow').length, 1, 'what was answered within the deadline has settled');
    const secret = ready.webhooks[0]!.hmac_secret;
    for (const contact of ['+2', '+3']) {
      const [before, again, ...more] = receiver.about(`"from":"${contact}"`);
      t.strictSame(more, []);
      t.ok(again?.body.equals(before!.body), 'the same bytes, with the same id');
      t.strictSame(again?.headers, before!.headers, 'the same headers');
      t.ok(verifySignature(secret, again!.body, again!.headers['x-svc-hook-signature']));
    }
  });
}

t.test('a second signal does not wait, and says what becomes of what is under way', async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const receiver = await startReceiver(t);
  const seed = join(folder, 'seed.json');
  writeFileSync(seed, JSON.stringify(seedFor(receiver.url)));
  for (const kept of [['--data', data], []]) {
    const sandbox = await startSandbox(t, folder, ...kept, '--seed', seed);
    await bringIn(sandbox.ready, '+1', 'never');
    await until(() => receiver.about('never').length === 1);
    sandbox.child.kill('SIGTERM');
    await silence(sandbox.ready.api);
    const asked = performance.now();
    await until(() => sandbox.child.exitCode !== null || !sandbox.child.kill('SIGTERM'));
    t.equal(await sandbox.ended, 130);
    t.ok(performance.now() - asked < patient(3_000));
    const said =
      kept.length > 0 ? `what was under way is sent again when a sandbox starts with --data ${data}` : 'its state was in memory only';
    t.equal(sandbox.err(), `posthorn: ended at once; ${said}\n`);
    receiver.received.splice(0);
  }
});

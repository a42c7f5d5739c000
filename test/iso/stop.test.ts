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
import { onlyLong } from '../forms.js';
import { admin, newFolder, type Ready, silence, startSandbox } from './posthorn-process.js';

/** A receiver whose response depends on the message text: immediate, delayed, or none until the test releases it. */
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

/** A webhook at the receiver, on a channel to which the test posts like a connector. */
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

/** Makes calls on one keep-alive connection. */
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
  if (!(await isSo())) throw new Error('the condition was not met in time');
}

const statesOf = async (ready: Ready): Promise<string[]> => {
  const { deliveries } = await admin(ready, 'GET', '/deliveries');
  return deliveries.map(({ state }: { state: string }) => state).sort();
};

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(
    `${signal}: the process reports not ready, stops listening, finishes or stores work in flight, and ends`,
    { skip: signal === 'SIGTERM' ? false : onlyLong },
    async (t) => {
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
      t.match(await call('/ready'), {
        status: 503,
        headers: { connection: 'close', 'retry-after': /\d/ },
        body: /the platform is stopping/,
      });
      t.match(await call('/health'), { status: 200, headers: { connection: 'close' } }, 'and the server still responds');
      t.equal(await bringIn(ready, '+3', 'never, and late'), 200, 'and accepts calls');
      await silence(ready.api);
      t.equal(first.child.exitCode, null, 'the server is closed, and the process waits for work in flight');
      t.equal(await first.ended, 0);
      const took = performance.now() - asked;
      t.ok(took > 2_400 && took < patient(6_000), `the process waited until its deadline, and not much longer: ${took} ms`);
      t.notMatch(first.err(), /"level":"error"/, 'a normal stop logs no errors');

      receiver.answerAll();
      const second = await startSandbox(t, folder, '--data', data);
      await until(async () => (await statesOf(second.ready)).every((state) => state === 'delivered'));
      t.equal((await statesOf(second.ready)).length, 3);
      t.equal(receiver.about('slow').length, 1, 'deliveries that finished within the deadline are not repeated');
      const secret = ready.webhooks[0]!.hmac_secret;
      for (const contact of ['+2', '+3']) {
        const [before, again, ...more] = receiver.about(`"from":"${contact}"`);
        t.strictSame(more, []);
        t.ok(again?.body.equals(before!.body), 'the same bytes, with the same id');
        t.strictSame(again?.headers, before!.headers, 'the same headers');
        t.ok(verifySignature(secret, again!.body, again!.headers['x-svc-hook-signature']));
      }
    },
  );
}

t.test(
  'a second signal ends the process immediately, and the message says what happens to work in flight',
  { skip: onlyLong },
  async (t) => {
    const folder = newFolder(t);
    const data = join(folder, 'data');
    const receiver = await startReceiver(t);
    const seed = join(folder, 'seed.json');
    writeFileSync(seed, JSON.stringify(seedFor(receiver.url)));
    for (const dataFlags of [['--data', data], []]) {
      const sandbox = await startSandbox(t, folder, ...dataFlags, '--seed', seed);
      await bringIn(sandbox.ready, '+1', 'never');
      await until(() => receiver.about('never').length === 1);
      sandbox.child.kill('SIGTERM');
      await silence(sandbox.ready.api);
      const asked = performance.now();
      await until(() => sandbox.child.exitCode !== null || !sandbox.child.kill('SIGTERM'));
      t.equal(await sandbox.ended, 130);
      t.ok(performance.now() - asked < patient(3_000));
      const said =
        dataFlags.length > 0
          ? `a sandbox started with --data ${data} resumes the work in flight`
          : 'the state was in memory only and is lost';
      t.equal(sandbox.err(), `posthorn: stopped immediately; ${said}\n`);
      receiver.received.splice(0);
    }
  },
);

import { createHmac, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import t from 'tap';
import { createPlatform, type Platform, verifySignature } from '#core';
import type { Signer, SigningKey } from '#core/ports';
import { InlinePool, ManualClock, RecordingLogger, type SignerPlace, signerContract } from '#core/testing';
import { FaultySender } from '../../../core/adapters/faults/faulty-sender.js';
import { SigningSender } from '../../../core/adapters/outbound/signing-sender.js';
import { hmacSigner } from '../../../core/delivery/hmac-signer.js';
import { loadSample } from '../../pages/samples.js';
import { until } from '../ports/http-under-test.js';
import { receive, respond } from '../ports/receiver.js';
import { anyBody, ENDPOINT, SECRET, startWithWebhook } from './webhook-platform.js';

const HEADER = 'x-svc-hook-signature';

/** A signer of 512 bits, with a header of its own. */
const sha512: Signer = {
  async sign({ header, key }, body) {
    const secret = (await key.read())!;
    return { [header]: createHmac('sha512', secret).update(body).digest('hex'), [`${header}-Alg`]: 'sha512' };
  },
};
const isSha512 = (secret: string, body: string | Uint8Array, header: unknown): boolean =>
  createHmac('sha512', secret).update(body).digest('hex') === header;

const keyOf = (name: string): SigningKey => ({ id: name, reference: name, read: async () => `secret of ${name}` });

t.test('the HMAC keeps the contract of signers', (t) =>
  signerContract(t, () => ({
    signer: hmacSigner,
    key: keyOf,
    verify: async (headers, { header, key, body }) => verifySignature((await key.read())!, body, headers[header]),
  })),
);

t.test('the signer of the page on deliveries keeps the contract, and its platform starts', async (t) => {
  interface SecurityModule {
    sign(key: string, bytes: Uint8Array): Promise<Uint8Array>;
  }
  const { moduleSigner, platformWith } = (await loadSample('core/delivery/README.md', 'ts', 'module signer')) as {
    moduleSigner: (module: SecurityModule) => Signer;
    platformWith: (module: SecurityModule) => Platform;
  };
  const pairs = new Map<string, { publicKey: KeyObject; privateKey: KeyObject }>();
  const pairOf = (reference: string) => {
    const pair = pairs.get(reference) ?? generateKeyPairSync('ed25519');
    pairs.set(reference, pair);
    return pair;
  };
  const module: SecurityModule = { sign: async (key, bytes) => sign(null, bytes, pairOf(key).privateKey) };
  const place: SignerPlace = {
    signer: moduleSigner(module),
    key: keyOf,
    verify: (headers, { header, key, body }) =>
      verify(null, body, pairOf(key.reference!).publicKey, Buffer.from(headers[header]!.replace(/^ed25519=/, ''), 'base64')),
  };
  await signerContract(t, () => place);
  const platform = platformWith(module);
  await platform.start();
  await platform.stop();
});

t.test('a platform signs every attempt with its signer, with both keys during a rotation', async (t) => {
  const asked: unknown[] = [];
  const signer: Signer = {
    sign(signature, body) {
      asked.push([signature.header, signature.key.reference, body]);
      return sha512.sign(signature, body);
    },
  };
  const { post, calls, platform, clock, webhook } = await startWithWebhook(t, { answers: [{}], ports: { signer } });
  await post();
  await clock.advance(0);
  const [first] = calls();
  t.ok(isSha512(SECRET, first!.body, first!.headers[HEADER]));
  t.equal(first!.headers[`${HEADER}-alg`], 'sha512', 'a header of its own');
  await platform.store.transaction((tx) => platform.webhooks.rotateSecret(tx, webhook, { overlapMs: 3_600_000 }));
  await post();
  await clock.advance(0);
  const second = calls()[1]!;
  t.ok(isSha512(SECRET, second.body, second.headers[HEADER]));
  t.ok(isSha512(SECRET, second.body, second.headers[`${HEADER}-previous`]));
  t.strictSame(
    asked.map((one) => (one as string[])[1]),
    [`webhook:${webhook}`, `webhook:${webhook}`, `webhook:${webhook}:previous`],
  );
});

t.test('the sender thread sends what a signer has signed', async (t) => {
  const receiver = await receive(t, (socket) => void respond(socket));
  const ports = { log: new RecordingLogger(), workers: new InlinePool(), signer: sha512 };
  const platform = createPlatform({ plugins: [anyBody()], privateTargets: ['127.0.0.1'], ports });
  await platform.start();
  t.teardown(() => platform.stop());
  const { store, numbers, webhooks, deliveries } = platform;
  const secret = await store.transaction(async (tx) => {
    const { uuid: number } = numbers.create(
      tx,
      { kind: 'network', type: 'network', address: '+2711', name: 'Office' },
      { needsDriver: false },
    );
    const made = webhooks.create(tx, { number, url: receiver.url, name: 'Owner', subscriptions: ['network'] });
    await deliveries.post(tx, { event: 'e-1', webhook: made.webhook, kind: 'network', body: { a: 'ü' } });
    return made.secret;
  });
  await until(() => receiver.received.length === 1);
  t.ok(isSha512(secret, receiver.received[0]!.body, receiver.received[0]!.headers[HEADER]));
});

t.test('while a signer fails, nothing is sent, and the attempt is repeated without counting', async (t) => {
  const failures: readonly (() => ReturnType<Signer['sign']>)[] = [
    () => Promise.reject(new Error('the module is locked')),
    () => {
      throw new Error('the module is gone');
    },
    () => ({ 'not a name': 'x' }),
    () => ({ 'X-Signature': 'two\r\nlines' }),
    () => ({ 'X-Signature': 5 as unknown as string }),
  ];
  let nth = 0;
  const signer: Signer = { sign: (signature, body) => failures[nth++]?.() ?? sha512.sign(signature, body) };
  const { post, calls, clock, attempts, log } = await startWithWebhook(t, { answers: [{}], ports: { signer } });
  const { uuid } = await post();
  await clock.advance(0);
  t.equal(calls().length, 0);
  await clock.advance(120_000);
  t.equal(calls().length, 1, 'sent once, as soon as it could be signed');
  t.match(await attempts(uuid), [{ result: 'delivered', n: 1 }]);
  const lines = log.lines.filter(({ message }) => message.includes('could not complete an attempt'));
  t.match(JSON.stringify(lines), /the module is locked/);
});

t.test('a signer cannot replace headers of a request, and faults make wrong signatures with it, too', async (t) => {
  const sent: Record<string, string>[] = [];
  const recorder = {
    send: async ({ headers }: { headers?: Readonly<Record<string, string>> }) => {
      sent.push({ ...headers });
      return { kind: 'response', status: 200, headers: {}, body: new Uint8Array(), elapsedMs: 0 } as never;
    },
    stop: async () => {},
  };
  const greedy: Signer = {
    sign: async (signature, body) => ({ ...(await sha512.sign(signature, body)), 'content-type': 'text/plain' }),
  };
  const sender = new FaultySender(new SigningSender(recorder, greedy), new ManualClock(), { signer: greedy, isOwn: true });
  const request = {
    ...{
      method: 'POST',
      url: ENDPOINT,
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
      deadlineMs: 1,
      maxResponseBytes: 1,
    },
    signatures: [{ header: 'X-Hook', key: keyOf('one') }],
  } as const;
  await sender.send(request);
  t.match(sent[0], { 'Content-Type': 'application/json' });
  t.notOk('content-type' in sent[0]!);
  t.ok(isSha512('secret of one', request.body, sent[0]!['X-Hook']));
  for (const kind of ['wrong_signature', 'stale_signature'] as const) {
    await sender.send({ ...request, fault: { rule: 'r', effect: { kind } } as never });
    const { 'X-Hook': signature } = sent.at(-1)!;
    t.match(signature, /^[0-9a-f]{128}$/, kind);
    t.notOk(isSha512('secret of one', request.body, signature), `${kind} is not that of the body`);
  }
});

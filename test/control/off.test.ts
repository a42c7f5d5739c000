import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { createPlatform } from '#core';
import { FaultySender } from '../../core/adapters/faults/faulty-sender.js';
import { ThreadSender } from '../../core/adapters/outbound/thread-sender.js';
import { SecretMasker } from '../../core/adapters/secrets/secret-masker.js';
import { createDeliveryDetails } from '../../core/delivery/delivery-details.js';
import { attemptSender, reordering } from '../../core/delivery/watched-sending.js';
import { recorderOf } from '../../core/kernel/observe/call-log.js';
import { defaultPorts } from '../../core/platform/default-ports.js';
import { settingsOf } from '../../core/platform/options.js';
import type { Faults } from '../../core/ports/faults.js';
import type { HttpOutcome } from '../../core/ports/http-client.js';
import type { OutboundRequest } from '../../core/ports/outbound.js';
import { ENDPOINT, startWithWebhook } from '../core/delivery/webhook-platform.js';

const CALLS = 100_000;
const never: Faults = { fire: () => undefined };
const outcome: HttpOutcome = { kind: 'response', status: 200, headers: {}, body: new Uint8Array(2), cut: false, elapsedMs: 1 };
const answered = Promise.resolve(outcome);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of heap that each call of `work` allocates. The calls do not fill the young generation, so nothing is collected meanwhile. */
function bytesPerCall(work: () => unknown): number {
  for (let n = 0; n < CALLS; n++) work();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < CALLS; n++) work();
  return (process.memoryUsage().heapUsed - before) / CALLS;
}

const request: OutboundRequest = { method: 'POST', url: ENDPOINT, body: '{}', signatures: [], deadlineMs: 5_000, maxResponseBytes: 10 };
const record = { uuid: 'd', run: 1, attempts: 0, webhook: 'w', number: 'n', subscription: 's' };
// biome-ignore lint/suspicious/noExplicitAny: the fields of an attempt that sending reads
const attempt: any = { entry: { record, content: { body: '{}' } }, destination: {}, sender: {} };

t.test('when off, sending an attempt calls the sender directly and allocates nothing; when on, it does', async (t) => {
  const seen: unknown[] = [];
  const sender = {
    send(sent: OutboundRequest) {
      if (seen.length === 0) seen.push(sent);
      return answered;
    },
  };
  const off = attemptSender({ sender, faults: undefined, details: undefined });
  t.equal(off(attempt, request), answered, 'the promise of the sender itself');
  t.equal(seen[0], request, 'the request itself');
  t.equal(reordering(undefined), undefined);
  t.equal(recorderOf({ calls: undefined, areas: [] }, {} as never), undefined);

  const plain = bytesPerCall(() => sender.send(request));
  const bytes = bytesPerCall(() => off(attempt, request));
  t.comment(`the sender alone ${plain.toFixed(2)}, off ${bytes.toFixed(2)} bytes per call`);
  t.ok(bytes < plain + 1, `${bytes} bytes`);
  const on = attemptSender({ sender, faults: never, details: createDeliveryDetails({ count: 10, bytes: 1_000 }) });
  t.ok(bytesPerCall(() => on(attempt, request)) > 50, 'the measurement sees allocations');
});

t.test('a platform of a host has no recorder, and its sender and models are not wrapped', async (t) => {
  const hooks = { onBatch: () => undefined, masker: new SecretMasker() };
  const plain = defaultPorts(settingsOf({ plugins: [] }), hooks);
  t.ok(plain.sender instanceof ThreadSender);
  t.equal(plain.faults, undefined);
  const faulty = defaultPorts(settingsOf({ plugins: [], ports: { faults: never } }), hooks);
  t.ok(faulty.sender instanceof FaultySender);
  await Promise.all([plain, faulty].map(({ sender, workers }) => Promise.all([sender.stop(), workers.stop()])));
  t.strictSame(settingsOf({ plugins: [] }).recording, { calls: undefined, deliveries: undefined });
  t.throws(() => createPlatform({ plugins: [], ports: { faults: {} as never } }), /"ports.faults" has no fire\(\)/);
});

t.test('without the option nothing is recorded or announced, and requests do not ask for details', async (t) => {
  const box = await startWithWebhook(t);
  const { uuid } = await box.post();
  await box.clock.advance(0);
  const [call] = box.calls();
  t.notOk('detailed' in call! || 'fault' in call!);
  t.notOk('details' in (await box.admin('GET', `/deliveries/${uuid}`)).body);
  t.match(await box.admin('GET', '/calls'), { status: 409, body: { errors: [{ details: /recording: \{ calls: true \}/ }] } });
  t.notOk(box.events.some(({ name }) => name === 'call.answered'));
});

t.test('with the option a host records too, within its limits', async (t) => {
  const box = await startWithWebhook(t, { answers: [{ status: 200 }], recording: { deliveries: { count: 2 }, calls: true } });
  const posted: { uuid: string }[] = [];
  for (let n = 0; n < 3; n++) posted.push(await box.post({ event: `e${n}` }));
  await box.clock.advance(0);
  const details = async (n: number) => (await box.admin('GET', `/deliveries/${posted[n]!.uuid}`)).body.details;
  t.strictSame(await details(0), [], 'the oldest is evicted');
  t.match(await details(2), [{ url: ENDPOINT, timing: null, response: { status: 200 } }]);
  t.match(await box.admin('GET', '/calls'), { status: 200, body: { calls: [] } }, 'admin calls are not recorded');
});

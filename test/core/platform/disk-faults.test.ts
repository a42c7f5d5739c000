import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { definePlugin, object, route, string } from '#core';
import { RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { inboundText, startChannel } from '../../plugins/channels/channel-under-test.js';
import { containerOf } from '../../plugins/journeys/engine/journey-under-test.js';
import { type DiskOperation, SimulatedDisk } from '../adapters/store/simulated-disk.js';
import { FOLDER } from '../adapters/store/store-on-disk.js';

const FAULTS = [
  { code: 'ENOSPC', text: 'no space left on device', at: ['write', 'truncate'] },
  { code: 'EIO', text: 'i/o error, fdatasync', at: ['sync', 'truncate'] },
  { code: 'EROFS', text: 'read-only file system', at: ['create', 'write', 'sync', 'truncate', 'rename', 'remove', 'syncFolder'] },
] as const;

/** A platform with every area, on a disk that fails on request. */
async function startOnDisk(t: Tap) {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, compact: (input) => compact(input, disk) });
  const plugins = [channels(), webhooks(), journeys(), simulation()];
  const channel = await startChannel(t, { plugins, secretKey: '00'.repeat(32), ports: { store, log } });
  const breakDisk = ({ code, text, at }: (typeof FAULTS)[number]): void => {
    disk.before = ({ name }: DiskOperation) => {
      if ((at as readonly string[]).includes(name)) throw Object.assign(new Error(`${code}: ${text}`), { code, written: 10 });
    };
  };
  const repairDisk = (): void => {
    disk.before = () => {};
  };
  return { disk, log, channel, breakDisk, repairDisk };
}

for (const fault of FAULTS) {
  t.test(`while the disk reports ${fault.code}, writes get 503 and reads work`, async (t) => {
    const { channel, log, breakDisk, repairDisk } = await startOnDisk(t);
    const { call, admin, uuid, token, maker, post, say, settle, told, platform, publish } = channel;
    await say('hello');
    await settle();
    await channel.send();
    await settle();
    const draft = { blocks: [{ name: 'ask', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'ask' } }], texts: { ask: 'Who?' } };
    const journey = await publish(draft, { words: ['begin'] });
    const simulate = () => call('POST', `/v1/journeys/${journey}/simulation`, { token, payload: { simulation_id: 'simulation-1' } });
    const failedAt = log.lines.length;
    t.match((await admin('GET', '/store')).body, { store: { state: 'open' } });

    breakDisk(fault);
    const writes = {
      'an inbound message': await post(inboundText('one', { id: 'in-2' })),
      'and again': await post(inboundText('one', { id: 'in-2' })),
      'a new channel': await call('POST', '/v1/numbers', {
        token: maker.token,
        payload: { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'b', name: 'B', endpoint: 'https://b.test/' },
      }),
      'a status': await channel.report('out-1', 'read'),
      'a simulation': await simulate(),
      'a new journey': await admin('PUT', `/journeys/${platform.ids.uuid()}`, {
        number: uuid,
        name: 'B',
        definition: containerOf(draft),
      }),
      'a new number': await admin('POST', '/numbers', { kind: 'network', address: '+27110000009', name: 'B' }),
      'a new token': await admin('POST', `/numbers/${uuid}/tokens`, { name: 'b' }),
      'opening it again': await admin('POST', '/store/reopen'),
    };
    for (const [what, { status, headers, body }] of Object.entries(writes)) {
      t.match({ status, headers }, { status: 503, headers: { 'retry-after': /^[1-9]\d*$/ } }, what);
      t.notOk(JSON.stringify(body).includes(FOLDER), 'the response contains no local path');
    }
    t.match(writes['an inbound message'].body, {
      errors: [{ code: 503, title: 'Service unavailable', details: /^The store accepts no writes/ }],
    });
    t.match((await admin('GET', '/store')).body, { store: { state: 'failed', reason: new RegExp(fault.text) } });
    t.match(platform.storeHealth(), { state: 'failed' });
    t.match((await admin('GET', '/metrics')).body, /^posthorn_store_open 0$/m);
    t.match(told('store.failed'), [{ state: 'failed', reason: new RegExp(fault.code) }], 'the event is emitted once');
    t.ok(
      log.lines
        .slice(failedAt)
        .some(({ level, message }) => level === 'error' && message.includes(`accepts no more writes: ${fault.code}`)),
    );

    const reads = {
      'the numbers': await admin('GET', '/numbers'),
      'the deliveries': await admin('GET', '/deliveries'),
      'the conversations': await admin('GET', `/numbers/${uuid}/conversations`),
    };
    for (const [what, { status }] of Object.entries(reads)) t.equal(status, 200, what);
    t.match(await call('POST', '/v1/numbers', { token: 'nonsense' }), { status: 401 }, 'tokens are still looked up');

    repairDisk();
    t.match(await admin('POST', '/store/reopen'), { status: 200, body: { store: { state: 'open' } } });
    t.match(told('store.reopened'), [{ state: 'open' }]);
    t.match((await admin('GET', '/metrics')).body, /^posthorn_store_open 1$/m);
    t.match(await post(inboundText('one', { id: 'in-2' })), { status: 200 });
    await settle();
    const { body } = await admin('GET', `/numbers/${uuid}/conversations`);
    const { messages } = (await admin('GET', `/conversations/${body.conversations[0].uuid}`)).body;
    t.equal(messages.length, 3, 'refused calls stored nothing, repeated ones are stored once');
    t.match(await simulate(), { status: 200, body: { state: 'waiting_for_input' } });
  });
}

t.test(
  'a delivery in flight during a disk fault is settled after the repair, with no more attempts than the retry policy allows',
  async (t) => {
    const { channel, breakDisk, repairDisk } = await startOnDisk(t);
    const { say, send, settle, clock, deliveries, admin, told } = channel;
    await say('hello');
    await settle();
    breakDisk(FAULTS[0]);
    await t.rejects(send(), { name: 'StoreUnavailable' });
    repairDisk();
    await admin('POST', '/store/reopen');
    const message = await send();
    breakDisk(FAULTS[0]);
    await settle();
    t.equal(told('store.failed').length, 2);
    repairDisk();
    await admin('POST', '/store/reopen');
    await clock.advance(120_000);
    await settle();
    t.match(await channel.message(message.uuid), { external_id: /^out-/ });
    t.ok(deliveries().length >= 1 && deliveries().length <= 2, `${deliveries().length} requests`);
  },
);

t.test('uploads of media get 503 while the disk fails', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-media-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const full = { put: () => Promise.reject(Object.assign(new Error(`ENOSPC: ${folder}`), { code: 'ENOSPC', syscall: 'write' })) };
  const blobs = { ...full, get: async () => undefined, delete: async () => {} };
  const keeper = definePlugin({
    name: 'keeper',
    version: '0.1.0',
    register: ({ media }) => ({
      routes: [
        route({
          method: 'POST',
          path: '/v1/kept',
          summary: 'Keeps a file.',
          responses: { 200: object({ id: string() }) },
          handler: async ({ caller: { number } }) => ({
            id: (await media.put(number.uuid, Buffer.from('GIF89a'), { mimeType: 'image/gif' })).id,
          }),
        }),
      ],
    }),
  });
  const test = await startPlatform(t, { plugins: [keeper()], ports: { blobs } });
  const { token } = await test.number('network');
  const answer = await test.call('POST', '/v1/kept', { token });
  t.match(answer, { status: 503, headers: { 'retry-after': '5' } });
  t.notOk(JSON.stringify(answer.body).includes(folder));
});

t.test('a start in a folder that is not writable fails with the folder and the reason', async (t) => {
  const disk = new SimulatedDisk();
  disk.before = () => {
    throw Object.assign(new Error("EROFS: read-only file system, open '/data/lock'"), { code: 'EROFS', syscall: 'open' });
  };
  const store = new JsonStore({ folder: FOLDER, log: new RecordingLogger(), fs: disk, compact: (input) => compact(input, disk) });
  await t.rejects(store.start(), { message: /^\/data cannot be used: EROFS: read-only file system/, cause: { code: 'EROFS' } });
  t.match(store.health(), { state: 'closed' });

  const root = mkdtempSync(join(tmpdir(), 'posthorn-file-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'file'), '');
  const inFile = new JsonStore({
    folder: join(root, 'file', 'data'),
    log: new RecordingLogger(),
    compact: (input) => compact(input, disk),
  });
  await t.rejects(inFile.start(), { message: /cannot be used: ENOTDIR/ });
});

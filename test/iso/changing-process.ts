import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';

/** Changes numbers by the admin API until it is killed, several at a time, and prints each change that was acknowledged. */

const KEY = 'key-of-the-audit-test';
const LANES = 4;

const server = Hapi.server();
const platform = createPlatform({
  dataDir: process.argv[2]!,
  plugins: [],
  admin: { key: KEY },
  // Its hourly run, and that of the start, find nothing that is old enough.
  audit: { keptDays: 1 },
  ports: { log: new RecordingLogger() },
});
await server.register(platform.hapiPlugin);
await server.initialize();
let isStopping = false;
process.once('SIGTERM', () => {
  isStopping = true;
  void server.stop().then(() => process.exit());
});

const headers = { authorization: `Bearer ${KEY}` };
async function change(lane: number): Promise<void> {
  const address = `+2782${process.pid}${lane}`;
  const { number } = await platform.store.transaction((tx) => ({
    number: platform.numbers.create(tx, { kind: 'network', type: 'network', address, name: 'new' }, { needsDriver: false }),
  }));
  for (let n = 0; !isStopping; n++) {
    const name = `${process.pid} ${lane} ${n}`;
    const { statusCode } = await server.inject({ method: 'PATCH', url: `/admin/v1/numbers/${number.uuid}`, headers, payload: { name } });
    if (statusCode === 200) process.stdout.write(`${JSON.stringify({ number: number.uuid, name })}\n`);
  }
}
await Promise.all(Array.from({ length: LANES }, (_, lane) => change(lane)));

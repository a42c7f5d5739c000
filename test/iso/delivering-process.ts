// A platform that posts five events to an endpoint, or resumes the deliveries of its folder. Arguments: folder, URL.
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';

const [dataDir = '', url = ''] = process.argv.slice(2);
const platform = createPlatform({ dataDir, plugins: [], privateTargets: 'allow', ports: { log: new RecordingLogger() } });
await platform.start();
if ((await platform.deliveries.list({ limit: 1 })).length === 0) {
  await platform.store.transaction(async (tx) => {
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Office' });
    const { webhook, secret } = platform.webhooks.create(tx, { number: number.uuid, url, name: 'Owner', subscriptions: ['network'] });
    for (let n = 1; n <= 5; n++) {
      const body = { messages: [{ id: `wamid.${n}` }] };
      await platform.deliveries.post(tx, { event: `message:${n}`, webhook, kind: 'network', body, conversation: String(n) });
    }
    tx.afterCommit(() => console.log(secret));
  });
}
process.on('SIGTERM', () => void platform.stop().then(() => process.exit()));
setInterval(() => {}, 1_000);

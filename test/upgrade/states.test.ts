import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startSandbox } from '../../sandbox/compose.js';
import { openSealed, readStateFile } from '../../sandbox/state/state-file.js';
import { MEDIUM } from '../../scripts/release-data/scenario.js';
import { STATE_KEY } from '../../scripts/release-data/state.js';

const ROOT = 'test/data/states';
const files = readdirSync(ROOT);

t.test('there is an exported state of each version of the format', async (t) => {
  t.ok(files.includes('version-1.json'));
});

for (const name of files) {
  t.test(`the exported state ${name} is imported with its ids, secrets, tokens and media files`, async (t) => {
    const file = readStateFile(readFileSync(join(ROOT, name), 'utf8'));
    const sandbox = await startSandbox({ seed: 'empty', clock: 'manual', logLevel: 'error' });
    t.teardown(() => sandbox.stop());
    t.strictSame(await sandbox.importState(file, STATE_KEY), { new_secrets: [], missing_secrets: [] });
    t.equal(sandbox.clock.now().toISOString(), file.clock.now);

    const { collections, secrets, media } = await sandbox.platform.readState();
    // Jobs of the state run immediately, and change or delete records of other collections.
    for (const kept of [
      'core.numbers',
      'core.tokens',
      'core.contacts',
      'core.webhooks',
      'core.journeys',
      'core.revisions',
      'flows.flows',
      'integration.integrations',
    ]) {
      t.ok((file.collections[kept]?.length ?? 0) > 0, `${name} has records in ${kept}`);
      t.strictSame(collections[kept]?.map(keyOf), file.collections[kept]?.map(keyOf), kept);
    }
    const messages = new Set(collections['core.messages']?.map(keyOf));
    t.ok(file.collections['core.messages']?.every((message) => messages.has(keyOf(message))));
    // Values of headers are secrets since 0.2.0.
    const headers = file.collections['core.webhooks']!.flatMap(({ uuid, headers = {} }) =>
      Object.entries(headers as object).map(([name, value]) => [`webhook:${uuid}:header:${name}`, value]),
    );
    // The key of links to files of web chats is made at the first start with them.
    const made = { 'webchat/files': secrets['webchat/files'] };
    t.strictSame(secrets, { ...(await openSealed(file, STATE_KEY))?.secrets, ...Object.fromEntries(headers), ...made });
    t.ok(Object.values(media).some((bytes) => Buffer.from(bytes).toString() === MEDIUM));

    t.strictSame(sandbox.withoutToken, []);
    const desk = sandbox.numbers.find(({ address }) => address === 'desk')!;
    const response = await fetch(`${sandbox.api}/v1/numbers/${desk.uuid}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        contact: { id: '+27820002002', profile: { name: 'Bob' } },
        message: { type: 'text', from: '+27820002002', id: 'after the import', timestamp: '1767600100', text: { body: 'hello' } },
      }),
    });
    t.equal(response.status, 200);
  });
}

const keyOf = ({ uuid, id, key }: Readonly<Record<string, unknown>>): unknown => uuid ?? id ?? key;

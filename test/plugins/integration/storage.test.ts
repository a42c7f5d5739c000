import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { SHOP, startIntegration, update } from './integration-under-test.js';

/** Words that occur only in responses of the integration. */
const returned = [
  'Due books',
  'Call *today*',
  'Extend the loan',
  'actions/extend',
  'A week',
  'Sorry, no',
  'Of course',
  'pay-load-7',
  'deed-8',
  'host-9',
  'pack-10',
];

t.test('nothing that an integration returns is stored: not in the data folder, in events or in the log', async (t) => {
  const dataDir = freshFolder(t);
  const { open, click, finish, http, settle, events, log, platform, admin, conversation, made } = await startIntegration(t, { dataDir });
  const answer = structuredClone(update);
  Object.assign(answer.actions.extend.payload, { note: 'pay-load-7' });
  Object.assign(answer.actions, { 'deed-8': { url: 'javascript:deed' }, gone: { url: 'https://host-9.test/gone' } });
  http.answer(`POST ${SHOP}`, { body: answer });
  const shown = JSON.stringify(await open());
  for (const word of returned.slice(0, 1)) t.ok(shown.includes(word), 'the panel shows it');
  http.answer('POST https://shop.test/actions/extend', { body: 'Sorry, no', headers: { 'x-svc-integration-refresh': 'true' } });
  const { click: done } = (await click('extend', { option: 'week' })).body;
  await finish(done.uuid);
  await settle();
  http.answer('POST https://shop.test/close', { status: 500, body: 'Of course' });
  await click('close');
  t.match(await click('deed-8'), { body: { click: { state: 'failed' } } });
  // Not scripted, so the reason of the failure contains the host name.
  t.match(
    await click('gone'),
    { body: { click: { state: 'failed', trouble: { kind: 'unreachable', reason: /host-9/ } } } },
    'the caller gets the reason',
  );
  http.answer(`POST ${SHOP}`, { body: 'x', headers: { 'content-encoding': 'gzip, pack-10' } });
  t.match(await open('?refresh=true'), { panels: [{ trouble: { kind: 'encoded' } }] });
  await admin('POST', `/integrations/${made.uuid}/handshake`);
  http.answer(`POST ${SHOP}?handshake=true`, { body: 'x', headers: { 'content-encoding': 'gzip, pack-10' } });
  t.match(await admin('POST', `/integrations/${made.uuid}/handshake`), { body: { integration: { handshake: { state: 'failed' } } } });
  http.answer(`POST ${SHOP}`, { status: 500, body: 'Due books' });
  await open('?refresh=true');
  await admin('GET', `/conversations/${conversation}`);
  await platform.stop();

  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  t.ok(files.length > 0);
  const stored = [
    ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')),
    JSON.stringify(events),
    JSON.stringify(log.lines),
  ].join('\n');
  t.ok(stored.includes(done.uuid), 'the click itself is stored');
  for (const word of returned) t.notOk(stored.includes(word), word);
});

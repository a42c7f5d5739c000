import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { admin, ask, newFolder, OUTSIDE, posthorn, type Ready, silence, startSandbox, write } from './posthorn-process.js';

/** A webhook endpoint that responds when the test releases it, and records the requests. */
async function startEndpoint(t: Tap) {
  let status = 200;
  const got: string[] = [];
  const waiting: (() => void)[] = [];
  let isHolding = false;
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push(body);
    if (isHolding) await new Promise<void>((resolve) => waiting.push(resolve));
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answerWith: (next: number) => (status = next),
    hold: () => (isHolding = true),
    release: () => {
      isHolding = false;
      for (const go of waiting.splice(0)) go();
    },
  };
}

/** A seed file with a channel without a connector, and a webhook at the endpoint. */
function seedFor(folder: string, url: string): string {
  const seed = {
    channels: [{ from_addr: 'web:test', name: 'Test', endpoint: 'http://127.0.0.1:9/' }],
    webhooks: [{ number: 'web:test', url, subscriptions: ['msgapp'] }],
  };
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
  return join(folder, 'seed.json');
}

/** Posts a message to the channel like a connector. @returns the id of the message */
async function bringIn({ api, numbers: [channel] }: Ready, from: string): Promise<string> {
  const id = randomUUID();
  const message = { type: 'text', from, id, timestamp: '1767600000', text: { body: 'hi' } };
  const response = await fetch(`${api}/v1/numbers/${channel!.uuid}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${channel!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contact: { id: from, profile: { name: 'Sam' } }, message }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return id;
}

/** The external ids of the contacts' messages, with the states of their deliveries. */
async function recorded(ready: Ready): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const { conversations } = await admin(ready, 'GET', `/numbers/${ready.channels[0]!.uuid}/conversations`);
  for (const { uuid } of conversations) {
    const { messages } = await admin(ready, 'GET', `/conversations/${uuid}`);
    for (const message of messages.filter(({ direction }: { direction: string }) => direction === 'inbound')) {
      const { deliveries } = await admin(ready, 'GET', `/deliveries?message=${message.uuid}`);
      found.set(
        message.external_id,
        deliveries.map(({ state }: { state: string }) => state),
      );
    }
  }
  return found;
}

async function until(isSo: () => Promise<boolean> | boolean, limitMs = patient(10_000)): Promise<void> {
  for (const end = performance.now() + limitMs; !(await isSo()); await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (performance.now() > end) throw new Error('the condition was not met in time');
  }
}

t.test('a port that is in use is refused before anything is started', async (t) => {
  const folder = newFolder(t);
  const { url } = await startEndpoint(t);
  const { port } = new URL(url);
  const { code, err } = await ask(folder, ['--port', port, '--data', join(folder, 'data')]);
  t.equal(code, 4);
  t.equal(
    err,
    `posthorn: port ${port} is already in use; choose another with --port, or use --port 0 for any free one\nCode: in_use\nTry: ${OUTSIDE} sandbox --port 0\n`,
  );
});

t.test('acknowledged messages survive a kill, and are delivered', async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const { ready, child, ended } = await startSandbox(t, folder, '--data', data);
  const acknowledged: string[] = [];
  let isOver = false;
  const writers = Array.from({ length: 6 }, async (_, contact) => {
    // The sandbox is killed in the middle of this: messages without a response may be lost.
    for (let n = 0; !isOver; n++)
      await write(ready, `+${contact}`, `message ${n}`).then(
        (id) => acknowledged.push(id),
        () => {},
      );
  });
  await until(() => acknowledged.length > 30);
  child.kill('SIGKILL');
  t.equal(await ended, 'SIGKILL');
  isOver = true;
  await Promise.all([silence(ready.channels[0]!.endpoint), silence(ready.webhooks[0]!.url)]);
  t.pass('its children have ended, too');
  await Promise.all(writers);

  const again = await startSandbox(t, folder, '--data', data);
  t.strictSame([again.ready.numbers, again.ready.admin.key], [ready.numbers, ready.admin.key]);
  const isDelivered = (states: string[] | undefined) => states?.length === 1 && states[0] === 'delivered';
  await until(async () => [...(await recorded(again.ready)).values()].every(isDelivered));
  const found = await recorded(again.ready);
  t.strictSame(
    acknowledged.filter((id) => !isDelivered(found.get(id))),
    [],
    `${acknowledged.length} messages were acknowledged`,
  );
});

t.test('one sandbox at a time uses a folder; Ctrl-C waits for deliveries in flight', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const endpoint = await startEndpoint(t);
  const first = await startSandbox(t, folder, '--data', data, '--seed', seedFor(folder, endpoint.url));
  const second = posthorn(t, folder, ['--data', data, '--port', '0', '--seed', 'empty']);
  t.equal(await second.ended, 4);
  const inUse = `posthorn: ${data} is in use by process ${first.child.pid}. Stop it first, or choose another folder.\n`;
  t.equal(second.err(), `${inUse}Code: in_use\nTry: ${OUTSIDE} status\n`);

  // An attempt times out after 5 s of real time, so nothing slow may come between it and its response.
  endpoint.hold();
  const pendingStarts = await bringIn(first.ready, '+1');
  await until(() => endpoint.got.length === 1);
  first.child.kill('SIGINT');
  await silence(first.ready.api);
  t.equal(first.child.exitCode, null, 'the sandbox waits');
  endpoint.release();
  t.equal(await first.ended, 0);
  t.equal(first.err(), '', 'a normal stop prints no warning');

  endpoint.hold();
  const third = await startSandbox(t, folder, '--data', data);
  t.strictSame((await recorded(third.ready)).get(pendingStarts), ['delivered']);
  const cut = await bringIn(third.ready, '+2');
  await until(() => endpoint.got.length === 2);
  third.child.kill('SIGTERM');
  third.child.kill('SIGTERM');
  await silence(third.ready.api);
  t.equal(third.child.exitCode, null, 'two signals in quick succession count as one');
  await until(() => third.child.exitCode !== null || !third.child.kill('SIGTERM'));
  t.equal(await third.ended, 130, 'a later signal ends the process immediately');

  endpoint.release();
  const fourth = await startSandbox(t, folder, '--data', data);
  await until(async () => (await recorded(fourth.ready)).get(cut)?.[0] === 'delivered');
  t.equal(endpoint.got.length, 3);
  t.equal(endpoint.got[1], endpoint.got[2], 'the delivery in flight is sent again, byte for byte');
});

t.test('pending retries survive a restart, by the clock of the sandbox', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const endpoint = await startEndpoint(t);
  endpoint.answerWith(500);
  const first = await startSandbox(t, folder, '--data', data, '--seed', seedFor(folder, endpoint.url), '--clock', 'manual');
  const id = await bringIn(first.ready, '+1');
  await until(async () => (await recorded(first.ready)).get(id)?.[0] === 'retry_wait');
  first.child.kill('SIGINT');
  t.equal(await first.ended, 0);

  endpoint.answerWith(200);
  const second = await startSandbox(t, folder, '--data', data, '--clock', 'manual');
  t.strictSame((await recorded(second.ready)).get(id), ['retry_wait']);
  await admin(second.ready, 'POST', '/clock/advance', { seconds: 20 });
  t.strictSame((await recorded(second.ready)).get(id), ['delivered']);
});

t.test(
  'a folder that lost its state after a kill is refused; a sandbox with invalid tokens says so, and calls fail with a clear error',
  { skip: onlyLong },
  async (t) => {
    const folder = newFolder(t);
    const data = join(folder, 'data');
    const first = await startSandbox(t, folder, '--data', data);
    const { size } = statSync(join(data, 'journal-000000000001.jsonl'));
    const isMarked = () => JSON.parse(readFileSync(join(data, 'contents.json'), 'utf8')).synced.bytes >= size;
    while (!isMarked()) await sleep(50);
    first.child.kill('SIGKILL');
    await first.ended;
    const copy = join(folder, 'copy');
    cpSync(data, copy, { recursive: true });

    writeFileSync(join(data, 'journal-000000000001.jsonl'), '');
    const notes = readFileSync(join(data, 'sandbox.json'), 'utf8');
    const refused = posthorn(t, folder, ['--port', '0', '--json', '--data', data]);
    t.equal(await refused.ended, 1);
    t.match(refused.err(), /the file has 0 bytes, but \d+ were synced: it was truncated\./);
    const repaired = posthorn(t, folder, ['data', 'repair', data]);
    t.equal(await repaired.ended, 1, 'only a backup has what the notes name');
    const lost = posthorn(t, folder, ['--port', '0', '--json', '--data', data]);
    t.equal(await lost.ended, 1);
    t.match(lost.err(), /has lost data: sandbox\.json names/);
    t.equal(readFileSync(join(data, 'sandbox.json'), 'utf8'), notes);

    const second = await startSandbox(t, folder, '--data', copy);
    second.child.kill('SIGTERM');
    await second.ended;
    rmSync(join(copy, 'core.tokens.json'));
    t.equal(await posthorn(t, folder, ['data', 'repair', copy]).ended, 0);
    const third = posthorn(t, folder, ['--port', '0', '--data', copy]);
    await third.printed(/Press Ctrl-C to stop/);
    await third.printed(/the tokens of .* are no longer valid\. Create a new one for each: POST .* the old ones in that file/);
    t.equal(third.out().match(/ph_\S+ {2}no longer valid/g)?.length, 2);
    const sent = posthorn(t, folder, ['send', 'hi']);
    t.equal(await sent.ended, 1);
    t.match(sent.err(), /^posthorn: the platform did not accept messages: 401 [^{}]+\n$/);
  },
);

t.test('a sandbox prints the log of its start; with --quiet warnings and errors only', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const before = await startSandbox(t, folder, '--data', data, '--seed', 'empty');
  before.child.kill('SIGTERM');
  await before.ended;
  for (const [flags, printed] of [
    [[], /"level":"info","message":"the data folder was migrated to a newer format"/],
    [['--quiet'], /^$/],
  ] as const) {
    writeFileSync(join(data, 'format.json'), '{"format":2}\n');
    const after = posthorn(t, folder, ['--port', '0', '--json', '--data', data, ...flags]);
    await after.printed(/"ready":true/);
    after.child.kill('SIGTERM');
    await after.ended;
    t.match(after.err(), printed, flags.join());
  }
});

t.test('an unusable folder is refused with a fix, and left unchanged', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const good = join(folder, 'good');
  const first = await startSandbox(t, folder, '--data', good, '--seed', 'empty');
  first.child.kill('SIGTERM');
  t.equal(await first.ended, 0);
  const data = join(folder, 'data');
  const contentsOf = (): string[] =>
    (statSync(data).isFile() ? [] : readdirSync(data)).sort().map((name) => `${name} ${readFileSync(join(data, name))}`);
  const edit = (name: string, change: (text: string) => string): void =>
    writeFileSync(join(data, name), change(readFileSync(join(data, name), 'utf8')));
  const beFile = (): void => {
    rmSync(data, { recursive: true });
    writeFileSync(data, 'a file');
  };
  const problems: [spoil: () => void, code: number, says: RegExp][] = [
    [beFile, 2, /is a file.*--data takes a folder/],
    [() => edit('format.json', () => '{"format":9}'), 1, /format 9 by a newer version.*Nothing has been changed.*restore the backup/],
    [
      () => edit('core.secrets.json', (text) => text.replace('media', 'MEDIA')),
      1,
      /core\.secrets\.json, line 5: the checksum.*run `node \S+ data repair /,
    ],
    [() => rmSync(join(data, 'secrets.key')), 1, /secrets\.key is missing\. Put it back from a backup/],
    [() => edit('secrets.key', () => 'abc'), 1, /secrets\.key does not contain a key.*Put it back from a backup/],
    [
      () => edit('secrets.key', (text) => text.replaceAll(/\w/g, '0')),
      1,
      /was encrypted with key .*Start with the key that belongs to this state/,
    ],
    [() => edit('sandbox.json', () => '{}'), 1, /sandbox\.json cannot be read: .*Restore it from a backup/],
  ];
  for (const [spoil, code, says] of problems) {
    rmSync(data, { recursive: true, force: true });
    cpSync(good, data, { recursive: true });
    spoil();
    const before = contentsOf();
    const refused = posthorn(t, folder, ['--port', '0', '--json', '--data', data]);
    t.equal(await refused.ended, code, String(says));
    t.match(refused.err(), says);
    t.match(refused.err().trim().split('\n'), { length: 3, 1: /^Code: /, 2: /^Try: node \S+ \w/ }, 'the cause is one line');
    t.strictSame(contentsOf(), before);
  }
});

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import type { Tap } from '#core/testing';
import { openEvents, SandboxUnreachable, type StreamEvent } from '../../../sandbox/client/admin-client.js';
import { followEvents } from '../../../sandbox/client/follow-events.js';
import type { RunFile } from '../../../sandbox/client/run-file.js';

const line = (id: string, name = 'message.received'): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify({ at: '2026-01-05T08:00:00.000Z', name, data: { text: 'é' } })}\n\n`;

/** A sandbox that responds to each connection with the next of some responses. */
async function startSandbox(t: Tap, ...answers: ((response: ServerResponse) => void)[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    const answer = answers.shift();
    if (answer) answer(response.writeHead(200, { 'content-type': 'text/event-stream' }));
    else response.writeHead(401).end('no');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  t.teardown(stop);
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run: RunFile = { pid: process.pid, startedAt: '', api, admin: { url: api, key: 'k' } };
  return { run, asked, stop };
}

async function idsOf(events: AsyncGenerator<StreamEvent>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, name } of events) ids.push(name === 'gap' ? name : id);
  return ids;
}

const never = new AbortController().signal;

t.test('events are followed until the sandbox has stopped; after a broken connection they continue without gaps', async (t) => {
  let opened = 0;
  let running: RunFile | undefined;
  const { run, asked } = await startSandbox(
    t,
    (response) => response.end(`retry: 1000\n\n${line('a-1')}: still here\n\n${line('a-2')}`),
    (response) => {
      // Breaks off in the middle of a character, then in the middle of an event.
      const bytes = Buffer.from(line('a-3'));
      const cut = bytes.indexOf(Buffer.from('é')) + 1;
      response.write(bytes.subarray(0, cut));
      setTimeout(
        () => response.write(bytes.subarray(cut), () => setTimeout(() => response.write('id: a-4\nev', () => response.destroy()), 10)),
        10,
      );
    },
    (response) => {
      running = undefined;
      response.end(`event: gap\ndata: {"reason":"gone"}\n\n${line('a-9')}`);
    },
  );
  running = run;
  const events = followEvents({ signal: never, find: () => running, onOpen: () => opened++ });
  t.strictSame(await idsOf(events), ['a-1', 'a-2', 'a-3', 'gap', 'a-9']);
  t.strictSame(asked, [undefined, 'a-2', 'a-3']);
  t.equal(opened, 1);
});

t.test('a sandbox that was restarted at another address is followed there', async (t) => {
  const second = await startSandbox(t, (response) => response.end(line('b-1')));
  const found: (RunFile | undefined)[] = [second.run, undefined];
  const first = await startSandbox(t, (response) => response.end(line('a-1')));
  const events = followEvents({
    signal: never,
    after: 'a-0',
    find: () => (found.length === 2 && first.asked.length === 0 ? first.run : found.shift()),
    onOpen: () => {},
  });
  t.strictSame(await idsOf(events), ['a-1', 'b-1']);
  t.strictSame([first.asked, second.asked], [['a-0'], ['a-1']]);
});

t.test('an error response and a failing first connection are errors', async (t) => {
  const { run, stop } = await startSandbox(t);
  const follow = () => idsOf(followEvents({ signal: never, find: () => run, onOpen: () => t.fail('the stream was opened') }));
  await t.rejects(follow(), { message: 'the sandbox responded 401 to GET /events: no' });
  stop();
  await t.rejects(follow(), SandboxUnreachable);
});

t.test('aborting ends the generator immediately', async (t) => {
  const { run } = await startSandbox(t, (response) => response.write(line('a-1')));
  const stop = new AbortController();
  const events = followEvents({ signal: stop.signal, find: () => run, onOpen: () => setTimeout(() => stop.abort(), 50) });
  t.strictSame(await idsOf(events), ['a-1']);
});

t.test('a stream that is read later than it is opened loses nothing, even if the garbage collector has run', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let respond = (): void => undefined;
  const { run } = await startSandbox(t, (response) => {
    response.write(': open\n\n');
    respond = () => void response.end(line('a-1'));
  });
  const events = await openEvents(run, { signal: never });
  for (let i = 0; i < 5; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  respond();
  t.strictSame(await idsOf(events), ['a-1']);
});

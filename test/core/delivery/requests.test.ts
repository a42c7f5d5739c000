import type { Socket } from 'node:net';
import t from 'tap';
import { ManualClock } from '#core/testing';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import type { HttpRequest } from '../../../core/ports/http-client.js';
import { receive, respond } from '../ports/receiver.js';
import { startWithWebhook } from './webhook-platform.js';

t.test('an endpoint that closes connections gets at most six requests of a delivery', async (t) => {
  const clock = new ManualClock({ patienceMs: 100 });
  const client = new UndiciClient({ clock, guard: false });
  const http = { send: (request: HttpRequest) => client.send(request), stop: () => client.stop() };
  const { post, delivery, attempts, change } = await startWithWebhook(t, { ports: { clock, http } });
  const hangUp: Record<string, (socket: Socket) => void> = {
    closed: (socket) => void socket.end(),
    reset: (socket) => void socket.resetAndDestroy(),
    destroyed: (socket) => void socket.destroy(),
  };
  for (const [how, close] of Object.entries(hangUp)) {
    for (const isReused of [false, true]) {
      const what = `${how}, ${isReused ? 'first a reused connection' : 'always a new connection'}`;
      const receiver = await receive(t, (socket, { body }) => (body.includes('before') ? respond(socket) : close(socket)));
      await change({ url: receiver.url });
      if (isReused) {
        await post({ body: { text: 'before' } });
        await clock.advance(1_000);
      }
      const { uuid } = await post({ body: { text: 'closed' } });
      await clock.advance(200_000);
      const received = receiver.received.filter(({ body }) => body.includes('closed'));
      const made = await attempts(uuid);
      const about = await delivery(uuid);
      t.match(about, { state: 'dropped', reason: 'exhausted', attempts: made.length }, what);
      t.equal(received.length, 6, what);
      t.equal(about.resent, isReused ? 1 : undefined, what);
      t.strictSame(
        received.map(({ headers }) => Number(headers['x-svc-hook-attempt'])),
        isReused ? [1, 1, 2, 3, 4, 5] : [1, 2, 3, 4, 5, 6],
        what,
      );
    }
  }
});

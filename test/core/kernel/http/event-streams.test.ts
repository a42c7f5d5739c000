import { once } from 'node:events';
import Hapi from '@hapi/hapi';
import t from 'tap';
import { createEventStreams } from '../../../../core/kernel/http/event-streams.js';

t.test('a stream whose client has gone before it began is ended', async (t) => {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  t.teardown(() => server.stop());
  const leaving = new AbortController();
  const order: string[] = [];
  const isEnded = new Promise<void>((resolve) => {
    server.route({
      method: 'GET',
      path: '/stream',
      async handler({ raw }, h) {
        const isGone = once(raw.res, 'close');
        leaving.abort();
        await isGone;
        const ended = (): void => {
          order.push('ended');
          resolve();
        };
        const { response } = createEventStreams().open(h, { more: () => undefined, ended });
        order.push('opened');
        return response;
      },
    });
  });
  await server.start();
  await t.rejects(fetch(`${server.info.uri}/stream`, { signal: leaving.signal }));
  await isEnded;
  t.strictSame(order, ['opened', 'ended'], 'after its caller has it');
});

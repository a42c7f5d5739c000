import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { authority, expiredCertificate, expiredKey, goodCertificate, goodKey } from './certificates.js';
import { clientOf, post } from './http-under-test.js';
import { receive, respond } from './receiver.js';

t.test('TLS', async (t) => {
  const good = { key: goodKey, cert: goodCertificate };
  const toLoopback = async () => [{ address: '127.0.0.1', family: 4 as const }];

  await t.test('works with a trusted certificate authority', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket), { tls: good });
    const client = clientOf(t, { lookup: toLoopback, ca: authority });
    t.match(await client.send({ ...post, url: `https://connector.test:${receiver.port}/` }), { kind: 'response', status: 200 });
  });

  const failures: Record<string, { tls: typeof good; host: string; ca?: string; reason: RegExp }> = {
    'of an unknown authority': { tls: good, host: 'connector.test', reason: /^TLS: the certificate is not signed by an authority/ },
    'for another name': { tls: good, host: 'elsewhere.test', ca: authority, reason: /^TLS: the certificate is for another name/ },
    'that has expired': {
      tls: { key: expiredKey, cert: expiredCertificate },
      host: 'connector.test',
      ca: authority,
      reason: /^TLS: the certificate has expired/,
    },
  };
  for (const [what, { tls, host, ca, reason }] of Object.entries(failures)) {
    await t.test(`refuses a certificate ${what}, and nothing is sent`, async (t) => {
      const receiver = await receive(t, (socket) => respond(socket), { tls });
      const client = clientOf(t, { lookup: toLoopback, ...(ca && { ca }) });
      t.match(await client.send({ ...post, url: `https://${host}:${receiver.port}/` }), { kind: 'unreachable', permanent: false, reason });
      t.equal(receiver.received.length, 0);
    });
  }

  await t.test('failures say so when the server does not speak it', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket), {
      onConnection: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    });
    const outcome = await clientOf(t).send({ ...post, url: `https://127.0.0.1:${receiver.port}/` });
    t.match(outcome, { kind: 'unreachable', permanent: false, reason: /^TLS: the handshake failed/ });
  });

  await t.test('replaces a reused connection that died, as with plain HTTP, but not a new one', async (t) => {
    const receiver = await receive(
      t,
      (socket, { nth, nthOnConnection }) => (nth < 4 && nthOnConnection === 1 ? respond(socket) : socket.destroy()),
      { tls: good },
    );
    const client = clientOf(t, { lookup: toLoopback, ca: authority });
    const url = `https://connector.test:${receiver.port}/`;
    t.match(await client.send({ ...post, url }), { kind: 'response' });
    await sleep(20);
    t.match(await client.send({ ...post, url }), { kind: 'response' });
    t.equal(receiver.received.length, 3);
    t.match(await client.send({ ...post, url }), { kind: 'unreachable' });
    t.equal(receiver.received.length, 4);
  });
});

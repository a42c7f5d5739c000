import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { createTransport } from 'nodemailer';
import t from 'tap';
import { ManualClock, ScriptedSockets, type Tap } from '#core/testing';
import { emailStandIn } from '../../../plugins/email/testing/index.js';
import { authority, goodCertificate as cert, goodKey as key } from '../../core/ports/certificates.js';
import { ANN, listenerPort, startNumber } from './number-under-test.js';

/** The host of the certificate. */
const HOST = 'connector.test';

async function opened(t: Tap, server: Server): Promise<number> {
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Passes all on to a port. @param isGreeted whether its first line was sent before */
function pass(from: Socket, port: number, isGreeted = false): void {
  const to = connect(port, '127.0.0.1');
  from.on('error', () => to.destroy()).once('close', () => to.destroy());
  to.on('error', () => from.destroy()).once('close', () => from.destroy());
  // The server closes a connection whose client speaks before its greeting.
  to.once('data', (first: Buffer) => {
    from.write(isGreeted ? first.subarray(first.indexOf('\n') + 1) : first);
    from.pipe(to).pipe(from);
  });
}

/** A server in front of one without TLS, with TLS from the first byte. */
const withTls = (t: Tap, port: number) =>
  opened(
    t,
    createTlsServer({ key, cert }, (socket) => pass(socket, port)),
  );

/** A server in front of one without TLS, which begins it when it is asked to. `answer` is what it says before. */
const withStartTls = (t: Tap, port: number, greeting: string, answer: (line: string) => string) =>
  opened(
    t,
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(`${greeting}\r\n`);
      const lines = createInterface({ input: socket });
      lines.on('line', (line) => {
        socket.write(`${answer(line)}\r\n`);
        if (!/\bSTARTTLS$/i.test(line)) return;
        lines.close();
        socket.removeAllListeners('data');
        pass(new TLSSocket(socket, { isServer: true, key, cert }), port, true);
      });
    }),
  );

const smtpAnswer = (line: string): string =>
  /^EHLO/i.test(line) ? `250-${HOST}\r\n250 STARTTLS` : /^STARTTLS/i.test(line) ? '220 Go ahead' : '530 5.7.0 Begin TLS first';
const imapAnswer = (line: string): string => {
  const [tag, command] = line.split(' ');
  if (/^CAPABILITY$/i.test(command!)) return `* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\n${tag} OK done`;
  return /^STARTTLS$/i.test(command!) ? `${tag} OK begin` : `${tag} NO begin TLS first`;
};

for (const security of ['tls', 'starttls'] as const)
  t.test(`mails are sent and received with ${security}, and the certificate is checked`, async (t) => {
    const server = await emailStandIn({ port: false });
    t.teardown(() => server.stop());
    const isTls = security === 'tls';
    const smtp = await (isTls ? withTls(t, server.smtpPort) : withStartTls(t, server.smtpPort, `220 ${HOST} ESMTP`, smtpAnswer));
    const imap = await (isTls ? withTls(t, server.imapPort) : withStartTls(t, server.imapPort, '* OK ready', imapAnswer));
    const sockets = new ScriptedSockets({ clock: new ManualClock(), ca: authority });
    for (const host of [HOST, 'other.test']) sockets.answer(`${host}:587`, smtp).answer(`${host}:993`, imap);
    const number = {
      ...{ smtp_host: HOST, smtp_port: 587, smtp_security: security, imap_host: HOST, imap_port: 993, imap_security: security },
      ...{ receive: 'imap', password: server.password },
    };
    const test = await startNumber(t, { number, ports: { sockets } });
    await server.write(ANN, 'Is it encrypted?');
    await test.until(() => test.received().length === 1);
    await test.send({ type: 'text', text: { body: 'Yes.' } });
    await test.settle();
    t.match(server.sent, [{ to: ANN, text: 'Yes.' }]);
    const settings = { ...number, address: 'desk@shop.example' };
    for (const other of [{ smtp_host: 'other.test' }, { imap_host: 'other.test' }]) {
      const { status, body } = await test.admin('POST', '/connections', {
        type: 'email',
        settings: { ...settings, username: server.address, ...other },
      });
      t.equal(status, 502, JSON.stringify(body));
      t.match(JSON.stringify(body), /other\.test could not be used: .*(name|altnames|certificate)/i);
    }
    t.same(test.problems(), ['a request failed', 'a request failed'], 'no more than the two refusals');
  });

t.test('a server without STARTTLS gets no mail and no password', async (t) => {
  const test = await startNumber(t);
  const { standIn, admin } = test;
  const settings = { ...standIn.settings, address: 'desk@shop.example', username: standIn.address, smtp_security: 'starttls' };
  const before = standIn.logins.length;
  const { status, body } = await admin('POST', '/connections', { type: 'email', settings });
  t.equal(status, 502);
  t.match(JSON.stringify(body), /could not be used: .*STARTTLS/i);
  t.equal(standIn.logins.length, before);
});

t.test('the listener offers STARTTLS with its certificate', async (t) => {
  const test = await startNumber(t, { email: { listener: { port: 0, hostname: HOST, key, cert } } });
  const port = await listenerPort(test);
  const transport = createTransport({ host: '127.0.0.1', port, requireTLS: true, tls: { ca: authority, servername: HOST } });
  t.teardown(() => transport.close());
  await transport.sendMail({ from: ANN, to: test.standIn.address, subject: 'hi', text: 'encrypted' });
  await test.until(() => test.received().length === 1);
  t.match(test.received()[0], { from: ANN, content: { text: { body: 'encrypted' } } });
});

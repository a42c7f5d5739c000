import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { freePort } from '../../../scripts/crash/free-port.js';
import { ANN, startNumber } from './number-under-test.js';

const HELP = 'help@shop.example';

t.test('platforms of a process share the port, and each receives for its own numbers', async (t) => {
  const port = await freePort();
  const listener = { port, host: '127.0.0.1' };
  const first = await startNumber(t, { email: { listener } });
  const second = await startNumber(t, { email: { listener }, number: { aliases: [HELP], address: 'desk@shop.example' }, port });
  await first.standIn.write(ANN, 'to the first', { to: 'support@shop.example' });
  await first.standIn.write(ANN, 'to the second', { to: HELP });
  await first.until(() => first.received().length === 1);
  await second.until(() => second.received().length === 1);
  t.match(first.received()[0], { content: { text: { body: 'to the first' } } });
  t.match(second.received()[0], { content: { text: { body: 'to the second' } } });
  await t.rejects(first.standIn.write(ANN, 'to none', { to: 'none@shop.example' }), { message: /550/ });
  await first.server.stop();
  await second.until(() => second.log.lines.some(({ message }) => message === 'mails are received'));
  await second.standIn.write(ANN, 'again', { to: 'desk@shop.example' });
  await second.until(() => second.received().length === 2);
  await t.rejects(second.standIn.write(ANN, 'to the first', { to: 'support@shop.example' }), { message: /550/ });
  t.same([...first.problems(), ...second.problems()], []);
});

t.test('a port that another process has does not fail the start, and is tried again', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const test = await startNumber(t, { email: { listener: { port, host: '127.0.0.1' } }, port });
  await test.until(() => test.problems().length > 0);
  t.same(test.problems(), ['receiving failed, and is tried again']);
  const [{ receiving }] = (await test.admin('GET', '/connections')).body.connections;
  t.match(receiving, { state: 'waiting', last_error: /EADDRINUSE/ });
  await new Promise((resolve) => taken.close(resolve));
  await test.settle(1_000);
  await test.until(() => test.log.lines.some(({ message }) => message === 'mails are received'));
  await test.standIn.write(ANN, 'now');
  await test.until(() => test.received().length === 1);
});

t.test('an address of the options whose number is not here yet gets a temporary refusal', async (t) => {
  const numbers = [{ address: 'late@shop.example', smtp_host: 'smtp.down.example', receive: 'smtp' as const }];
  const { standIn } = await startNumber(t, { email: { listener: { port: 0 }, numbers } });
  await t.rejects(standIn.write(ANN, 'hi', { to: 'late@shop.example' }), { message: /450/ });
});

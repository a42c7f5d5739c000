// The baseline for the start of a sandbox: a hapi server and two child processes with servers. Prints a line when all three listen.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import Hapi from '@hapi/hapi';

if (process.send) {
  createServer((_, response) => response.end()).listen(0, '127.0.0.1', () => process.send!('ready'));
  process.on('disconnect', () => process.exit());
} else {
  const children = [1, 2].map(() => fork(fileURLToPath(import.meta.url)));
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  server.route({ method: 'GET', path: '/', handler: () => '' });
  await Promise.all([server.start(), ...children.map((child) => once(child, 'message'))]);
  console.log('ready');
}

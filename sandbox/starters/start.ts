/** Starts a server on the port `PORT`, or says in one line why it cannot start. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export function start(name: string, server: Server, variables: readonly string[]): void {
  const port = process.env.PORT || '3000';
  const end = (reason: string): never => {
    console.error(`${name}: ${reason}`);
    return process.exit(1);
  };
  const missing = variables.filter((variable) => !process.env[variable]);
  if (missing.length > 0) end(`set ${missing.join(', ')}, as README.md shows`);
  server.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    end(code === 'EADDRINUSE' ? `port ${port} is in use; set PORT to another, and use its URL on your platform` : message),
  );
  server.listen(Number(port), '127.0.0.1', () => console.log(`${name} on http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

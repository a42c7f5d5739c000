import t from 'tap';
import type { Tap } from '../../../core/testing/tap.js';
import { sharedServer, stopSharedServer, type TestServer } from './server.js';

t.teardown(stopSharedServer);

let schemas = 0;

/** A schema of its own in the shared server. */
export interface TestDatabase {
  readonly server: TestServer;
  readonly url: string;
  readonly schema: string;
}

/** Runs a test that needs PostgreSQL; skips it with a reason where there is none. */
export function withDatabase(name: string, run: (t: Tap, database: TestDatabase) => Promise<void>): void {
  t.test(name, async (t) => {
    const server = await sharedServer();
    if (typeof server === 'string') return void t.pass(name, { skip: server });
    await run(t, { server, url: server.url, schema: freshSchema() });
  });
}

export const freshSchema = (): string => `test_${process.pid}_${++schemas}`;

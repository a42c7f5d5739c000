import root from 'tap';
import type { Tap } from '../../../core/testing/tap.js';
import { sharedServer, stopSharedServer, type TestServer } from '../../../scripts/crash/test-database.js';

root.teardown(stopSharedServer);

let schemas = 0;

/** A schema of its own in the shared server. */
export interface TestDatabase {
  readonly server: TestServer;
  readonly url: string;
  readonly schema: string;
}

/** A test that can say why it is skipped. */
export type Skippable = Tap & { pass(name: string, extra: { readonly skip: string }): unknown };

/** A test that needs PostgreSQL; skipped with a reason where there is none. */
export function withDatabase(run: (t: Tap, database: TestDatabase) => Promise<void>): (t: Skippable) => Promise<void> {
  return async (t) => {
    const server = await sharedServer();
    if (typeof server === 'string') return void t.pass('needs PostgreSQL', { skip: server });
    await run(t, { server, url: server.url, schema: freshSchema() });
  };
}

export const freshSchema = (): string => `test_${process.pid}_${++schemas}`;

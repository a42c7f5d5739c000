import root from 'tap';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { PostgresLog, type PostgresLogOptions } from '../../../../plugins/cluster/postgres/postgres-log.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { ReplicatedServer } from '../../../../scripts/crash/replicated-server.js';
import { sharedServer, stopSharedServer, type TestServer } from '../../../../scripts/crash/test-database.js';
import { onlyLong } from '../../../forms.js';

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

/** A test that needs PostgreSQL with a replica, which takes some seconds; skipped with a reason unless all tests run. */
export function withReplica(run: (t: Tap, server: ReplicatedServer) => Promise<void>): (t: Skippable) => Promise<void> {
  return async (t) => {
    if (onlyLong) return void t.pass('needs a replica', { skip: onlyLong });
    const server = await ReplicatedServer.start();
    if (typeof server === 'string') return void t.pass('needs a replica', { skip: server });
    t.teardown(() => server.stop());
    await run(t, server);
  };
}

/** A log as a process opens it, not started. */
export const logOn = ({ url, schema }: Pick<TestDatabase, 'url' | 'schema'>, options: Partial<PostgresLogOptions> = {}): PostgresLog =>
  new PostgresLog({ servers: new Servers({ url }), schema, log: new RecordingLogger(), ...options });

export const freshSchema = (): string => `test_${process.pid}_${++schemas}`;

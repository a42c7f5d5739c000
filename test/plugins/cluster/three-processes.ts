import Hapi, { type Server } from '@hapi/hapi';
import type { Platform, PlatformOptions } from '#core';
import { V8Heap } from '../../../core/adapters/v8-heap.js';
import { type Hosted, hosting } from '../../../core/testing/hosting.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { patient } from '../../../core/testing/slowness.js';
import { composeCluster } from '../../../plugins/cluster/cluster.js';
import { Connection } from '../../../plugins/cluster/postgres/connection.js';
import { directoryTablesIn, prepareDirectory } from '../../../plugins/cluster/postgres/directory-tables.js';
import { LeaseTerm } from '../../../plugins/cluster/postgres/lease-term.js';
import { logStoreOf } from '../../../plugins/cluster/postgres/log-store-of.js';
import { PostgresDirectory } from '../../../plugins/cluster/postgres/postgres-directory.js';
import { prepare, tablesIn } from '../../../plugins/cluster/postgres/schema.js';
import { Servers } from '../../../plugins/cluster/postgres/servers.js';
import { until } from '../../../scripts/crash/until.js';
import { freePort } from '../../../scripts/free-port.js';

const LEASE_MS = patient(5_000);
const MEMBERS = 3;
let schemas = 0;

interface Database {
  readonly url: string;
  readonly schema: string;
  readonly shards: number;
}

/** The directory of one member. New tenants are in the first shard, whose platform the tests use, and shards stay where they were assigned. */
class FixedDirectory extends PostgresDirectory {
  override async shardFor(): Promise<string> {
    return this.shards[0]!;
  }

  override async assign(): Promise<boolean> {
    return true;
  }
}

interface Member {
  readonly directory: PostgresDirectory;
  readonly server: Server;
  /** The platforms of its shards. */
  readonly opened: Map<string, Platform>;
}

async function memberOf(
  options: PlatformOptions,
  prefix: string | undefined,
  database: Database,
  onOpen: (shard: string, platform: Platform) => void,
): Promise<Member> {
  const server = Hapi.server({ port: await freePort(), host: '127.0.0.1' });
  const log = new RecordingLogger();
  const place = { ...database, servers: new Servers(database), term: new LeaseTerm({ baseMs: LEASE_MS, log }), log };
  const directory = new FixedDirectory({ ...place, member: { url: server.info.uri, version: '0' } });
  const opened = new Map<string, Platform>();
  const heap = new V8Heap();
  const { hapiPlugin } = composeCluster({
    ...{ directory, log },
    platform: { ...options, secretKey: options.secretKey ?? '4'.repeat(64) },
    storeOf(shard) {
      const store = logStoreOf({ ...place, heap, shard, owner: directory.self.id });
      return { position: () => store.position(), ports: { store } };
    },
    onOpen(shard, platform) {
      opened.set(shard, platform);
      onOpen(shard, platform);
    },
  });
  await server.register(hapiPlugin, prefix === undefined ? {} : { routes: { prefix } });
  return { directory, server, opened };
}

const namesOf = (shards: number): string[] => (shards === 1 ? ['main'] : Array.from({ length: shards }, (_, i) => `shard-${i + 1}`));

/** Creates the tables, and assigns each shard to a member in turn. Without standbys, which would take most of the time. */
async function assign(members: readonly Member[], { url, schema, shards }: Database): Promise<void> {
  const setup = new Connection({ servers: new Servers({ url }), queryTimeoutMs: () => 2 * LEASE_MS });
  const tables = directoryTablesIn(schema);
  await prepare(setup, tablesIn(schema));
  await prepareDirectory(setup, tables);
  const names = namesOf(shards);
  const ids = members.map(({ directory }) => directory.self.id);
  await setup.query({
    text: `insert into ${tables.members} (id, url, version, draining, reports, until)
      select id, url, '0', false, '[]', clock_timestamp() + $3 * interval '1 ms' from unnest($1::text[], $2::text[]) as one (id, url)`,
    values: [ids, members.map(({ server }) => server.info.uri), LEASE_MS],
  });
  await setup.query({
    text: `insert into ${tables.placement} (shard, owner) select * from unnest($1::text[], $2::text[])`,
    values: [names, names.map((_, i) => ids[i % ids.length])],
  });
  await setup.close();
}

/** Lets every platform of the tests in this process be three members of a cluster on PostgreSQL, with calls to each of them in turn. */
export function useThreeProcesses(url: string, shards = 2): void {
  hosting.host = async (t, options, prefix, observe) => {
    const database = { url, schema: `suite_${process.pid}_${++schemas}`, shards };
    const members: Member[] = [];
    for (let i = 0; i < MEMBERS; i++)
      members.push(
        await memberOf(options, prefix, database, (shard, platform) => {
          if (i === 0 && shard === namesOf(shards)[0]) observe(platform);
        }),
      );
    await assign(members, database);
    t.teardown(() => Promise.all(members.map(({ server }) => server.stop({ timeout: 100 }))));
    await Promise.all(members.map(({ server }) => server.start()));
    const owner = () => members[0]!.opened.get(members[0]!.directory.shards[0]!)!;
    const owns = () =>
      members.every(({ directory }) =>
        directory.shards.every((shard, i) => directory.ownerOf(shard)?.id === members[i % members.length]!.directory.self.id),
      );
    await until(owns, 'every shard has an owner');
    await until(
      () =>
        owner()
          .numbers.list()
          .then(
            () => true,
            () => false,
          ),
      'the platform has started',
    );
    let calls = 0;
    const send = async ({ method = 'GET', url: path, headers = {}, payload }: Parameters<Hosted['send']>[0]) => {
      const { uri } = members[calls++ % MEMBERS]!.server.info;
      const isText = typeof payload === 'string' || payload instanceof Uint8Array;
      const response = await fetch(`${uri}${String(path)}`, {
        method: method.toUpperCase(),
        redirect: 'manual',
        headers: {
          ...(payload !== undefined && !isText && { 'content-type': 'application/json' }),
          ...(headers as Record<string, string>),
        },
        // As bytes: fetch gives a text a content type, which `inject` does not.
        ...(payload !== undefined && { body: Buffer.from(isText ? (payload as string) : JSON.stringify(payload)) }),
      });
      return { statusCode: response.status, payload: await response.text(), headers: Object.fromEntries(response.headers) };
    };
    // A call is in flight for a while, other than with `inject`: the clock must not advance before it has arrived.
    const { clock } = options.ports ?? {};
    return { platform: owner(), server: members[0]!.server, send: (call) => (clock ? clock.during(() => send(call)) : send(call)) };
  };
}

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { accepts, debianServer, run } from '../../../../scripts/crash/test-database.js';
import { freePort } from '../../../../scripts/free-port.js';
import { onlyLong } from '../../../forms.js';
import { sample } from '../../../pages/samples.js';
import { answerOf, killNode, loaded, type ManagedNode, programIn, sharedFolder, startManager, urlOf } from './managed-fail-over.js';

const NODES = 3;
const START_LIMIT_MS = 120_000;
const program = programIn('pg_autoctl');
const bin = debianServer();

t.test(
  'a cluster on pg_auto_failover with the printed settings loses nothing when the node of the primary is killed, and serves again by itself',
  {
    skip:
      onlyLong ||
      (!bin && 'needs the package postgresql of Debian') ||
      (!program && 'needs pg_autoctl in PATH, and the extension pgautofailover'),
  },
  async (t) => {
    const root = sharedFolder(t);
    // Its server has the extension, if the programs are not those of the system.
    const control = process.env.POSTHORN_AUTOCTL_PG_CTL ?? join(bin!, 'pg_ctl');
    const environment = { XDG_CONFIG_HOME: root, XDG_DATA_HOME: root, XDG_RUNTIME_DIR: root, HOME: root };
    const create = async (kind: 'monitor' | 'postgres', name: string, more: readonly string[]): Promise<ManagedNode> => {
      const [data, port] = [join(root, name), await freePort()];
      const place = ['--pgdata', data, '--pgport', String(port), '--pgctl', control, '--hostname', '127.0.0.1'];
      const flags = ['create', kind, ...place, '--auth', 'trust', '--no-ssl', ...more, '--run'];
      const node = { data, port, manager: startManager(program!, flags, environment) };
      t.teardown(() => killNode(node));
      return node;
    };
    const monitor = await create('monitor', 'monitor', []);
    const monitorUrl = `postgres://autoctl_node@127.0.0.1:${monitor.port}/pg_auto_failover`;
    const holds = async (url: string, sql: string, what: string) => {
      for (const end = performance.now() + START_LIMIT_MS; !(await answerOf(url, sql).catch(() => false)); await sleep(200))
        if (performance.now() > end) throw new Error(`${what} did not happen`);
    };
    await holds(monitorUrl, 'select true', 'the start of the monitor');
    const nodes: ManagedNode[] = [];
    for (let i = 0; i < NODES; i++) {
      const about = ['--name', `node-${i}`, '--username', 'postgres', '--dbname', 'postgres', '--monitor', monitorUrl];
      nodes.push(await create('postgres', `node-${i}`, about));
      await holds(
        monitorUrl,
        `select count(*) = ${i + 1} from pgautofailover.node where reportedstate in ('single', 'primary', 'secondary')`,
        'the start of a node',
      );
    }
    const variables = Object.entries({ ...environment, MONITOR_URL: monitorUrl }).map(([name, value]) => `export ${name}='${value}'`);
    const commands = sample('plugins/cluster/database.md', 'bash', 'pg_auto_failover settings').replaceAll('pg_autoctl', program!);
    await run('/bin', 'bash', ['-c', ['set -e', ...variables, commands].join('\n')]);
    await holds(urlOf(nodes[0]!), `select current_setting('synchronous_standby_names') like '%1 (%'`, 'synchronous replication');
    await accepts(urlOf(nodes[0]!));
    await loaded(t, nodes, async () => killNode(nodes[0]!));
  },
);

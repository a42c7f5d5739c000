import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { until } from '../../../scripts/crash/until.js';
import { freePort } from '../../../scripts/free-port.js';
import { withDatabase } from './postgres/with-database.js';

const FOLDER = 'sandbox/examples/deploy';
const PROGRAM = /^(?:\/usr\/bin\/)?node node_modules\/posthorn\/dist\/(sandbox\/examples\/[\w/-]+)\.js$/;
/** Read by the image of PostgreSQL. */
const OF_POSTGRES = ['POSTGRES_PASSWORD'];
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const variablesOf = (file: string): string[] => [...textOf(file).matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
/** The variables that the program reads. */
const program = textOf('serve.ts');
const read = [...program.matchAll(/required\('(\w+)'\)|env\.([A-Z_]+)/g)].map(([, one, other]) => one ?? other!).sort();

interface Service {
  readonly image: string;
  readonly command?: string;
  readonly env_file?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>>;
}

t.test('the compose file of the page on operations starts the example program, and all that it names exists', async (t) => {
  const { services, volumes } = parse(textOf('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };
  const processes = Object.entries(services).filter(([, { command }]) => command !== undefined);
  t.strictSame(
    processes.map(([name]) => name),
    ['posthorn-1', 'posthorn-2'],
  );
  for (const [name, { command = '', env_file: file = '', environment = {}, depends_on: needed = {} }] of processes) {
    const [, path] = PROGRAM.exec(command) ?? [];
    t.ok(path && existsSync(`${path}.ts`), command);
    const given = [...variablesOf(file).filter((one) => !OF_POSTGRES.includes(one)), ...Object.keys(environment)];
    t.strictSame(given.sort(), read, `the variables of ${name}`);
    t.equal(environment.POSTHORN_HOST, name, 'the other processes reach it by its name');
    for (const other of Object.keys(needed)) t.ok(Object.hasOwn(services, other), other);
  }
  const upstreams = /reverse_proxy (.+) \{/.exec(textOf('Caddyfile'))?.[1]?.split(' ');
  const port = /^PORT=(\d+)$/m.exec(textOf('posthorn.env'))?.[1];
  t.strictSame(
    upstreams,
    processes.map(([name]) => `${name}:${port}`),
  );
  for (const source of Object.values(services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0]!)))
    t.ok(source.startsWith('./') ? existsSync(join(FOLDER, source)) : Object.hasOwn(volumes, source), source);
  t.match(textOf('posthorn.env'), /@database:5432\//, 'the host of the database is its service');
  t.ok(Object.hasOwn(services, 'database'));
});

t.test('the systemd unit of the page on operations starts the example program', async (t) => {
  const lines = textOf('posthorn.service').split('\n');
  for (const line of lines) t.match(line, /^(|#.*|\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=\S.*)$/, 'a line of a unit');
  const unit = Object.fromEntries(lines.filter((line) => line.includes('=')).map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const [, path] = PROGRAM.exec(unit.ExecStart) ?? [];
  t.ok(path && existsSync(`${path}.ts`), unit.ExecStart);
  t.equal(unit.Restart, 'always', 'a process that was taken over ends, and is started again');
});

t.test(
  'the example program serves with the variables of the page on operations, and stops on SIGTERM',
  withDatabase(async (t, { url }) => {
    const values: Readonly<Record<string, string>> = {
      POSTHORN_DATABASE_URL: url,
      POSTHORN_SECRET_KEY: '7'.repeat(64),
      POSTHORN_ADMIN_KEY: 'k'.repeat(43),
      POSTHORN_PUBLIC_URL: 'http://127.0.0.1:1',
      POSTHORN_SHARED_FOLDER: mkdtempSync(join(tmpdir(), 'posthorn-deploy-')),
      POSTHORN_TRUSTED_PROXIES: '127.0.0.1,10.1.0.0/16',
      POSTHORN_HOST: '127.0.0.1',
      PORT: String(await freePort()),
    };
    t.strictSame(Object.keys(values).sort(), read);
    const child: ChildProcess = fork(fileURLToPath(new URL('../../../sandbox/examples/deploy/serve.js', import.meta.url)), {
      env: { ...process.env, ...values },
      silent: true,
    });
    t.teardown(() => child.kill('SIGKILL'));
    const isReady = () =>
      fetch(`http://127.0.0.1:${values.PORT}/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isReady, 'the process serves');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    t.strictSame(await ended, [0, null]);
  }),
);

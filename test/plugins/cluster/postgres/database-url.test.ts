import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { readDatabaseUrl } from '../../../../plugins/cluster/postgres/database-url.js';
import { postgresStore } from '../../../../plugins/cluster/postgres/index.js';

const placesOf = (text: string) =>
  readDatabaseUrl(text).hosts.map(({ host, port, address }) => [host, port, ...(address ? [address] : [])].join(' '));

t.test('hosts are read as libpq reads them', async (t) => {
  for (const [text, places, shown] of [
    ['postgres://u@h1:1,h2:2/db?target_session_attrs=read-write', ['h1 1', 'h2 2'], 'h1:1,h2:2/db'],
    ['postgresql://u:p@h1,h2:5433,[::1]:5434/db', ['h1 ', 'h2 5433', '::1 5434'], 'h1,h2:5433,[::1]:5434/db'],
    ['postgres://h/db', ['h '], 'h/db'],
    ['postgres://u@/db?host=h1&host=h2&port=1&port=2', ['h1 1', 'h2 2'], 'h1:1,h2:2/db'],
    ['postgres:///db?host=h1,h2&port=5433', ['h1 5433', 'h2 5433'], 'h1:5433,h2:5433/db'],
    ['postgres:///db?host=%2Fvar%2Frun&user=u', ['/var/run '], '/var/run/db'],
    ['postgres://%2Fvar%2Frun/db', ['/var/run '], '/var/run/db'],
    ['postgres://u@name/db?hostaddr=10.0.0.1', ['name  10.0.0.1'], 'name/db'],
    ["host=h1,h2 port=1,2 dbname=db user=u password='a b\\'c'", ['h1 1', 'h2 2'], 'h1:1,h2:2/db'],
    ['dbname=db', [' '], '/db'],
  ] as const) {
    t.strictSame(placesOf(text), places, text);
    t.equal(readDatabaseUrl(text).shown, shown);
  }
});

t.test('user, password and other parameters reach the driver', async (t) => {
  const settings = (text: string, isEncrypted = false) => {
    const url = readDatabaseUrl(text);
    return url.settingsFor(url.hosts[0]!, isEncrypted) as Record<string, unknown>;
  };
  t.match(settings('postgres://us%40er:p%3Aa%2Fss@h:1/my%20db?application_name=me&options=-c%20geqo%3Doff'), {
    ...{
      user: 'us@er',
      password: 'p:a/ss',
      host: 'h',
      port: 1,
      database: 'my db',
      application_name: 'me',
      options: '-c geqo=off',
      ssl: false,
    },
  });
  t.match(settings("host=h user=u password='it\\'s' dbname=db"), { user: 'u', password: "it's", database: 'db', port: undefined });
  t.match(settings('postgres://u:100%@h/db'), { password: '100%' });
  const ca = join(tmpdir(), `posthorn-ca-${process.pid}.pem`);
  writeFileSync(ca, 'authority');
  for (const [mode, isVerified, checksName] of [
    ['prefer', false, false],
    ['require', false, false],
    [`require&sslrootcert=${ca}`, true, false],
    [`verify-ca&sslrootcert=${ca}`, true, false],
    [`verify-full&sslrootcert=${ca}`, true, true],
    ['verify-full', true, true],
    ['no-verify', false, false],
  ] as const) {
    const { ssl } = settings(`postgres://h/db?sslmode=${mode}`, true) as {
      ssl: { rejectUnauthorized: boolean; checkServerIdentity?: unknown; ca?: string };
    };
    t.equal(ssl.rejectUnauthorized, isVerified, mode);
    t.equal(ssl.checkServerIdentity === undefined, checksName, mode);
    t.equal(ssl.ca, mode.includes('sslrootcert') ? 'authority' : undefined);
  }
  t.equal(readDatabaseUrl('postgres://h/db').sslmode, 'prefer');
  t.equal(readDatabaseUrl('postgres://h/db?ssl=true').sslmode, 'require');
  t.equal(readDatabaseUrl('postgres://h/db?sslrootcert=system').sslmode, 'verify-full');
});

t.test('what cannot be used is refused in words that contain no password', async (t) => {
  for (const [text, message] of [
    ['', /must be postgres:/],
    ['localhost', /must be postgres:/],
    ['http://u:geheim@h/db', /must be postgres:/],
    ['postgres://u:geheim@h:port/db', /must be postgres:|has the port/],
    ['postgres://u:geheim@h:99999/db', /has the port 99999/],
    ['postgres://h1:1:2/db', /must be postgres:/],
    ['postgres://u:geheim@h1,h2/db?port=1,2,3', /different number of hosts, addresses and ports/],
    ['postgres://h/db?target_session_attrs=standby', /target_session_attrs=standby cannot be used: the store writes/],
    ['postgres://h/db?sslmode=maybe', /sslmode=maybe is not one of disable, allow/],
    ['postgres://h/db?sslmode=verify-ca', /needs sslrootcert/],
    ['postgres://h/db?sslmode=require&sslrootcert=system', /needs sslmode=verify-full/],
    ['postgres://h/db?service=main', /cannot name a service/],
    ['host=h password=geheim =x', /must be postgres:/],
  ] as const) {
    const error = t.throws(() => postgresStore({ url: text }), { name: 'TypeError', message }, text) as Error | undefined;
    t.notMatch(String(error), /geheim/);
  }
});

import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { withoutUndefined } from '#core';

/** The URL of a database as libpq reads it: `postgres://user@host1:5432,host2/db?target_session_attrs=read-write`, or `host=… dbname=…`. */

/** One of the hosts at which the database may be. */
export interface DatabaseHost {
  /** As in the URL: a name, an address, or the folder of a socket. */
  readonly host: string;
  /** Empty if the URL has none. */
  readonly port: string;
  /** The address to connect to, if the name is only for the certificate. */
  readonly address?: string | undefined;
}

/** The URL of a database, read. */
export interface DatabaseUrl {
  readonly hosts: readonly DatabaseHost[];
  readonly sslmode: SslMode;
  /** Hosts and database, for messages: without user and password. */
  readonly shown: string;
  /** The settings of a connection to one of the hosts, except its password if that is not in the URL. */
  settingsFor(host: DatabaseHost, isEncrypted: boolean): ClientConfig;
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;
export type SslMode = (typeof sslModes)[number];

/** Sessions that the store can use, because they accept writes. */
const WRITABLE = new Set(['any', 'read-write', 'primary']);
const SHAPE = 'postgres://user:password@host:5432/database, with more hosts after commas';
const URI = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
const MAX_PORT = 65_535;
const WORD = /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?:\s+|$)/y;

type Parameters = Map<string, string>;

/** @throws TypeError when it cannot be used; the message contains no password */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const parameters = URI.test(text) ? fromUri(text) : fromWords(text);
  const take = (name: string): string | undefined => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value === '' ? undefined : value;
  };
  if (take('service') !== undefined)
    throw new TypeError('the URL of the database cannot name a service of pg_service.conf: write its hosts');
  const session = take('target_session_attrs') ?? 'read-write';
  if (!WRITABLE.has(session))
    throw new TypeError(`target_session_attrs=${session} cannot be used: the store writes. Use read-write, which is the default`);
  // Connects to all hosts at the same time, each with the time limit of a query.
  for (const name of ['load_balance_hosts', 'connect_timeout', 'uselibpqcompat']) take(name);
  const system = parameters.get('sslrootcert') === 'system' && take('sslrootcert') !== undefined;
  const ssl = take('ssl');
  const sslmode = take('sslmode') ?? (system ? 'verify-full' : ssl === 'true' || ssl === '1' ? 'require' : 'prefer');
  if (!(sslModes as readonly string[]).includes(sslmode)) throw new TypeError(`sslmode=${sslmode} is not one of ${sslModes.join(', ')}`);
  if (system && sslmode !== 'verify-full') throw new TypeError('sslrootcert=system needs sslmode=verify-full');
  const hosts = hostsOf(take('host'), take('port'), take('hostaddr'));
  const [user, password, database] = [take('user'), take('password'), take('dbname')];
  const files = { ca: take('sslrootcert'), cert: take('sslcert'), key: take('sslkey'), passphrase: take('sslpassword') };
  if (sslmode === 'verify-ca' && files.ca === undefined)
    throw new TypeError('sslmode=verify-ca needs sslrootcert, the file of the authority');
  const isVerified = sslmode === 'verify-ca' || sslmode === 'verify-full' || (sslmode === 'require' && files.ca !== undefined);
  return {
    hosts,
    sslmode: sslmode as SslMode,
    shown: `${hosts.map(placeOf).join(',')}/${database ?? ''}`,
    settingsFor: ({ host, port }, isEncrypted) =>
      withoutUndefined({
        ...Object.fromEntries(parameters),
        host: host === '' ? undefined : host,
        port: port === '' ? undefined : Number(port),
        user,
        password,
        database,
        ssl: isEncrypted && {
          // Read for each connection: certificates are renewed in place.
          ...withoutUndefined({
            ca: fileText(files.ca),
            cert: fileText(files.cert),
            key: fileText(files.key),
            passphrase: files.passphrase,
          }),
          rejectUnauthorized: isVerified,
          ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
        },
      }) as ClientConfig,
  };
}

/** A host in messages. */
export const placeOf = ({ host, port }: DatabaseHost): string =>
  port === '' ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;

const fileText = (file: string | undefined): string | undefined => (file === undefined ? undefined : readFileSync(file, 'utf8'));

function fromUri(text: string): Parameters {
  const [, login, places = '', database, query] = URI.exec(text)!;
  const parameters: Parameters = new Map();
  for (const part of query?.split('&') ?? []) {
    const [name, value = ''] = part.split(/=(.*)/s).map(decoded) as [string, string?];
    if (name === '') continue;
    // A parameter that is given again is one more host.
    const before = name === 'host' || name === 'port' || name === 'hostaddr' ? parameters.get(name) : undefined;
    parameters.set(name, before === undefined ? value : `${before},${value}`);
  }
  if (login !== undefined) {
    const [user, password] = login.split(/:(.*)/s).map(decoded) as [string, string?];
    if (!parameters.has('user')) parameters.set('user', user);
    if (password !== undefined && !parameters.has('password')) parameters.set('password', password);
  }
  if (database !== undefined && !parameters.has('dbname')) parameters.set('dbname', decoded(database));
  if (places !== '' && !parameters.has('host')) {
    const read = places.split(',').map((place) => {
      const found = HOST.exec(place);
      if (!found) throw invalid();
      return [decoded(found[1]!.replace(/^\[|\]$/g, '')), found[2] ?? ''] as const;
    });
    parameters.set('host', read.map(([host]) => host).join(','));
    if (!parameters.has('port')) parameters.set('port', read.map(([, port]) => port).join(','));
  }
  return parameters;
}

function fromWords(text: string): Parameters {
  const parameters: Parameters = new Map();
  for (WORD.lastIndex = 0; WORD.lastIndex < text.length; ) {
    const found = WORD.exec(text);
    if (!found) throw invalid();
    parameters.set(found[1]!, (found[2] ?? found[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  if (parameters.size === 0) throw invalid();
  return parameters;
}

function hostsOf(host = '', port = '', hostaddr = ''): DatabaseHost[] {
  const [hosts, ports, addresses] = [host.split(','), port.split(','), hostaddr === '' ? [] : hostaddr.split(',')];
  const count = Math.max(hosts.length, addresses.length);
  if ((host !== '' && addresses.length > 0 && hosts.length !== addresses.length) || (ports.length > 1 && ports.length !== count))
    throw new TypeError('the URL of the database has a different number of hosts, addresses and ports');
  return Array.from({ length: count }, (_, i) => {
    const given = (ports.length === 1 ? ports[0] : ports[i]) ?? '';
    if (given !== '' && !(/^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= MAX_PORT))
      throw new TypeError(`the URL of the database has the port ${given}`);
    return { host: (host === '' ? addresses[i] : hosts[i]) ?? '', port: given, address: addresses[i] };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // As a browser reads it: a percent sign that encodes nothing is one.
    return text;
  }
}

const invalid = (): TypeError => new TypeError(`the URL of the database must be ${SHAPE}`);

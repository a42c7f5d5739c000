import type { Readable } from 'node:stream';
import type { ImapFlow } from 'imapflow';
import type { Transporter } from 'nodemailer';
import type { PluginContext } from '#core';
import { type ConnectionRecord, ConnectionRefused, type ConnectionType } from '#core/messaging';
import { normalAddress } from './content/addresses.js';
import { libraries } from './libraries.js';
import { type EmailNumber, type EmailSettings, numberSchema, type Settings } from './options.js';
import { positions } from './records.js';

/** The `type` of numbers that this plugin serves. */
export const EMAIL = 'email';

const CONNECT_MS = 20_000;
/** Real milliseconds without an answer of a server. */
const SILENCE_MS = 60_000;
const SECRET_BYTES = 24;

/** The settings of a number with its passwords. */
export type Account = EmailSettings & Pick<EmailNumber, 'password' | 'imap_password'>;

/** The settings of a connected number. */
export const settingsOf = ({ settings }: Pick<ConnectionRecord, 'settings'>): EmailSettings => settings as unknown as EmailSettings;

/** The addresses of a number, in the form in which they are compared. */
export const ownAddresses = ({ address, aliases }: EmailSettings): string[] =>
  [address, ...aliases].flatMap((one) => normalAddress(one) ?? []);

/** The name of the secret that proves that a plus address of a number is its own. */
export const plusSecret = (number: string): string => `plus/${number}`;

/** The connections with which numbers send. */
export type Transports = ReturnType<typeof createTransports>;

export function createTransports(context: Pick<PluginContext, 'connections' | 'sockets'>) {
  const pools = new Map<string, { readonly account: string; readonly transport: Transporter }>();
  return {
    /** The pool of connections of a number. New settings have a new one. */
    async of(connection: ConnectionRecord): Promise<Transporter> {
      const account = await context.connections.stored(connection);
      const known = pools.get(connection.number);
      if (known?.account === JSON.stringify(account)) return known.transport;
      known?.transport.close();
      const transport = await openTransport(context, account as unknown as Account);
      pools.set(connection.number, { account: JSON.stringify(account), transport });
      return transport;
    },

    stop(): void {
      for (const { transport } of pools.values()) transport.close();
      pools.clear();
    },
  };
}

/** Lets nodemailer send, over sockets of the platform. Neither it nor its pool sends a mail twice. */
async function openTransport({ sockets }: Pick<PluginContext, 'sockets'>, account: Account): Promise<Transporter> {
  const { createTransport } = await libraries.nodemailer();
  const { smtp_host: host, smtp_port: port, smtp_security: security, username = account.address, password } = account;
  const secure = security === 'tls';
  const transport = createTransport({
    ...{ pool: true, host, port, secure, maxConnections: 3, maxRequeues: 0, tls: sockets.tls },
    ...{ requireTLS: security === 'starttls', ignoreTLS: security === 'none' },
    ...(password !== undefined && { auth: { user: username, pass: password } }),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: SILENCE_MS, socketTimeout: SILENCE_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true, logger: false },
    getSocket(_options: unknown, callback: (error: Error | null, socket?: object) => void) {
      const connected = sockets.connect({ host, port, secure, deadlineMs: CONNECT_MS });
      connected.then((connection) => callback(null, { connection, secured: secure }), callback);
    },
  } as never) as Transporter;
  // Tells the sender the stream of the mail, which says how much of it was handed to the socket.
  transport.use('stream', ({ message, data }, done) => {
    const open = message.createReadStream.bind(message);
    message.createReadStream = () => {
      const stream = open();
      (data as { readonly begins?: (stream: Readable) => void }).begins?.(stream);
      return stream;
    };
    done();
  });
  // Each mail gets its error; that of an idle connection concerns none.
  transport.on('error', () => undefined);
  return transport;
}

/** Logs in to the mailbox of a number, over a socket of the platform, and opens it without changing it. */
export async function openMailbox({ sockets }: Pick<PluginContext, 'sockets'>, account: Account, signal?: AbortSignal): Promise<ImapFlow> {
  const { ImapFlow } = await libraries.imapflow();
  const { host, port, user } = mailboxOf(account);
  const secure = account.imap_security === 'tls';
  const socket = await sockets.connect({ host, port, secure, deadlineMs: CONNECT_MS, signal });
  const client = new ImapFlow({
    ...{ host, port, secure, doSTARTTLS: secure ? undefined : account.imap_security === 'starttls' },
    auth: { user, pass: account.imap_password ?? account.password ?? '' },
    ...{ logger: false, disableAutoIdle: true, greetingTimeout: SILENCE_MS, socketTimeout: 5 * SILENCE_MS },
    transport: {
      connect(_options: unknown, connected: () => void) {
        setImmediate(connected);
        return socket;
      },
      upgrade: (_plain: unknown, _options: unknown, secured: () => void) => sockets.secure(socket, host).once('secureConnect', secured),
    },
  } as never);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.mailboxOpen(account.imap_mailbox, { readOnly: true });
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** The mailbox of an account. */
export function mailboxOf({ address, smtp_host, imap_host: host = smtp_host, imap_port: port, username, imap_username: user }: Account) {
  return { host, port, user: user ?? username ?? address };
}

/** The reason that a mail server gives for an error, in one line. */
export const reasonOf = (error: unknown): string => {
  const { response, responseText, message, code } = error as Readonly<Record<string, unknown>>;
  // The answer of a server to STARTTLS explains nothing by itself.
  const texts = code === 'ETLS' ? [message] : [responseText, response, message];
  const text = texts.find((one) => typeof one === 'string' && one !== '') ?? error;
  return String(text).replace(/\s+/g, ' ').slice(0, 300);
};

/** Whether a server refuses the account. */
export const isLoginRefused = (error: unknown): boolean => {
  const { code, authenticationFailed } = error as { code?: unknown; authenticationFailed?: unknown };
  return authenticationFailed === true || code === 'EAUTH' || code === 'ENOAUTH';
};

/** How a number is connected to its mail servers. */
export function emailConnection(
  { sockets, secrets, ids }: Pick<PluginContext, 'sockets' | 'secrets' | 'ids'>,
  { listener }: Pick<Settings, 'listener'>,
): ConnectionType {
  return {
    schema: numberSchema,
    secrets: ['password', 'imap_password'],

    async check(given) {
      const account = given as unknown as Account;
      const address = normalAddress(account.address);
      if (address === undefined) throw new ConnectionRefused(`${account.address} is not an address that mails can be sent to`);
      if (account.receive === 'smtp' && !listener)
        throw new ConnectionRefused('The plugin has no listener for mails: set its option listener, or connect with receive=imap');
      for (const name of ['postal-mime', 'email-reply-parser', 'htmlparser2'] as const) await libraries[name]();
      const transport = await openTransport({ sockets }, account);
      const login = transport.verify().catch(refusedBy(`The server ${account.smtp_host}`));
      await login.finally(() => transport.close());
      if (account.receive === 'imap')
        await openMailbox({ sockets }, account)
          .then((client) => client.logout())
          .catch(refusedBy(`The mailbox at ${mailboxOf(account).host}`));
      return { address, name: account.name ?? address, settings: given };
    },

    async connected(tx, { number }) {
      if ((await secrets.get(plusSecret(number))) === undefined) secrets.put(tx, plusSecret(number), ids.secret(SECRET_BYTES));
    },

    disconnected(tx, { number }) {
      secrets.delete(tx, plusSecret(number));
      tx.in(positions).delete(number);
    },

    view: (connection) => ({ receives: settingsOf(connection).receive }),
  };
}

const refusedBy =
  (server: string) =>
  (error: unknown): never => {
    if (isLoginRefused(error)) throw new ConnectionRefused(`${server} refuses the login: ${reasonOf(error)}`);
    throw new ConnectionRefused(`${server} could not be used: ${reasonOf(error)}`, { isUnreachable: true });
  };

import type { SMTPServerSession } from 'smtp-server';
import { type PluginContext, unixSeconds } from '#core';
import type { ConnectionRecord } from '#core/messaging';
import type { SocketListener } from '#core/ports';
import { EMAIL, ownAddresses, plusSecret, settingsOf } from '../connection.js';
import { normalAddress, plusKey } from '../content/addresses.js';
import { MAX_MAIL_BYTES } from '../content/mail.js';
import { libraries } from '../libraries.js';
import type { EmailMetrics } from '../metrics.js';
import type { Settings } from '../options.js';
import { keepRaw, pushMail } from './queues.js';

/** Milliseconds without a byte of a client. */
const IDLE_MS = 60_000;
const MAX_RECIPIENTS = 20;
const DAY_MS = 24 * 60 * 60 * 1_000;

type Done = (error?: Error | null, message?: string) => void;

/** An answer of the server that refuses a command. */
const refusedWith = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

/** A platform, which receives mails for its numbers. */
interface Receiver {
  /** The connection of a number that receives at an address. */
  find(address: string): Promise<ConnectionRecord | undefined>;
  /** Stores a mail, once for each number that it is for. @returns for how many of the recipients */
  take(bytes: Buffer, envelope: SMTPServerSession['envelope']): Promise<number>;
}

/** A port at which the platforms of this process receive, such as the shards of a cluster: one of them listens for all. */
interface SharedPort {
  readonly receivers: Set<Receiver>;
  /** Aborted when the one that listens ends; undefined when none does. */
  closed: AbortSignal | undefined;
}

const sharedPorts = new Map<string, SharedPort>();

/** Receives mails of other mail servers, for numbers that receive by SMTP. */
export function createListener(
  context: PluginContext,
  { listener: options, numbers, metrics }: Pick<Settings, 'listener' | 'numbers'> & { readonly metrics: EmailMetrics },
) {
  const { sockets, store, connections, secrets, clock, log } = context;
  const port: SharedPort = sharedPorts.get(keyOf(options)) ?? { receivers: new Set(), closed: undefined };
  // Each listener at 0 has a port of its own.
  if (options && options.port !== 0) sharedPorts.set(keyOf(options), port);
  const receiver: Receiver = { find, take };
  /** Those of the options, which every process of a cluster has. */
  const configured = new Set(numbers.flatMap(({ address, aliases = [] }) => [address, ...aliases].map(normalAddress)));

  return {
    start: () => void port.receivers.add(receiver),
    stop: () => void port.receivers.delete(receiver),

    /** Listens until the signal aborts, or waits while another number or platform of this process does. @throws Error when the port is taken */
    async listen(signal: AbortSignal): Promise<void> {
      if (!options) throw new Error('the plugin has no option listener any more');
      while (!signal.aborted) {
        if (port.closed) {
          await clock.sleep(DAY_MS, AbortSignal.any([signal, port.closed]));
          continue;
        }
        const closed = new AbortController();
        port.closed = closed.signal;
        let opened: SocketListener | undefined;
        try {
          opened = await open(options);
          log.info('mails are received', { port: opened.port });
          while (!signal.aborted) await clock.sleep(DAY_MS, signal);
        } finally {
          await opened?.stop();
          port.closed = undefined;
          closed.abort();
        }
      }
    },
  };

  async function open({ hostname, key, cert, port, host, maxConnections, maxPerAddress }: NonNullable<Settings['listener']>) {
    const { SMTPServer } = await libraries['smtp-server']();
    const server = new SMTPServer({
      ...{
        size: MAX_MAIL_BYTES,
        disableReverseLookup: true,
        logger: false,
        socketTimeout: IDLE_MS,
        maxAllowedUnauthenticatedCommands: false,
      },
      ...(hostname !== undefined && { name: hostname }),
      ...(key !== undefined && { key, cert: cert! }),
      disabledCommands: ['AUTH', ...(key === undefined ? ['STARTTLS'] : [])],
      onRcptTo: ({ address }, session, done) => answer(recipient(address, session), done),
      onData: (stream, session, done) =>
        answer(
          bytesOf(stream).then((bytes) => received(bytes, session)),
          done,
        ),
    });
    server.on('error', (error) => log.debug('a connection of a mail server failed', { error }));
    const limits = { maxConnections, maxPerAddress, idleMs: IDLE_MS };
    return sockets.listen({ port, ...limits, ...(host !== undefined && { host }) }, (socket) => server.connect(socket));
  }

  function answer(work: Promise<void>, done: Done): void {
    work.then(
      () => done(),
      (error: Error & { readonly responseCode?: number }) => {
        metrics.refused(error.responseCode === undefined ? 'failure' : String(error.responseCode));
        if (error.responseCode === undefined) log.error('a mail could not be stored, and its server sends it again', { error });
        done(error.responseCode === undefined ? refusedWith(451, '4.3.0 The mail cannot be stored now') : error);
      },
    );
  }

  async function recipient(address: string, { envelope }: SMTPServerSession): Promise<void> {
    if (envelope.rcptTo.length >= MAX_RECIPIENTS) throw refusedWith(452, '4.5.3 Too many recipients');
    const found = await Promise.all([...port.receivers].map((one) => one.find(address)));
    const connection = found.find((one) => one !== undefined);
    if (connection?.stopped || (!connection && configured.has(normalAddress(address))))
      throw refusedWith(450, '4.2.1 The mailbox takes no mails now');
    if (!connection) throw refusedWith(550, '5.1.1 No mailbox has this address');
  }

  /** Stores a mail. The server answers after that. */
  async function received(bytes: Buffer, { envelope }: SMTPServerSession): Promise<void> {
    let taken = 0;
    for (const one of port.receivers) taken += await one.take(bytes, envelope);
    // A number was disconnected, or its platform stopped, after the server had accepted the recipient. A mail that is sent again is stored once.
    if (taken < envelope.rcptTo.length) throw refusedWith(451, '4.3.0 A recipient is not here any more');
  }

  async function find(given: string): Promise<ConnectionRecord | undefined> {
    const address = normalAddress(given);
    for (const one of await connections.list(EMAIL)) {
      const settings = settingsOf(one);
      if (settings.receive !== 'smtp' || address === undefined) continue;
      const secret = settings.plus_addresses ? await secrets.get(plusSecret(one.number)) : undefined;
      const isPlus = secret !== undefined && plusKey(address, settings.address, secret) !== undefined;
      if (isPlus || ownAddresses(settings).includes(address)) return one;
    }
    return undefined;
  }

  async function take(bytes: Buffer, { mailFrom, rcptTo }: SMTPServerSession['envelope']): Promise<number> {
    const recipients = new Map<string, string[]>();
    for (const { address } of rcptTo) {
      const connection = await find(address);
      if (connection) recipients.set(connection.number, [...(recipients.get(connection.number) ?? []), address]);
    }
    const stored = await Promise.all(
      [...recipients].map(async ([number, own]) => ({ number, own, raw: await keepRaw(context, number, bytes) })),
    );
    const about = { via: 'smtp', return_path: mailFrom ? mailFrom.address : '', at: unixSeconds(clock.now()) } as const;
    await store.transaction((tx) => {
      for (const { number, own, raw } of stored) pushMail(tx, { number, raw, recipients: own, ...about });
    });
    return stored.flatMap(({ own }) => own).length;
  }
}

const keyOf = (listener: Settings['listener']): string => `${listener?.host ?? ''}:${listener?.port ?? 0}`;

/** The bytes of a mail. @throws Error with the answer of the server */
async function bytesOf(stream: AsyncIterable<Buffer> & { readonly sizeExceeded: boolean }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
  if (stream.sizeExceeded) throw refusedWith(552, `5.3.4 A mail may have at most ${MAX_MAIL_BYTES} bytes`);
  const bytes = Buffer.concat(chunks);
  // Servers that read a lone line feed as the end of a line may see another mail in it.
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1))
    if (bytes[at - 1] !== 13) throw refusedWith(550, '5.6.0 A line must end with CR and LF');
  return bytes;
}

import type { SMTPServerSession } from 'smtp-server';
import { type PluginContext, unixSeconds } from '#core';
import type { ConnectionRecord } from '#core/messaging';
import { EMAIL, ownAddresses, plusSecret, settingsOf } from '../connection.js';
import { normalAddress, plusKey } from '../content/addresses.js';
import { MAX_MAIL_BYTES } from '../content/mail.js';
import { libraries } from '../libraries.js';
import type { EmailMetrics } from '../metrics.js';
import type { EmailListener, Settings } from '../options.js';
import { keepRaw, pushMail } from './queues.js';

const MAX_RECIPIENTS = 20;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds without a byte of a client. */
const IDLE_MS = 60_000;
const LIMITS = { maxConnections: 50, maxPerAddress: 10, idleMs: IDLE_MS };

type Envelope = SMTPServerSession['envelope'];

/** An answer of the server that refuses a command. */
const refusedWith = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

/** A platform, which receives mails for its numbers. */
interface Receiver {
  /** The connection of a number that receives at an address. */
  find(address: string): Promise<ConnectionRecord | undefined>;
  /** Stores a mail, once for each number that it is for. @returns for how many of the recipients */
  take(bytes: Buffer, envelope: Envelope): Promise<number>;
}

/** A port at which the platforms of this process receive, such as the shards of a cluster: one of them listens for all. */
interface SharedPort {
  readonly receivers: Set<Receiver>;
  /** Aborted when the one that listens ends; undefined when none does. */
  closed: AbortSignal | undefined;
}

const sharedPorts = new Map<string, SharedPort>();

export type Listener = ReturnType<typeof createListener>;

/** Receives mails of other mail servers, for numbers that receive by SMTP. */
export function createListener(
  context: PluginContext,
  { listener: options, numbers, metrics }: Pick<Settings, 'listener' | 'numbers'> & { readonly metrics: EmailMetrics },
) {
  const { sockets, store, connections, secrets, clock, log } = context;
  const name = `${options?.host ?? ''}:${options?.port ?? 0}`;
  const port: SharedPort = sharedPorts.get(name) ?? { receivers: new Set(), closed: undefined };
  // Each listener at 0 has a port of its own.
  if (options && options.port !== 0) sharedPorts.set(name, port);
  const receiver: Receiver = { find, take };
  /** Those of the options, which every process of a cluster has. */
  const configured = new Set(numbers.flatMap(({ address, aliases = [] }) => [address, ...aliases].map(normalAddress)));

  return {
    start: () => void port.receivers.add(receiver),
    stop: () => void port.receivers.delete(receiver),

    /** Listens until the signal aborts, or waits while another number or platform of this process does. @throws Error when the port is taken */
    async listen(signal: AbortSignal): Promise<void> {
      if (!options) throw new Error('the plugin has no option listener any more');
      while (port.closed && !signal.aborted) await clock.sleep(DAY_MS, AbortSignal.any([signal, port.closed]));
      if (signal.aborted) return;
      const closed = new AbortController();
      port.closed = closed.signal;
      const opened = open(options);
      try {
        log.info('mails are received', { port: (await opened).port });
        while (!signal.aborted) await clock.sleep(DAY_MS, signal);
      } finally {
        await opened.then(
          (one) => one.stop(),
          () => undefined,
        );
        port.closed = undefined;
        closed.abort();
      }
    },
  };

  async function open({ hostname, key, cert, port, host }: EmailListener) {
    const { SMTPServer } = await libraries['smtp-server']();
    const server = new SMTPServer({
      ...{ size: MAX_MAIL_BYTES, disableReverseLookup: true, logger: false, socketTimeout: IDLE_MS },
      maxAllowedUnauthenticatedCommands: false,
      ...(hostname !== undefined && { name: hostname }),
      ...(key !== undefined && { key, cert: cert! }),
      disabledCommands: ['AUTH', ...(key === undefined ? ['STARTTLS'] : [])],
      onRcptTo: ({ address }, { envelope }, done) => void answered(recipient(address, envelope)).then(done),
      onData: (stream, { envelope }, done) => void answered(received(stream, envelope)).then(done),
    });
    server.on('error', (error) => log.debug('a connection of a mail server failed', { error }));
    return sockets.listen({ port, ...LIMITS, ...(host !== undefined && { host }) }, (socket) => server.connect(socket));
  }

  /** @returns the answer that refuses, after work that failed */
  async function answered(work: Promise<void>): Promise<Error | undefined> {
    try {
      return void (await work);
    } catch (error) {
      const { responseCode } = error as { readonly responseCode?: number };
      metrics.refused({ what: String(responseCode ?? 'failure') });
      if (responseCode !== undefined) return error as Error;
      log.error('a mail could not be stored, and its server sends it again', { error });
      return refusedWith(451, '4.3.0 The mail cannot be stored now');
    }
  }

  async function recipient(address: string, { rcptTo }: Envelope): Promise<void> {
    if (rcptTo.length >= MAX_RECIPIENTS) throw refusedWith(452, '4.5.3 Too many recipients');
    const found = await Promise.all([...port.receivers].map((one) => one.find(address)));
    const connection = found.find((one) => one !== undefined);
    if (connection?.stopped || (!connection && configured.has(normalAddress(address))))
      throw refusedWith(450, '4.2.1 The mailbox takes no mails now');
    if (!connection) throw refusedWith(550, '5.1.1 No mailbox has this address');
  }

  /** Stores a mail. The server answers after that. */
  async function received(stream: AsyncIterable<Buffer> & { readonly sizeExceeded: boolean }, envelope: Envelope): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
    if (stream.sizeExceeded) throw refusedWith(552, `5.3.4 A mail may have at most ${MAX_MAIL_BYTES} bytes`);
    const bytes = Buffer.concat(chunks);
    // Servers that read a lone line feed as the end of a line may see another mail in it.
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1))
      if (bytes[at - 1] !== 13) throw refusedWith(550, '5.6.0 A line must end with CR and LF');
    let taken = 0;
    for (const one of port.receivers) taken += await one.take(bytes, envelope);
    // A number was disconnected, or its platform stopped, after the server had accepted the recipient. A mail that is sent again is stored once.
    if (taken < envelope.rcptTo.length) throw refusedWith(451, '4.3.0 A recipient is not here any more');
  }

  async function find(given: string): Promise<ConnectionRecord | undefined> {
    const address = normalAddress(given) ?? '';
    for (const one of await connections.list(EMAIL)) {
      const settings = settingsOf(one);
      if (settings.receive !== 'smtp') continue;
      const secret = settings.plus_addresses ? await secrets.get(plusSecret(one.number)) : undefined;
      const isPlus = secret !== undefined && plusKey(address, settings.address, secret) !== undefined;
      if (isPlus || ownAddresses(settings).includes(address)) return one;
    }
    return undefined;
  }

  async function take(bytes: Buffer, { mailFrom, rcptTo }: Envelope): Promise<number> {
    const recipients = new Map<string, string[]>();
    for (const { address } of rcptTo) {
      const number = (await find(address))?.number;
      if (number !== undefined) recipients.set(number, [...(recipients.get(number) ?? []), address]);
    }
    const at = unixSeconds(clock.now());
    for (const [number, own] of recipients) {
      const raw = await keepRaw(context, number, bytes);
      const mail = { number, raw, via: 'smtp', return_path: mailFrom ? mailFrom.address : '', recipients: own, at } as const;
      await store.transaction((tx) => pushMail(tx, mail));
    }
    return [...recipients.values()].flat().length;
  }
}

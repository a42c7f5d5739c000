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

type Done = (error?: Error | null, message?: string) => void;

/** An answer of the server that refuses a command. */
const refusedWith = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

/** Receives mails of other mail servers, for numbers that receive by SMTP. */
export function createListener(
  context: PluginContext,
  { listener: options, metrics }: Pick<Settings, 'listener'> & { readonly metrics: EmailMetrics },
) {
  const { sockets, store, connections, secrets, clock, log } = context;
  let opened: SocketListener | undefined;

  return {
    get port(): number | undefined {
      return opened?.port;
    },

    /** @throws Error when the port cannot be opened */
    async start(): Promise<void> {
      if (!options) return;
      const { hostname, key, cert, port, host, maxConnections, maxPerAddress } = options;
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
            bytesOf(stream).then((bytes) => take(bytes, session)),
            done,
          ),
      });
      server.on('error', (error) => log.debug('a connection of a mail server failed', { error }));
      const limits = { maxConnections, maxPerAddress, idleMs: IDLE_MS };
      opened = await sockets.listen({ port, ...limits, ...(host !== undefined && { host }) }, (socket) => server.connect(socket));
      log.info('mails are received', { port: opened.port });
    },

    async stop(): Promise<void> {
      await opened?.stop();
    },
  };

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
    const connection = await connectionOf(address);
    if (!connection) throw refusedWith(550, '5.1.1 No mailbox has this address');
    if (connection.stopped) throw refusedWith(450, '4.2.1 The mailbox is stopped');
  }

  async function connectionOf(given: string): Promise<ConnectionRecord | undefined> {
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

  /** Stores a mail, once for each number that it is for. The server answers after that. */
  async function take(bytes: Buffer, { envelope: { mailFrom, rcptTo } }: SMTPServerSession): Promise<void> {
    const recipients = new Map<string, string[]>();
    for (const { address } of rcptTo) {
      const connection = await connectionOf(address);
      if (connection) recipients.set(connection.number, [...(recipients.get(connection.number) ?? []), address]);
    }
    const stored = await Promise.all(
      [...recipients].map(async ([number, own]) => ({ number, own, raw: await keepRaw(context, number, bytes) })),
    );
    const about = { via: 'smtp', return_path: mailFrom ? mailFrom.address : '', at: unixSeconds(clock.now()) } as const;
    await store.transaction((tx) => {
      for (const { number, own, raw } of stored) pushMail(tx, { number, raw, recipients: own, ...about });
    });
  }
}

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

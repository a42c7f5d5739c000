import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { type ActiveFault, FaultRules } from '#core/testing';
import { type PlayedMailbox, playMailbox } from './mailbox.js';
import type { EmailFault, EmailStandInOptions, SentMail, StandInFile, WrittenMail } from './settings.js';

/** A mail server for tests: an account that sends by SMTP and has a mailbox, and the people who write to it. */
export class EmailStandIn {
  readonly address: string;
  readonly password = 'stand-in-password';
  /** The mails that it took, in order. */
  readonly sent: SentMail[] = [];
  /** The logins, in order. */
  readonly logins: string[] = [];
  readonly faults = new FaultRules<EmailFault>();
  readonly #smtp: SMTPServer;
  readonly #sockets: Server;
  #mailbox: PlayedMailbox | undefined;
  /** The port to which people's mails go by SMTP; without it they are put into the mailbox. */
  #deliverTo: number | undefined;
  #made = 0;
  #url = '';
  #stopControl: (() => Promise<void>) | undefined;

  constructor({ address = 'support@shop.example' }: EmailStandInOptions = {}) {
    this.address = address;
    this.#smtp = new SMTPServer({
      ...{ authOptional: true, allowInsecureAuth: true, disabledCommands: ['STARTTLS'], disableReverseLookup: true, logger: false },
      onAuth: ({ username, password }, _session, done) => {
        this.logins.push(username ?? '');
        const isRefused = this.faults.take(({ login }) => login === 'refused') !== undefined;
        const isRight = username === this.address && password === this.password;
        if (isRight && !isRefused) return done(null, { user: username });
        done(Object.assign(new Error('5.7.8 Username and Password not accepted'), { responseCode: 535 }));
      },
      onRcptTo: ({ address: to }, session, done) => {
        const rule = this.#fault(
          ({ on, reply, connection }) => on?.contains === undefined && (reply !== undefined || connection === 'cut') && isFor(on, to),
        );
        if (rule?.connection === 'cut') return void this.#break(session);
        done(rule?.reply ? answerOf(rule.reply) : null);
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          void this.#take(Buffer.concat(chunks).toString('latin1'), session).then((outcome) => {
            if (outcome === 'break') return this.#break(session);
            if (outcome !== 'silent') done(outcome, '2.0.0 Queued');
          });
        });
      },
    });
    this.#smtp.on('error', () => undefined);
    this.#sockets = createServer((socket) => this.#smtp.connect(socket));
  }

  /** The address of its control routes. */
  get url(): string {
    return this.#url;
  }
  get smtpPort(): number {
    return (this.#sockets.address() as AddressInfo).port;
  }
  /** The port of the mailbox. @throws Error without one */
  get imapPort(): number {
    return this.mailbox.port;
  }
  get mailbox(): PlayedMailbox {
    if (!this.#mailbox) throw new Error('the stand-in plays no mailbox');
    return this.#mailbox;
  }

  /** The settings with which a number is connected to it. */
  get settings() {
    const { address, password } = this;
    const smtp = { smtp_host: '127.0.0.1', smtp_port: this.smtpPort, smtp_security: 'none' } as const;
    const imap = this.#mailbox ? ({ receive: 'imap', imap_port: this.imapPort, imap_security: 'none' } as const) : {};
    return { address, password, ...smtp, ...imap };
  }

  /** Opens the ports. @throws Error when one is in use */
  async listen(port: number, { mailbox = true }: Pick<EmailStandInOptions, 'mailbox'>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#sockets.once('error', reject);
      this.#sockets.listen(port === 0 ? 0 : port + 1, '127.0.0.1', resolve);
    });
    if (mailbox) this.#mailbox = await playMailbox({ port: port === 0 ? 0 : port + 2, user: this.address, password: this.password });
  }

  /** Takes the address of the control routes, and the function that closes them. */
  controlledAt(url: string, stop: () => Promise<void>): void {
    this.#url = url;
    this.#stopControl = stop;
  }

  async stop(): Promise<void> {
    for (const { _socket: socket } of this.#smtp.connections as unknown as Iterable<{ _socket: { destroy(): void } }>) socket.destroy();
    await new Promise((resolve) => this.#sockets.close(resolve));
    await this.#mailbox?.stop();
    await this.#stopControl?.();
  }

  /** Delivers people's mails to a port by SMTP, as a mail server does; undefined puts them into the mailbox. */
  deliverTo(port: number | undefined): void {
    this.#deliverTo = port;
  }

  fault(rule: EmailFault): ActiveFault<EmailFault> {
    return this.faults.add(rule);
  }

  /** A person writes. Resolves with the id of the mail when it is in the mailbox, or was taken. */
  async write(from: string, text: string, about: WrittenMail = {}): Promise<string> {
    const id = about.id ?? `${++this.#made}.${randomUUID()}@people.example`;
    const { subject = 'Hello', name, to = this.address, inReplyTo, references, files = [], headers = {} } = about;
    const raw = await new MailComposer({
      ...{ messageId: `<${id}>`, from: name === undefined ? from : { name, address: from }, to, subject, text, newline: 'windows' },
      ...(inReplyTo !== undefined && { inReplyTo: `<${inReplyTo}>` }),
      ...(references && { references: references.map((one) => `<${one}>`) }),
      headers: { ...headers },
      attachments: files.map(({ type, filename, bytes }) => ({
        contentType: type,
        filename: filename ?? 'file',
        content: Buffer.from(bytes),
      })),
    })
      .compile()
      .build();
    await this.deliver(raw, { from: about.returnPath ?? from, to });
    return id;
  }

  /** A person answers a mail, with the quote that mail programs add. */
  reply(mail: SentMail, text: string, about: WrittenMail = {}): Promise<string> {
    const quoted = mail.text.replace(/^/gm, '> ');
    const to = /[^\s<>]+@[^\s<>]+/.exec(mail.headers['reply-to'] ?? mail.headers.from ?? '')![0];
    return this.write(mail.to, `${text}\r\n\r\nOn Mon, 5 Jan 2026 at 08:00, ${this.address} <${this.address}> wrote:\r\n${quoted}`, {
      ...{ to, subject: `Re: ${mail.subject.replace(/^Re: /, '')}`, inReplyTo: mail.id, references: [mail.id] },
      ...about,
    });
  }

  /** A mail server reports that it could not deliver a mail. */
  async bounce(mail: SentMail, { status = '5.1.1', action = 'failed', diagnostic = 'smtp; 550 5.1.1 user unknown' } = {}): Promise<void> {
    const boundary = 'report';
    const lines = [
      ...[
        'From: Mail Delivery Subsystem <mailer-daemon@mx.example>',
        `To: ${mail.from}`,
        'Subject: Undelivered Mail',
        `Message-ID: <${randomUUID()}@mx.example>`,
      ],
      `Content-Type: multipart/report; report-type=delivery-status; boundary=${boundary}`,
      ...[
        'MIME-Version: 1.0',
        '',
        `--${boundary}`,
        'Content-Type: text/plain',
        '',
        'Your mail could not be delivered.',
        '',
        `--${boundary}`,
      ],
      ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example', '', `Final-Recipient: rfc822; ${mail.to}`],
      ...[
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: ${diagnostic}`,
        '',
        `--${boundary}`,
        'Content-Type: text/rfc822-headers',
        '',
      ],
      ...[mail.raw.split('\r\n\r\n')[0]!, '', `--${boundary}--`, ''],
    ];
    await this.deliver(Buffer.from(lines.join('\r\n'), 'latin1'), { from: '', to: mail.from });
  }

  /** Delivers the bytes of a mail: by SMTP, or into the mailbox. @throws Error when the server refuses it */
  async deliver(raw: Uint8Array, envelope: { readonly from: string; readonly to: string }): Promise<void> {
    if (this.#deliverTo === undefined) return this.mailbox.append(raw);
    const transport = createTransport({ host: '127.0.0.1', port: this.#deliverTo, secure: false, ignoreTLS: true, logger: false });
    try {
      await transport.sendMail({ envelope: { from: envelope.from, to: [envelope.to] }, raw: Buffer.from(raw) });
    } finally {
      transport.close();
    }
  }

  #fault(matches: (rule: EmailFault) => boolean): EmailFault | undefined {
    return this.faults.take(matches);
  }

  async #take(raw: string, { envelope: { mailFrom, rcptTo } }: SMTPServerSession): Promise<Error | null | 'break' | 'silent'> {
    const mail = await readMail(raw, mailFrom ? mailFrom.address : '', rcptTo[0]!.address);
    const rule = this.#fault(
      ({ on, reply, connection }) =>
        (connection === 'cut after' || connection === 'silent' || (reply !== undefined && on?.contains !== undefined)) &&
        isFor(on, mail.to) &&
        (on?.contains === undefined || mail.text.includes(on.contains)),
    );
    if (rule?.reply) return answerOf(rule.reply);
    this.sent.push(mail);
    return rule?.connection === 'cut after' ? 'break' : rule?.connection === 'silent' ? 'silent' : null;
  }

  #break({ id }: SMTPServerSession): void {
    const all = [...(this.#smtp.connections as unknown as Iterable<{ id: string; _socket: { destroy(): void } }>)];
    all.find((one) => one.id === id)?._socket.destroy();
  }
}

const isFor = (on: EmailFault['on'], to: string): boolean => on?.to === undefined || on.to === to;

const answerOf = ({ status, text = 'Refused' }: NonNullable<EmailFault['reply']>): Error =>
  Object.assign(new Error(text), { responseCode: status });

/** Reads a mail as a mail program does. */
async function readMail(raw: string, from: string, to: string): Promise<SentMail> {
  const { messageId = '', subject = '', text = '', html = '', headers, attachments } = await PostalMime.parse(Buffer.from(raw, 'latin1'));
  const files = attachments.map(
    ({ mimeType, filename, content }): StandInFile => ({
      type: mimeType,
      ...(filename !== null && { filename }),
      bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
    }),
  );
  const named = Object.fromEntries(headers.map(({ key, value }) => [key, value]));
  return { id: messageId.replace(/^<|>$/g, ''), from, to, subject, text: text.trimEnd(), html, headers: named, files, raw };
}

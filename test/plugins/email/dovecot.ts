import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import type { Tap } from '#core/testing';
import { freePort } from '../../../scripts/crash/free-port.js';

const PROGRAM = '/usr/sbin/dovecot';
const IMAP = '/usr/lib/dovecot/imap';
const PASSWORD = 'mailbox-password';
const USER = 'support@shop.example';
/** The user of Dovecot if this process is root: it opens no mailbox of root. */
const DAEMON = { uid: 1, gid: 1, user: 'daemon', group: 'daemon' };
const READY_MS = 5_000;

/** Why the tests with Dovecot cannot run here; false if they can. */
export const withoutDovecot = existsSync(PROGRAM) && existsSync(IMAP) ? false : `no IMAP server at ${PROGRAM} (dovecot-imapd)`;

/** A mail server of Debian in a folder of its own, with one account. */
export interface Dovecot {
  readonly port: number;
  /** The settings with which a number is connected to it. */
  readonly settings: object;
  /** Puts a mail into the mailbox, as another program that has it open would. */
  append(id: string, text: string, date?: Date): Promise<void>;
  /** Deletes the mailbox and makes it again, with these mails: it has another UIDVALIDITY then. */
  remake(mails: readonly (readonly [id: string, text: string])[]): Promise<void>;
  /** Ends the server with its connections, and starts it again. */
  restart(): Promise<void>;
}

/** @param isSilent whether it announces no mails: it has no IDLE then, and clients must ask */
export async function startDovecot(t: Tap, { isSilent = false } = {}): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  const { uid, gid } = isRoot ? DAEMON : { uid: process.getuid!(), gid: process.getgid!() };
  const [user, group] = isRoot ? [DAEMON.user, DAEMON.group] : [String(uid), String(gid)];
  mkdirSync(join(folder, 'run'));
  writeFileSync(
    join(folder, 'dovecot.conf'),
    `base_dir = ${folder}/run
state_dir = ${folder}
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
mail_location = maildir:${folder}/mail
${isSilent ? 'imap_capability = IMAP4rev1 UIDPLUS\n' : ''}passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`,
  );
  for (const path of [folder, join(folder, 'run')]) {
    chmodSync(path, 0o700);
    if (isRoot) chownSync(path, uid, gid);
  }
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(PROGRAM, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'inherit', ...(isRoot && { uid, gid }) });
    for (const end = performance.now() + READY_MS; !(await answers(port)); await new Promise((resolve) => setTimeout(resolve, 20)))
      if (performance.now() > end || server.exitCode !== null) throw new Error(`dovecot does not start; its log is in ${folder}/log`);
  };
  const stop = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  };
  await start();
  t.teardown(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function opened<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      ...{ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, logger: false, disableAutoIdle: true },
      auth: { user: USER, pass: PASSWORD },
    });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.logout();
    }
  }
  const add = (client: ImapFlow, id: string, text: string, date?: Date) =>
    client.append(
      'Support',
      `From: Ann <ann@people.example>\r\nTo: ${USER}\r\nSubject: Loans\r\nMessage-ID: <${id}>\r\n\r\n${text}\r\n`,
      [],
      date,
    );
  await opened((client) => client.mailboxCreate('Support'));
  return {
    port,
    settings: {
      ...{ receive: 'imap', imap_host: '127.0.0.1', imap_port: port, imap_security: 'none', imap_mailbox: 'Support' },
      ...{ imap_username: USER, imap_password: PASSWORD },
    },
    append: (id, text, date) => opened((client) => add(client, id, text, date)).then(() => undefined),
    remake: (mails) =>
      opened(async (client) => {
        await client.mailboxDelete('Support');
        await client.mailboxCreate('Support');
        for (const [id, text] of mails) await add(client, id, text);
      }),
    async restart() {
      await stop();
      await start();
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('data', () => socket.destroy());
  });

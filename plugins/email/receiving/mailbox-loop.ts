import type { FetchMessageObject, ImapFlow } from 'imapflow';
import { type PluginContext, unixSeconds } from '#core';
import type { ConnectionRecord, Loop } from '#core/messaging';
import { type Account, EMAIL, isLoginRefused, mailboxOf, openMailbox, reasonOf, settingsOf } from '../connection.js';
import { MAX_MAIL_BYTES } from '../content/mail.js';
import { type PositionRecord, positions } from '../records.js';
import type { Listener } from './listener.js';
import { keepRaw, pushMail } from './queues.js';

/** Servers that announce nothing are asked after this time; also keeps the connection open. */
const LOOK_MS = 4 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** When a server counts from 1 again, mails of so many days are read again; those that are known are dropped. */
const AGAIN_DAYS = 30;
/** The clock of a server may differ by this from that of the platform. It says which mails were there before the number was connected. */
const CLOCKS_MS = 60_000;
/** Mails whose sizes are asked for together, and the bytes of mails that are fetched and stored together. */
const MAX_MAILS = 100;
const GROUP_BYTES = 4 * 1024 * 1024;

/**
 * Receives the mails of a number: at the listener, or from a mailbox, where it waits until the server announces mails, and stores them with the
 * position after them.
 */
export function receivingLoop(context: PluginContext, listener: Pick<Listener, 'listen'>): Loop {
  const { store, connections, clock } = context;
  return {
    name: 'email-receiving',
    type: EMAIL,
    async run(connection, { signal, log }) {
      const { receive: way } = settingsOf(connection);
      if (way === 'smtp') return listener.listen(signal);
      if (way === 'none') return void (await clock.sleep(DAY_MS, signal));
      const account = (await connections.stored(connection)) as unknown as Account;
      const client = await opened(connection.number, account, signal);
      if (!client) return;
      let isNew = false;
      let awake = new AbortController();
      client.on('exists', () => {
        isNew = true;
        awake.abort();
      });
      client.on('close', () => awake.abort());
      signal.addEventListener('abort', () => client.close(), { once: true });
      try {
        while (!signal.aborted) {
          isNew = false;
          const count = await receive(connection, account, client);
          if (count > 0) log.debug('mails were received', { count });
          if (isNew) continue;
          awake = new AbortController();
          void client.idle().catch(() => undefined);
          await clock.sleep(LOOK_MS, AbortSignal.any([signal, awake.signal]));
          if (!client.usable && !signal.aborted) throw new Error('the server has closed the connection to the mailbox');
        }
      } finally {
        client.close();
      }
    },
  };

  /** Undefined after a stop of the number, because the server refuses the account. */
  async function opened(number: string, account: Account, signal: AbortSignal): Promise<ImapFlow | undefined> {
    try {
      return await openMailbox(context, account, signal);
    } catch (error) {
      if (!isLoginRefused(error)) throw new Error(reasonOf(error), { cause: error });
      const title = `${mailboxOf(account).host} refuses the login: ${reasonOf(error)}`;
      const about = { code: 535, title, fix: 'Check account and password of the mailbox' };
      await store.transaction((tx) => connections.stop(tx, number, about));
      return undefined;
    }
  }

  /** @returns how many mails were stored */
  async function receive({ number, connected_at }: ConnectionRecord, account: Account, client: ImapFlow): Promise<number> {
    const position = await positionOf(number, connected_at, account, client);
    const uids = await newUids(client, position);
    let stored = 0;
    for (let at = 0; at < uids.length; at += MAX_MAILS) {
      const asked = uids.slice(at, at + MAX_MAILS);
      const heads = await client.fetchAll(asked.join(), { uid: true, size: true, internalDate: true }, { uid: true });
      const wanted = heads.filter(({ uid, internalDate }) => asked.includes(uid) && isSince(internalDate, position.since));
      for (const group of groupsOf(wanted.sort((a, b) => a.uid - b.uid))) stored += await storeGroup(client, position, group);
      // The mails after the last wanted one are gone, or were there before the number was connected.
      await store.transaction((tx) => void tx.in(positions).put({ ...position, last_uid: asked.at(-1)! }));
    }
    return stored;
  }

  /** Stores mails with the position after them, of one that is too large only the head. @returns how many: those that are gone are left out */
  async function storeGroup(client: ImapFlow, position: PositionRecord, group: readonly FetchMessageObject[]): Promise<number> {
    const { number } = position;
    const uids = group.map(({ uid }) => uid);
    const size = group[0]!.size ?? 0;
    const cut = size > MAX_MAIL_BYTES ? `the mail has ${size} bytes, more than ${MAX_MAIL_BYTES}` : undefined;
    const wanted = { uid: true, ...(cut === undefined ? { source: true } : { headers: true }) };
    const found = await client.fetchAll(uids.join(), wanted, { uid: true });
    const sorted = found.filter(({ uid }) => uids.includes(uid)).sort((a, b) => a.uid - b.uid);
    const bytes = sorted.flatMap(({ source, headers }) => source ?? headers ?? []);
    const raws = await Promise.all(bytes.map((one) => keepRaw(context, number, one)));
    await store.transaction((tx) => {
      tx.in(positions).put({ ...position, last_uid: uids.at(-1)! });
      for (const raw of raws) pushMail(tx, { number, raw, via: 'imap', recipients: [], at: unixSeconds(clock.now()), cut });
    });
    return raws.length;
  }

  /** Where to begin: after the last mail. */
  async function positionOf(number: string, connected: string, account: Account, client: ImapFlow): Promise<PositionRecord> {
    const { host, port, user } = mailboxOf(account);
    const mailbox = `${user}@${host}:${port}/${account.imap_mailbox}`;
    const { uidValidity, uidNext } = client.mailbox as { readonly uidValidity: bigint; readonly uidNext: number };
    const uid_validity = String(uidValidity);
    const known = await store.open(positions).get(number);
    if (known?.mailbox === mailbox && known.uid_validity === uid_validity) return known;
    // Counted from 1 again, or never read: all mails since then are looked at. Of another mailbox only those that come from now on.
    const isAnother = known !== undefined && known.mailbox !== mailbox;
    const since = isAnother ? clock.now().toISOString() : (known?.since ?? connected);
    const position = { number, mailbox, uid_validity, since, last_uid: isAnother ? uidNext - 1 : 0 };
    await store.transaction((tx) => void tx.in(positions).put(position));
    return position;
  }

  async function newUids(client: ImapFlow, { last_uid: last, since }: PositionRecord): Promise<number[]> {
    // Servers compare days, in a time zone of their own.
    const day = new Date(Math.max(clock.now().getTime() - AGAIN_DAYS * DAY_MS, Date.parse(since) - DAY_MS));
    const found = await client.search(last === 0 ? { since: day } : { uid: `${last + 1}:*` }, { uid: true });
    if (!Array.isArray(found)) throw new Error('the server refused to search the mailbox');
    // `5:*` also finds a last mail with a lower number.
    return found.filter((uid) => uid > last).sort((a, b) => a - b);
  }
}

/** Whether a mail came after the number was connected. */
const isSince = (date: string | Date | undefined, since: string): boolean =>
  date === undefined || !(new Date(date).getTime() < Date.parse(since) - CLOCKS_MS);

/** Mails in groups that are fetched and stored together. One with more bytes than a group is alone. */
function groupsOf(mails: readonly FetchMessageObject[]): FetchMessageObject[][] {
  const groups: FetchMessageObject[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const mail of mails) {
    bytes += mail.size ?? 0;
    if (bytes > GROUP_BYTES) groups.push([]);
    if (bytes > GROUP_BYTES) bytes = mail.size ?? 0;
    groups.at(-1)!.push(mail);
  }
  return groups;
}

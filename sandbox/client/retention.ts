import { cutText, printTable, type Row } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { adminGet, SandboxRefused } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** How long the messages of a number are kept, what is kept, and what goes next. */
export interface KeptNumber {
  readonly number: string;
  readonly name: string;
  readonly account: string | null;
  readonly kept_days: number | null;
  readonly kept_bytes: number | null;
  readonly kept_bytes_of: 'number' | 'account' | 'platform' | null;
  readonly on_hold: boolean;
  readonly messages: number | null;
  readonly bytes: number | null;
  readonly oldest: string | null;
  readonly next: { readonly at: string; readonly reason: 'age' | 'bytes'; readonly messages: number; readonly bytes: number } | null;
}

export interface KeptAccount {
  readonly account: string;
  readonly kept_days?: number;
  readonly kept_bytes?: number;
  readonly hold?: { readonly reason: string; readonly since: string };
}

export interface Retention {
  readonly numbers: readonly KeptNumber[];
  readonly accounts: readonly KeptAccount[];
}

/** @throws SandboxRefused */
export async function retentionOf(run: RunFile): Promise<Retention> {
  try {
    return (await adminGet(run, '/retention')) as Retention;
  } catch (error) {
    // A platform of an earlier release keeps everything.
    if (error instanceof SandboxRefused && error.status === 404) return { numbers: [], accounts: [] };
    throw error;
  }
}

const REASON_WIDTH = 60;
const MEBIBYTE = 2 ** 20;
const bytesText = (bytes: number): string => (bytes < MEBIBYTE ? `${bytes} B` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`);
const messagesText = (count: number, bytes: number): string => `${count} ${count === 1 ? 'message' : 'messages'}, ${bytesText(bytes)}`;

/** Prints the numbers that have a limit or are on hold, and the accounts on hold. @returns false if there are none */
export function printRetention({ numbers, accounts }: Retention, terminal: Terminal): boolean {
  const limited = numbers.filter(({ kept_days: days, kept_bytes: bytes, on_hold: isHeld }) => days !== null || bytes !== null || isHeld);
  const lacksNumber = ({ account }: KeptAccount): boolean => !numbers.some((number) => number.account === account);
  const kept: Row[] = limited.map((one) => ['Kept', { text: one.name, isKey: true }, limitsText(one), keptText(one), nextText(one)]);
  // Probably the name is misspelt.
  for (const account of accounts.filter(lacksNumber)) {
    const { kept_days = null, kept_bytes = null } = account;
    const limits = limitsText({ kept_days, kept_bytes, kept_bytes_of: 'account' });
    kept.push(['Kept', { text: account.account, isKey: true }, limits, 'no number has this account', '']);
  }
  const held: Row[] = accounts.flatMap(({ account, hold }) =>
    hold
      ? [['On hold', { text: account, isKey: true }, `since ${hold.since}`, cutText(hold.reason.replaceAll('\n', ' '), REASON_WIDTH)]]
      : [],
  );
  printTable(kept, terminal, '  ');
  printTable(held, terminal, '  ');
  return kept.length + held.length > 0;
}

function limitsText({
  kept_days: days,
  kept_bytes: bytes,
  kept_bytes_of: scope,
}: Pick<KeptNumber, 'kept_days' | 'kept_bytes' | 'kept_bytes_of'>): string {
  const limits = [
    ...(days === null ? [] : [`${days} days`]),
    ...(bytes === null ? [] : [`${bytesText(bytes)}${scope === 'number' ? '' : ` of the ${scope}`}`]),
  ];
  return limits.join(', ') || 'no limit';
}

const keptText = ({ messages, bytes }: KeptNumber): string => (messages === null || bytes === null ? '' : messagesText(messages, bytes));

function nextText({ on_hold: isHeld, next }: KeptNumber): string {
  if (isHeld) return 'on hold';
  if (next === null) return '';
  // Messages are counted when they are an hour old.
  return next.messages === 0 ? `next from ${next.at}` : `next ${messagesText(next.messages, next.bytes)} from ${next.at}`;
}

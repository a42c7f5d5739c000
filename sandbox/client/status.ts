import { banner } from '../reports/banner.js';
import type { SandboxStatus } from '../server/status-route.js';
import { type Flag, oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { printTable } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { adminGet, SandboxRefused } from './admin-client.js';
import { printRetention, retentionOf } from './retention.js';
import type { RunFile } from './run-file.js';

const FORMATS = ['text', 'json', 'env', 'dotenv'] as const;
type Format = (typeof FORMATS)[number];

/** The flags of `status` and `env`. */
export const statusFlags = {
  output: { ...oneOf(FORMATS, 'env: lines for a shell; dotenv: lines for a .env file'), short: 'o' } satisfies Flag<Format>,
  number: text('ADDRESS', 'the number of POSTHORN_NUMBER, _TOKEN and _SECRET (default: the first channel)'),
  json: toggle('the same as -o json'),
};

/** Prints what is known about the platform. `status` and `env` differ in the format that they print by default. */
export async function runStatus(
  name: string,
  standard: Format,
  argv: readonly string[],
  run: () => RunFile,
  terminal: Terminal,
): Promise<number> {
  const { values, positionals } = readFlags(argv, statusFlags);
  if (positionals.length > 0) throw new UsageError(`${name} takes flags only, not '${positionals[0]}'`);
  const about = run();
  const status = await statusOf(about);
  const format = values.json ? 'json' : (values.output ?? standard);
  if (format === 'json' || format === 'text') {
    const { damaged = [] } = ((await adminGet(about, '/store')) as { store: { damaged?: readonly DamagedFile[] } }).store;
    const retention = await retentionOf(about);
    if (format === 'json') terminal.out(JSON.stringify({ v: 1, ...status, retention, ...(damaged.length > 0 && { damaged }) }));
    else {
      printStatus(status, terminal);
      printRetention(retention, terminal);
      for (const { file, damage } of damaged) terminal.out(`  Damaged ${file}: ${damage}`);
      for (const fix of new Set(damaged.map((one) => one.fix))) terminal.out(`          ${fix}`);
    }
  } else for (const [key, value] of Object.entries(environmentOf(status, values.number))) terminal.out(environmentLine(key, value, format));
  return exit.ok;
}

/** A platform as a client knows it: all of a sandbox, and only the numbers of a platform that is embedded elsewhere. */
export type PlatformStatus = SandboxStatus | (Pick<SandboxStatus, 'api' | 'admin'> & { readonly numbers: readonly EmbeddedNumber[] });

/** A file with documents that cannot be read. */
interface DamagedFile {
  readonly file: string;
  readonly damage: string;
  readonly fix: string;
}

type EmbeddedNumber = Pick<SandboxStatus['numbers'][number], 'uuid' | 'kind' | 'name' | 'address'>;

/** @throws SandboxUnreachable, SandboxRefused */
export async function statusOf(run: RunFile): Promise<PlatformStatus> {
  try {
    return (await adminGet(run, '/sandbox')) as SandboxStatus;
  } catch (error) {
    if (!(error instanceof SandboxRefused) || error.status !== 404) throw error;
    const { numbers } = (await adminGet(run, '/numbers')) as { numbers: EmbeddedNumber[] };
    const shown = numbers.map(({ uuid, kind, name, address }) => ({ uuid, kind, name, address }));
    return { api: run.api, admin: run.admin, numbers: shown };
  }
}

/** The environment variables of examples and other tools. @throws UsageError when the number does not exist */
export function environmentOf(status: PlatformStatus, address?: string): Record<string, string> {
  const { api, admin } = status;
  const about = 'channels' in status ? ofNumber(status, address) : {};
  return { POSTHORN_URL: api, POSTHORN_API: api, POSTHORN_ADMIN_KEY: admin.key, ...about };
}

function ofNumber({ numbers, channels, webhooks }: SandboxStatus, address: string | undefined): Record<string, string> {
  const wanted = address ?? (numbers.find(({ kind }) => kind === 'channel') ?? numbers[0])?.address;
  const number = numbers.find((one) => one.address === wanted || one.uuid === wanted);
  if (!number) {
    if (address === undefined) return {};
    throw new UsageError(`number ${address} not found; numbers: ${numbers.map((one) => one.address).join(', ') || 'none'}`);
  }
  const secret =
    channels.find(({ uuid }) => uuid === number.uuid)?.webhook.hmac_secret ??
    webhooks.find((webhook) => webhook.number === number.uuid)?.hmac_secret;
  return { POSTHORN_NUMBER: number.uuid, POSTHORN_TOKEN: number.token, ...(secret !== undefined && { POSTHORN_SECRET: secret }) };
}

/** A variable as a line for a shell, or of a `.env` file. */
export const environmentLine = (key: string, value: string, format: 'env' | 'dotenv'): string =>
  format === 'env'
    ? `export ${key}='${value.replaceAll("'", "'\\''")}'`
    : `${key}=${/^[\w.:/+-]*$/.test(value) ? value : JSON.stringify(value)}`;

/** Prints what `posthorn status` prints. */
export function printStatus(status: PlatformStatus, terminal: Terminal): void {
  const { out, isColoured } = terminal;
  if (!('channels' in status)) {
    out(`  API     ${status.api}/v1`);
    out(`  Admin   ${status.admin.url}`);
    const rows = status.numbers.map(({ kind, address, name, uuid }) => ['Number', address, name, kind, { text: uuid, isKey: true }]);
    printTable(rows, terminal, '  ');
    return;
  }
  const { pausedAt, phone, console, data, ...rest } = status;
  const clock = { isPaused: pausedAt !== null, now: () => new Date(pausedAt ?? Date.now()) };
  for (const text of banner(
    { ...rest, phone: phone ?? undefined, console: console ?? undefined, clock },
    { data: data ?? undefined, isColoured },
  ))
    out(text);
}

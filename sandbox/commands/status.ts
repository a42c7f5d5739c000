import { adminGet, SandboxRefused } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { banner } from '../reports/banner.js';
import type { SandboxStatus } from '../server/status-route.js';
import { type Flag, oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const FORMATS = ['text', 'json', 'env', 'dotenv'] as const;
type Format = (typeof FORMATS)[number];

const flags = {
  output: { ...oneOf(FORMATS, 'env: lines for a shell; dotenv: lines for a .env file'), short: 'o' } satisfies Flag<Format>,
  number: text('ADDRESS', 'the number of POSTHORN_NUMBER, POSTHORN_TOKEN and POSTHORN_SECRET (default: the first channel)'),
  json: toggle('the same as -o json'),
};

/** `status` and `env` differ in the format that they print by default. */
const command = (name: string, standard: Format, summary: string, notes: readonly string[]): Command => ({
  summary,
  usage: `${name} [flags]`,
  notes: [...notes, 'Exit codes: 0 running, 2 wrong usage, 3 no sandbox.'],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`${name} takes flags only, not '${positionals[0]}'`);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const status = await statusOf(run);
    const format = values.json ? 'json' : (values.output ?? standard);
    if (format === 'json') terminal.out(JSON.stringify({ v: 1, ...status }));
    else if (format === 'text') printStatus(status, terminal);
    else for (const [key, value] of Object.entries(environmentOf(status, values.number))) terminal.out(line(key, value, format));
    return exit.ok;
  },
});

export const status = command('status', 'text', 'shows the running sandbox: URLs, tokens, secrets, changed options', [
  'Of a platform that is embedded elsewhere, status shows the numbers without their tokens.',
]);

export const env = command('env', 'env', 'prints the variables that examples and other tools read', [
  'In a shell: eval "$(npx posthorn env)"',
]);

/** What is known about a platform: all of a sandbox, and only the numbers of a platform that is embedded elsewhere. */
export type PlatformStatus = SandboxStatus | (Pick<SandboxStatus, 'api' | 'admin'> & { readonly numbers: readonly EmbeddedNumber[] });

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

const line = (key: string, value: string, format: 'env' | 'dotenv'): string =>
  format === 'env'
    ? `export ${key}='${value.replaceAll("'", "'\\''")}'`
    : `${key}=${/^[\w.:/+-]*$/.test(value) ? value : JSON.stringify(value)}`;

function printStatus(status: PlatformStatus, { out, isColoured }: Terminal): void {
  if (!('channels' in status)) {
    out(`  API     ${status.api}/v1`);
    out(`  Admin   ${status.admin.url}`);
    for (const { kind, address, name, uuid } of status.numbers) out(`  Number  ${address}   ${name}   ${kind}   ${uuid}`);
    return;
  }
  const { manualNow, phone, data, ...rest } = status;
  const clock = manualNow === null ? undefined : { now: () => new Date(manualNow) };
  for (const text of banner({ ...rest, phone: phone ?? undefined, clock }, { data: data ?? undefined, isColoured })) out(text);
}

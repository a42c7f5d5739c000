import { type Flag, readFlags, text, texts, toggle, UsageError } from '../terminal/flags.js';
import { readInput, STDIN } from '../terminal/input-files.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { adminFind, adminSend } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** A number that is connected to a service. */
export interface Connection {
  readonly number: { readonly uuid: string; readonly type: string; readonly address: string; readonly name: string };
  readonly stopped: { readonly at: string; readonly code: number; readonly title: string } | null;
  readonly receiving: { readonly failures: number; readonly last_error: string | null } | null;
}

/** A type of numbers that can be connected, with the JSON Schema of its settings. */
interface ConnectionType {
  readonly type: string;
  readonly schema: { readonly properties?: Readonly<Record<string, Setting>>; readonly required?: readonly string[] };
  readonly secrets: readonly string[];
}

interface Setting {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

/** The numbers that are connected to a service. */
export const connectionsOf = async (run: RunFile): Promise<readonly Connection[]> =>
  ((await adminFind(run, '/connections')) as { connections: readonly Connection[] } | undefined)?.connections ?? [];

/** The state of a connected number, in words. */
export function connectionState({ stopped, receiving }: Connection): string {
  if (stopped) return `stopped: ${stopped.title} (${stopped.code})`;
  return receiving && receiving.failures > 0 ? `receiving fails: ${receiving.last_error}` : 'connected';
}

/** `channel add TYPE`: connects a number to its service, with the settings of its type as flags. */
export async function connect(run: RunFile, wanted: string, argv: readonly string[], terminal: Terminal): Promise<number> {
  const { types } = ((await adminFind(run, '/connections/types')) ?? { types: [] }) as { types: readonly ConnectionType[] };
  const known = types.find(({ type }) => type === wanted);
  if (!known) {
    const names = types.map(({ type }) => type).join(', ') || 'no plugin of the platform has one';
    throw new UsageError(`'${wanted}' is neither a URL nor a type of channel; types: ${names}`);
  }
  const own = flagsOf(known);
  const { values, positionals } = readFlags(argv, { name: text('NAME', 'the name of the channel'), ...own, json: toggle('as JSON') });
  if (positionals.length > 0) throw new UsageError(`'${positionals[0]}' is too many for channel add ${wanted}`);
  const given = values as Readonly<Record<string, unknown>>;
  const settings = settingsOf(known, given, terminal.cwd);
  const missing = (known.schema.required ?? []).filter((key) => !Object.hasOwn(settings, key));
  if (missing.length > 0) {
    const optional = settingsIn(known).flatMap(([key]) => (missing.includes(key) || key in settings ? [] : [`--${flagName(key)}`]));
    const others = optional.length === 0 ? '' : `; it also takes ${optional.join(', ')}`;
    throw new UsageError(`channel add ${wanted} needs ${missing.map((key) => shownFlag(known, key)).join(' and ')}${others}`);
  }
  const body = { type: wanted, settings, ...(!('name' in settings) && given.name !== undefined && { name: given.name }) };
  const { connection } = (await adminSend(run, 'POST', '/connections', body)) as { connection: Connection };
  if (given.json) terminal.out(JSON.stringify({ v: 1, connection }));
  else terminal.out(`Connected channel ${connection.number.address} (${connection.number.name}): ${connection.number.uuid}`);
  return exit.ok;
}

const flagName = (key: string): string => key.replaceAll('_', '-');
const settingsIn = ({ schema }: ConnectionType): [string, Setting][] => Object.entries(schema.properties ?? {});
const takenBy = ({ enum: values }: Setting): string => values?.join('|') ?? 'TEXT';

function shownFlag(type: ConnectionType, key: string): string {
  const flag = `--${flagName(key)} ${takenBy(type.schema.properties?.[key] ?? {})}`;
  return type.secrets.includes(key) ? `${flag} (or --${flagName(key)}-file FILE)` : flag;
}

function flagsOf(type: ConnectionType): Readonly<Record<string, Flag<unknown>>> {
  const flags = settingsIn(type).flatMap(([key, setting]): [string, Flag<unknown>][] => {
    const { description: help = key } = setting;
    if (setting.type === 'boolean') return [[flagName(key), toggle(help)]];
    if (setting.type === 'array') return [[flagName(key), texts('TEXT', help) as Flag<unknown>]];
    const own: [string, Flag<unknown>] = [flagName(key), text(takenBy(setting), help)];
    return type.secrets.includes(key)
      ? [own, [`${flagName(key)}-file`, text('FILE', `a file with the ${key}; - for standard input`)]]
      : [own];
  });
  return Object.fromEntries(flags);
}

/** The settings that the flags give. A secret can be in a file or come from standard input, so that no history of a shell has it. */
function settingsOf(type: ConnectionType, given: Readonly<Record<string, unknown>>, cwd: string): Readonly<Record<string, unknown>> {
  const values = settingsIn(type).flatMap(([key]): [string, unknown][] => {
    const [value, file] = [given[flagName(key)], type.secrets.includes(key) ? given[`${flagName(key)}-file`] : undefined];
    if (value !== undefined && file !== undefined) throw new UsageError(`give either --${flagName(key)} or --${flagName(key)}-file`);
    const source = file ?? (type.secrets.includes(key) && value === STDIN ? STDIN : undefined);
    if (source !== undefined) return [[key, readInput(String(source), cwd).toString('utf8').trim()]];
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(values);
}

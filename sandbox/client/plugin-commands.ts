import type { Command } from '../commands/command.js';
import { escapeControls } from '../terminal/escape.js';
import { type Flag, readFlags, text, texts, toggle } from '../terminal/flags.js';
import { adminGet, adminSend, SandboxRefused } from './admin-client.js';
import { findRunFile, requireRun } from './run-file.js';

/** A command of a plugin, as the platform lists it. */
interface ListedCommand {
  readonly plugin: string;
  readonly verb: string;
  readonly summary: string;
  readonly args: readonly string[];
  readonly flags: readonly ListedFlag[];
}

interface ListedFlag {
  readonly name: string;
  /** The placeholder of its value; null for a switch. */
  readonly takes: string | null;
  readonly help: string;
  readonly repeats: boolean;
}

/** A platform that hangs must not hang the help. */
const TIMEOUT_MS = 5_000;
const MOST_EXIT_CODE = 125;
const json = toggle('print the result as one line of JSON');

/**
 * The commands of the plugins of the running platform, each by its name: `letters list`. None without a running platform.
 * @throws UsageError, SandboxUnreachable, SandboxRefused
 */
export async function pluginCommands(from: string): Promise<Readonly<Record<string, Command>>> {
  const run = findRunFile(from);
  if (!run) return {};
  const { commands } = (await adminGet(run, '/commands', AbortSignal.timeout(TIMEOUT_MS)).catch((error: unknown) => {
    // A platform of 0.1.0 has no commands of plugins.
    if (error instanceof SandboxRefused && error.status === 404) return { commands: [] };
    throw error;
  })) as { commands: ListedCommand[] };
  return Object.fromEntries(commands.map((listed) => [`${listed.plugin} ${listed.verb}`, commandOf(listed)]));
}

function commandOf({ plugin, verb, summary, args, flags: listed }: ListedCommand): Command {
  const flags = { ...Object.fromEntries(listed.map((flag) => [flag.name, flagOf(flag)])), json };
  return {
    summary,
    usage: [plugin, verb, ...args, '[flags]'].join(' '),
    examples: [],
    notes: [`A command of the plugin '${plugin}', which runs in the platform.`],
    flags,
    async run(argv, terminal) {
      const { values, positionals } = readFlags(argv, flags);
      const { json: wantsJson, ...given } = values as Record<string, unknown>;
      const [, ...words] = positionals;
      const path = `/commands/${plugin}/${verb}`;
      const done = (await adminSend(requireRun(terminal.cwd), 'POST', path, { args: words, flags: given })) as {
        readonly text: readonly string[];
        readonly data: object;
        readonly exit_code: number;
      };
      if (wantsJson) terminal.out(JSON.stringify({ ...done.data, v: 1 }));
      else for (const line of done.text) terminal.out(escapeControls(line));
      // In a cluster it is the sum of those of the shards.
      return Math.min(done.exit_code, MOST_EXIT_CODE);
    },
  };
}

const flagOf = ({ takes, help, repeats }: ListedFlag): Flag<unknown> =>
  takes === null ? toggle(help) : repeats ? (texts(takes, help) as Flag<unknown>) : text(takes, help);

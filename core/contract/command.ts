import type Joi from 'joi';
import type { TypeOf } from '../shape.js';

/** The commands of `posthorn` itself. A plugin with one of these names cannot contribute commands. */
export const ownCommands = [
  ...[
    'sandbox',
    'stop',
    'status',
    'open',
    'env',
    'send',
    'chat',
    'tail',
    'trigger',
    'deliveries',
    'contacts',
    'retention',
    'calls',
    'api',
    'advice',
    'audit',
    'keys',
    'find',
  ],
  ...['why', 'fault', 'sign', 'verify', 'conform', 'clock', 'state', 'data', 'cluster', 'journey', 'sim', 'test', 'flow', 'tour', 'init'],
  ...[
    'channel',
    'connector',
    'integration',
    'cloud-api',
    'telegram',
    'sms',
    'email',
    'openapi',
    'mcp',
    'agent',
    'plugin',
    'exec',
    'doctor',
    'completion',
    'help',
  ],
] as const;

/** The result of a command. */
export interface CommandResult {
  /** The lines that the command prints. */
  readonly text: readonly string[];
  /** The same for programs: the command prints it with `--json`. */
  readonly data: object;
  /** The exit code of the process, 0 to 125; 0 if not given. Use 1 if what was asked for could not be done. */
  readonly exitCode?: number;
}

/** The argument of `command`. The schema `F` determines the type of the flags. */
export interface CommandDefinition<F extends Joi.ObjectSchema> {
  /** The word after the name of the plugin: lower-case words joined with `-`, unique in the plugin. */
  readonly verb: string;
  /** One line for the help, such as `lists the letters of a contact`. */
  readonly summary: string;
  /** The arguments after the verb, as the help shows them: `['CONTACT', '[NOTE]']`. `[…]` may be missing, and the last may repeat: `FILE...`. */
  readonly args?: readonly string[];
  /**
   * The flags: an object schema whose fields have a `description` for the help. A boolean is a switch, an array may be given several times, and
   * values of other types are text, which the schema converts.
   */
  readonly flags?: F;
  /** Runs the command in the platform, with checked flags and arguments. Throws a `PlatformError` to refuse it. */
  readonly run: (given: { readonly flags: TypeOf<F>; readonly args: readonly string[] }) => Promise<CommandResult> | CommandResult;
}

/** A command without the type of its flags. */
export type PluginCommand = CommandDefinition<Joi.ObjectSchema>;

/** Declares a command, whose flags are typed by their schema. */
export const command = <const F extends Joi.ObjectSchema = Joi.ObjectSchema<Record<never, never>>>(
  definition: CommandDefinition<F>,
): PluginCommand => definition as unknown as PluginCommand;

/** A command with the name of its plugin. */
export type ContributedCommand = PluginCommand & { readonly plugin: string };

/** A flag as the command line reads it. */
export interface CommandFlag {
  readonly name: string;
  /** The placeholder of its value; null for a switch. */
  readonly takes: string | null;
  readonly help: string;
  /** Whether it may be given several times. */
  readonly repeats: boolean;
}

interface Described {
  readonly type?: string;
  readonly flags?: { readonly description?: string; readonly presence?: string; readonly only?: boolean; readonly default?: unknown };
  readonly allow?: readonly unknown[];
  readonly items?: readonly Described[];
}

/** The flags of a command, from their schema. */
export function flagsOf({ flags }: PluginCommand): CommandFlag[] {
  const { keys = {} } = (flags?.describe() ?? {}) as { readonly keys?: Readonly<Record<string, Described>> };
  return Object.entries(keys).map(([name, field]) => {
    const { description = '', presence, default: ifMissing } = field.flags ?? {};
    const notes = [
      ...(presence === 'required' ? ['required'] : []),
      ...(ifMissing === undefined ? [] : [`default ${typeof ifMissing === 'object' ? JSON.stringify(ifMissing) : ifMissing}`]),
    ];
    const repeats = field.type === 'array';
    const takes = repeats ? (takenBy(field.items?.[0] ?? {}) ?? 'true|false') : takenBy(field);
    return { name, takes, help: description && notes.length > 0 ? `${description} (${notes.join(', ')})` : description, repeats };
  });
}

function takenBy({ type, flags, allow = [] }: Described): string | null {
  if (type === 'boolean') return null;
  if (flags?.only) return allow.join('|');
  return type === 'number' ? 'NUMBER' : 'TEXT';
}

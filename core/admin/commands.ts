import { type CommandResult, type ContributedCommand, flagsOf } from '../contract/command.js';
import { type Route, route } from '../contract/route.js';
import { InvalidRequest, PlatformError } from '../errors.js';
import { didYouMean } from '../nearest.js';
import { anyString, anyValue, array, boolean, integer, nullable, object, record, string } from '../shape.js';

const flag = object({
  name: string(),
  /** The placeholder of its value; null for a switch. */
  takes: nullable(string()),
  help: string(),
  /** Whether it may be given several times: its values are a list. */
  repeats: boolean(),
});
const listed = object({
  plugin: string(),
  verb: string(),
  summary: string(),
  /** The arguments after the verb; `[…]` may be missing, and `…...` may repeat. */
  args: array(string()),
  flags: array(flag),
});

/** The admin routes with which `posthorn` lists and runs the commands of plugins. */
export const commandRoutes = (commands: () => readonly ContributedCommand[]): Route[] => [
  route({
    method: 'GET',
    path: '/commands',
    permission: 'platform.read',
    accounts: 'none',
    summary: 'Lists the commands of plugins: `posthorn <plugin> <verb>`, with the arguments and flags of each.',
    shards: 'process',
    responses: { 200: object({ commands: array(listed) }) },
    handler: () => ({
      commands: commands().map((one) => ({
        ...{ plugin: one.plugin, verb: one.verb, summary: one.summary, args: [...(one.args ?? [])], flags: flagsOf(one) },
      })),
    }),
  }),
  route({
    method: 'POST',
    path: '/commands/{plugin}/{verb}',
    permission: 'commands.run',
    summary:
      'Runs a command of a plugin. A flag has `true` or its value, as text or of its own type. `text` has lines for people, and `data` the same for programs. `exit_code` is 0 if the command did what it was asked for.',
    // A command may list the records of all numbers.
    shards: 'each',
    request: {
      params: object({ plugin: string(), verb: string() }),
      // A command without arguments and flags needs no body.
      payload: nullable(object({}, { args: array(anyString()), flags: record(anyValue()) })),
    },
    responses: { 200: object({ text: array(anyString()), data: record(anyValue()), exit_code: integer() }) },
    errors: [404],
    async handler({ params: { plugin, verb }, payload }) {
      const command = requireCommand(commands(), plugin, verb);
      const { args, flags } = payload ?? {};
      const given = { args: checkedArgs(command, args ?? []), flags: checkedFlags(command, flags ?? {}) };
      const { text, data, exitCode = 0 } = checkedResult(command, await command.run(given));
      return { text: [...text], data, exit_code: exitCode };
    },
  }),
];

function requireCommand(commands: readonly ContributedCommand[], plugin: string, verb: string): ContributedCommand {
  const verbs = commands.filter((command) => command.plugin === plugin);
  const command = verbs.find((one) => one.verb === verb);
  if (command) return command;
  const names = verbs.length > 0 ? verbs.map((one) => `${plugin} ${one.verb}`) : commands.map((one) => `${one.plugin} ${one.verb}`);
  throw new PlatformError(404, 'command_not_found', `There is no command "${plugin} ${verb}"${didYouMean(`${plugin} ${verb}`, names)}`);
}

/** @throws InvalidRequest */
function checkedArgs({ plugin, verb, args: names = [] }: ContributedCommand, args: readonly string[]): readonly string[] {
  const least = names.filter((name) => !name.startsWith('[')).length;
  const most = names.at(-1)?.includes('...') ? Number.POSITIVE_INFINITY : names.length;
  if (args.length >= least && args.length <= most && !args.includes('')) return args;
  const message = `${plugin} ${verb} takes ${names.length > 0 ? names.join(' ') : 'no arguments'}`;
  throw new InvalidRequest([{ path: ['args'], rule: 'any.invalid', message }]);
}

/** The flags as their schema converts them. @throws InvalidRequest */
function checkedFlags(command: ContributedCommand, given: object): Record<string, unknown> {
  const { plugin, verb, flags } = command;
  const unknown = Object.keys(given).find((name) => !flagsOf(command).some((known) => known.name === name));
  if (unknown !== undefined) {
    const names = flagsOf(command).map(({ name }) => name);
    const message = `${plugin} ${verb} has no flag --${unknown}${didYouMean(unknown, names)}`;
    throw new InvalidRequest([{ path: ['flags', unknown], rule: 'object.unknown', message }]);
  }
  const { error, value = {} } = flags?.validate(given, OF_FLAGS) ?? {};
  if (!error) return value;
  throw new InvalidRequest(
    error.details.map(({ path, type, message }) => ({ path: ['flags', ...path], rule: type, message: `--${message}` })),
  );
}

const OF_FLAGS = { abortEarly: false, errors: { label: 'path', wrap: { label: false } } } as const;
const MOST_EXIT_CODE = 125;

/** For plugins in JavaScript. @throws TypeError */
function checkedResult({ plugin, verb }: ContributedCommand, result: CommandResult): CommandResult {
  const { text, data, exitCode = 0 } = (result ?? {}) as Partial<CommandResult>;
  const isText = Array.isArray(text) && text.every((line) => typeof line === 'string');
  const isCode = Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= MOST_EXIT_CODE;
  if (isText && isCode && typeof data === 'object' && data !== null && !Array.isArray(data)) return result;
  throw new TypeError(
    `the command '${plugin} ${verb}' must return text, a list of lines, data, an object, and no other exitCode than 0 to 125`,
  );
}

import type Joi from 'joi';
import { object, type TypeOf } from '#core';
import type { RunFile } from '../client/run-file.js';
import type { Failure } from '../terminal/failure.js';
import type { VerbCall, VerbResult } from './run-verb.js';

/** The parts of the server that a tool may use. */
export interface ToolContext {
  readonly cwd: string;
  /** The platform that the tools call. @throws NoSandbox */
  platform(): RunFile;
  /** Starts a sandbox in the folder unless one runs there. @returns whether it was started */
  start(flags: VerbCall['flags']): Promise<boolean>;
  /** Runs a verb of the command line against the platform. */
  verb(call: VerbCall): Promise<VerbResult>;
}

/** The response of a tool. */
export interface ToolOutput {
  readonly text: string;
  /** Why the tool did nothing; `text` is then the cause. */
  readonly failure?: Failure['code'];
}

/** A tool of the MCP server. `full` asks for the whole result as JSON instead of the short one. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: Joi.ObjectSchema;
  /** Whether the tool changes nothing; clients may run such tools without asking. */
  readonly isReadOnly: boolean;
  /** Fields that have another name than the flag of the verb, by flag. */
  readonly fieldOfFlag?: Readonly<Record<string, string>>;
  run(input: never, full: boolean, context: ToolContext): Promise<ToolOutput>;
}

interface ToolDefinition<S extends Joi.ObjectSchema> extends Pick<Tool, 'name' | 'description' | 'fieldOfFlag'> {
  readonly isReadOnly?: boolean;
  readonly input?: S;
}

/** A tool that runs a verb of the command line; `call` turns the checked input into its arguments. */
export const verbTool = <S extends Joi.ObjectSchema = Joi.ObjectSchema<object>>(
  { input, isReadOnly = false, ...about }: ToolDefinition<S>,
  call: (input: TypeOf<S>, context: ToolContext) => VerbCall,
): Tool => ({
  ...about,
  isReadOnly,
  input: input ?? object({}),
  async run(given, full, context) {
    const wanted = call(given, context);
    return outputOf(await context.verb({ ...wanted, flags: { ...wanted.flags, json: full } }));
  },
});

/** A tool that calls functions or the admin API. */
export const callTool = <S extends Joi.ObjectSchema>(
  { input, isReadOnly = false, ...about }: ToolDefinition<S> & { readonly input: S },
  run: (input: TypeOf<S>, full: boolean, context: ToolContext) => Promise<ToolOutput>,
): Tool => ({ ...about, isReadOnly, input, run });

/** Failures that come after a report, which then is the result. */
const FINDINGS: ReadonlySet<string> = new Set<Failure['code']>(['timeout', 'coverage', 'snapshots']);
/** The lines that the command line prints for a failure. */
const FAILURE = /^posthorn: ([\s\S]*)\nCode: (\w+)\nTry: .*$/m;

/**
 * The output of a verb. A report with another exit code than 0 is a finding, such as a signature that does not match or a failed test: the
 * tool itself has worked. Without a report, the verb has failed.
 */
export function outputOf({ code, out, err }: VerbResult): ToolOutput {
  const [, cause, failure] = code === 0 ? [] : (FAILURE.exec(err) ?? []);
  const hasReport = FINDINGS.has(failure ?? '') && out !== '';
  if (cause !== undefined && hasReport) return { text: out.startsWith('{') ? out : `${out}\n${cause}` };
  if (cause !== undefined) return { text: cause, failure: failure as Failure['code'] };
  const text = [out, err].filter((part) => part !== '').join('\n');
  if (code === 0) return { text };
  return out === '' ? { text, failure: 'failed' } : { text: `${text}\nexit code ${code}` };
}

/** An error of a verb, with the fields of the tool instead of the flags of the verb: `"on"` for `--on deliveries|api`. */
export function inFields(message: string, { input, fieldOfFlag = {} }: Pick<Tool, 'input' | 'fieldOfFlag'>): string {
  const fields = Object.keys((input.describe() as { readonly keys?: object }).keys ?? {});
  return message.replace(/--([a-z][a-z-]*)(?: [A-Z]+\b)?/g, (flag, name: string) => {
    const wanted = fieldOfFlag[name] ?? name.replaceAll('-', '_');
    const field = fields.find((field) => field === wanted || field === `${wanted}s`);
    return field === undefined ? flag : `"${field}"`;
  });
}

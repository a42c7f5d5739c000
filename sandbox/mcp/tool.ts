import type Joi from 'joi';
import { object, type TypeOf } from '#core';
import type { RunFile } from '../client/run-file.js';
import type { VerbCall, VerbResult } from './run-verb.js';

/** The parts of the server that a tool may use. */
export interface ToolContext {
  readonly cwd: string;
  /** The platform that the tools call. @throws NoSandbox */
  platform(): RunFile;
  /** Starts a sandbox in the folder unless one runs there. Calls after the first find it. */
  start(flags: VerbCall['flags']): Promise<void>;
  /** Runs a verb of the command line against the platform. */
  verb(call: VerbCall): Promise<VerbResult>;
}

/** The response of a tool. */
export interface ToolOutput {
  readonly text: string;
  readonly isError?: boolean;
}

/** A tool of the MCP server. `full` asks for the whole result as JSON instead of the short one. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: Joi.ObjectSchema;
  /** Whether the tool changes nothing; clients may run such tools without asking. */
  readonly isReadOnly: boolean;
  run(input: never, full: boolean, context: ToolContext): Promise<ToolOutput>;
}

interface ToolDefinition<S extends Joi.ObjectSchema> extends Pick<Tool, 'name' | 'description'> {
  readonly isReadOnly?: boolean;
  readonly input?: S;
}

/** A tool that runs a verb of the command line; `call` turns the checked input into its arguments. */
export const verbTool = <S extends Joi.ObjectSchema = Joi.ObjectSchema<object>>(
  { input, isReadOnly = false, ...about }: ToolDefinition<S>,
  call: (input: TypeOf<S>) => VerbCall,
): Tool => ({
  ...about,
  isReadOnly,
  input: input ?? object({}),
  async run(given, full, { verb }) {
    const wanted = call(given);
    return outputOf(await verb({ ...wanted, flags: { ...wanted.flags, json: full } }));
  },
});

/** A tool that calls functions or the admin API. */
export const callTool = <S extends Joi.ObjectSchema>(
  { input, isReadOnly = false, ...about }: ToolDefinition<S> & { readonly input: S },
  run: (input: TypeOf<S>, full: boolean, context: ToolContext) => Promise<ToolOutput>,
): Tool => ({ ...about, isReadOnly, input, run });

/**
 * The output of a verb. A report with another exit code than 0 is a finding, such as a signature that does not match or a failed test: the
 * tool itself has worked. Without a report, the verb was refused.
 */
export function outputOf({ code, out, err }: VerbResult): ToolOutput {
  const isError = code !== 0 && out === '';
  const text = [out, err].filter((part) => part !== '').join('\n');
  return { text: code === 0 || isError ? text : `${text}\nexit code ${code}`, isError };
}

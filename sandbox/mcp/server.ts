import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type Joi from 'joi';
import { boolean, requestSchemaOf } from '#core';
import { findRunFile, NoSandbox, type RunFile } from '../client/run-file.js';
import { type Failure, failureOf } from '../terminal/failure.js';
import { version } from '../version.js';
import { fromSdk } from './load-sdk.js';
import { OwnSandbox } from './own-sandbox.js';
import { prompts } from './prompts.js';
import { resources } from './resources.js';
import { RoleKeys } from './role-keys.js';
import { runVerb, type VerbCall } from './run-verb.js';
import { inFields, type Tool, type ToolOutput } from './tool.js';
import { tools } from './tools/index.js';

/** Short results have at most this many characters. */
const SHORT = 8_000;

const INSTRUCTIONS = [
  'Posthorn is a business-messaging platform; its sandbox runs on this machine without an account.',
  'Call start_sandbox first. send_message acts as a contact and shows what follows. If nothing happens, call explain_why and list_advice.',
  'Results are short; `full: true` returns everything as JSON.',
].join('\n');

export interface McpSurroundings {
  readonly cwd: string;
  /** The platform of the tools; by default the one that commands in the folder find. */
  readonly platform?: RunFile;
  /** The role of the tools; that of the key of the platform if not given. */
  readonly role?: string;
}

const full = boolean().description('Return the whole result as JSON instead of a short one.');
const schemas = new Map<Tool, Joi.ObjectSchema>(tools.map((tool) => [tool, tool.input.keys({ full })]));

/** Creates an MCP server with all tools, resources and prompts. `close` also stops a sandbox that it started. @throws SdkMissing */
export async function createMcpServer({ cwd, platform, role }: McpSurroundings): Promise<Server> {
  const [{ Server }, types] = await Promise.all([
    fromSdk(() => import('@modelcontextprotocol/sdk/server/index.js')),
    fromSdk(() => import('@modelcontextprotocol/sdk/types.js')),
  ]);
  const server = new Server(
    { name: 'posthorn', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  const env = platform ? { ...process.env, POSTHORN_URL: platform.api, POSTHORN_ADMIN_KEY: platform.admin.key } : process.env;
  const own = new OwnSandbox(cwd, env);
  const limited = role === undefined ? undefined : new RoleKeys(role);
  server.onclose = async () => {
    await limited?.remove();
    own.stop();
  };
  const find = async (): Promise<RunFile | undefined> => {
    const run = platform ?? findRunFile(cwd);
    return run && limited ? limited.limited(run) : run;
  };
  /** Commands that tools run find the platform by the environment. */
  const envOf = async (): Promise<NodeJS.ProcessEnv> => {
    const run = limited && (await find());
    return run ? { ...env, POSTHORN_URL: run.api, POSTHORN_ADMIN_KEY: run.admin.key } : env;
  };
  const invalid = (message: string): Error => new types.McpError(types.ErrorCode.InvalidParams, message);

  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: requestSchemaOf(schemas.get(tool)!, { strict: true, hasNulls: false }) as { type: 'object' },
      annotations: { readOnlyHint: tool.isReadOnly },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw invalid(`there is no tool ${params.name}; tools: ${tools.map(({ name }) => name).join(', ')}`);
    return callTool(tool, params.arguments ?? {}, signal);
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: resources().map(({ read: _, ...listed }) => listed),
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const found = resources().find((resource) => resource.uri === uri);
    if (!found) throw invalid(`there is no resource ${uri}; resources/list names them all`);
    const text = await found.read(async (call) => runVerb(call, { cwd, env: await envOf(), signal }));
    return { contents: [{ uri, mimeType: found.mimeType, text }] };
  });
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ text: _, ...listed }) => ({ ...listed, arguments: [...listed.arguments] })),
  }));
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params: { name, arguments: given = {} } }) => {
    const prompt = prompts.find((one) => one.name === name);
    if (!prompt) throw invalid(`there is no prompt ${name}; prompts: ${prompts.map((one) => one.name).join(', ')}`);
    const missing = prompt.arguments.find((one) => one.required && !given[one.name]);
    if (missing) throw invalid(`the prompt ${name} needs the argument ${missing.name}: ${missing.description}`);
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }] };
  });
  return server;

  async function callTool(tool: Tool, given: object, signal: AbortSignal): Promise<CallToolResult> {
    const { error, value } = schemas.get(tool)!.validate(given, { abortEarly: false, convert: false });
    if (error) return refusal(error.message, nextStep('usage', tool));
    const { full: isFull = false, ...input } = value as { full?: boolean };
    const verb = async (call: VerbCall) => runVerb(call, { cwd, env: await envOf(), signal });
    let run = await find();
    try {
      const output = await tool.run(input as never, isFull, {
        cwd,
        platform: () => {
          if (!run) throw new NoSandbox();
          return run;
        },
        start: async (flags) => {
          if (run) return false;
          await own.start(flags);
          run = await find();
          return true;
        },
        verb,
      });
      return output.failure ? refusal(causeOf(output.failure, output.text, tool), nextStep(output.failure, tool)) : result(output, isFull);
    } catch (error) {
      if (signal.aborted) throw error;
      const { message, code } = failureOf(error, 'mcp', undefined, []);
      return refusal(causeOf(code, message, tool), nextStep(code, tool));
    }
  }
}

const causeOf = (code: Failure['code'], message: string, tool: Tool): string =>
  code === 'no_sandbox' ? 'no sandbox is running in this folder' : inFields(message, tool);

function nextStep(code: Failure['code'], { name }: Tool): string {
  if (code === 'no_sandbox' || code === 'unreachable') return 'call start_sandbox, and then this tool again';
  if (code === 'conflict') return `call ${name} with another "name"`;
  return `correct the arguments of ${name} and call it again`;
}

const refusal = (cause: string, next: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: `${cause}\nNext: ${next}.` }],
});

function result({ text }: ToolOutput, isFull: boolean): CallToolResult {
  const isCut = !isFull && text.length > SHORT;
  const shown = isCut ? `${text.slice(0, SHORT)}\n… ${text.length - SHORT} more characters; "full": true returns everything` : text;
  return { content: [{ type: 'text', text: shown || 'Done; there is nothing to show.' }] };
}

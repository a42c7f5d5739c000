import { type Call, makeCall, SandboxRefused } from '../client/admin-client.js';
import { requireRun } from '../client/run-file.js';
import { environmentOf, statusOf } from '../client/status.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { readInput } from '../terminal/input-files.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const JSON_TYPE = 'application/json';
/** Below it are the routes of the admin API. */
const ADMIN = '/admin/v1';

const flags = {
  body: text('FILE', 'send the bytes of this file; -: standard input'),
  type: text('TYPE', `the content type of the body (default ${JSON_TYPE})`),
  number: text('NUMBER', 'paths that begin with /v1/: use the token of this number (default: the first channel)'),
  json: toggle('print status and body as one line of JSON'),
};

export const api: Command = {
  summary: 'makes a call of the admin API or, with the token of a number, of the API',
  usage: 'api METHOD PATH [JSON] [flags]',
  examples: ['api GET /numbers', `api PATCH /webhooks/UUID '{"enabled":false}'`, 'api GET /v1/flows --number +27600000001'],
  notes: [
    'PATH is that of a route in the API reference. A path of the admin API may begin with /admin/v1 or',
    'not; one that begins with /v1/ is a call of the API.',
    'The response is printed. An error response is a failure: with --json, its body is printed too.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const call = callOf(positionals, values.body === undefined ? undefined : readInput(values.body, terminal.cwd), values.type);
    const run = requireRun(terminal.cwd);
    const isAdmin = !call.path.startsWith('/v1/');
    if (isAdmin && values.number !== undefined) throw new UsageError('--number needs a path that begins with /v1/');
    const key = isAdmin ? run.admin.key : environmentOf(await statusOf(run), values.number).POSTHORN_TOKEN;
    if (key === undefined) throw new UsageError('no token is known for this platform; it knows those of its seed only');
    const { status, body } = await makeCall(isAdmin ? run.admin.url : run.api, key, call).catch(withBody);
    const read = parsed(body);
    if (values.json) terminal.out(JSON.stringify({ v: 1, status, body: read ?? body }));
    else if (body !== '') terminal.out(read === undefined ? body : JSON.stringify(read, null, 2));
    return exit.ok;
  },
};

function withBody(error: unknown): never {
  if (!(error instanceof SandboxRefused)) throw error;
  const { message, status, body } = error;
  throw new CommandFailed(message, { code: 'refused', result: { status, body: parsed(body) ?? body } });
}

/** @throws UsageError */
function callOf(positionals: readonly string[], file: Buffer | undefined, type = JSON_TYPE): Call {
  const [given, path, json, ...more] = positionals;
  const method = METHODS.find((known) => known === given?.toUpperCase());
  if (!method || path === undefined) throw new UsageError(`api takes a method (${METHODS.join(', ')}) and a path, such as GET /numbers`);
  if (!path.startsWith('/')) throw new UsageError(`a path begins with /, so not '${path}'`);
  if (more.length > 0) throw new UsageError(`api takes one body, so '${more[0]}' is too many; quote JSON as one word`);
  if (json !== undefined && file) throw new UsageError('api takes a body as JSON or with --body, but not both');
  if (json !== undefined && parsed(json) === undefined) throw new UsageError(`the body is not JSON: ${json}`);
  const body = file ?? (json === undefined ? undefined : Buffer.from(json));
  if (body && method === 'GET') throw new UsageError('a call with GET has no body');
  return { method, path: path.startsWith(`${ADMIN}/`) ? path.slice(ADMIN.length) : path, ...(body && { body, type }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

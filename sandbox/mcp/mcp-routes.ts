import {
  adminKeyCheck,
  anyValue,
  bearerText,
  type Call,
  Forbidden,
  MethodNotAllowed,
  type Route,
  route,
  Unauthorized,
  Unavailable,
} from '#core';
import { SdkMissing } from './load-sdk.js';

const PATH = '/mcp';
/** The permission that keys need. */
const LOCAL_TOOLS = 'tests.run';
const MAX_BYTES = 5 * 1024 * 1024;

/** The API of the sandbox, and its admin key. */
export interface McpAccess {
  readonly api: string;
  readonly adminKey: string;
}

/**
 * MCP over streamable HTTP, without sessions: each request has its own server, and its response is JSON. Calls need the admin key, or
 * another key of the admin API: tools may do what the roles of the key allow. The platform refuses pages of other origins before.
 */
export const mcpRoutes = (access: () => McpAccess): Route[] => [
  route({
    method: 'POST',
    path: PATH,
    auth: 'none',
    bucket: 'none',
    shards: 'process',
    // An agent that sets a rule must be able to delete it again.
    ignoresFaults: true,
    keepsNothing: true,
    maxBytes: MAX_BYTES,
    body: 'bytes',
    summary: 'Serves MCP, the Model Context Protocol, to coding agents. Needs the admin key.',
    responses: { 200: anyValue(), 202: anyValue() },
    errors: [401, 403, 503],
    async handler({ payload, headers, request }, h) {
      const { api } = access();
      const key = await keyOf(request, access());
      const { respond } = await import('./respond.js');
      const stopped = new AbortController();
      request.raw.res.once('close', () => stopped.abort());
      try {
        const admin = { url: `${api}/admin/v1`, key };
        const { status, body, type } = await respond(
          { url: `${api}${PATH}`, headers, body: payload as Uint8Array },
          { cwd: process.cwd(), platform: { pid: process.pid, startedAt: '', api, admin } },
          stopped.signal,
        );
        const response = h.response(body).code(status);
        return type === null ? response : response.type(type);
      } catch (error) {
        throw error instanceof SdkMissing ? new Unavailable(error.message, 5, 'mcp_sdk_missing') : error;
      }
    },
  }),
  route({
    method: 'GET',
    path: PATH,
    auth: 'none',
    bucket: 'none',
    shards: 'process',
    ignoresFaults: true,
    summary: 'Responds with 405: this MCP server sends no messages of its own.',
    responses: { 200: anyValue() },
    errors: [401, 403, 405],
    async handler({ request }) {
      await keyOf(request, access());
      throw new MethodNotAllowed('GET', PATH, ['POST']);
    },
  }),
];

/** The key of a call, whose roles its tools have. @throws Unauthorized without a valid key of the admin API */
async function keyOf(request: Call['request'], { api, adminKey }: McpAccess): Promise<string> {
  const text = bearerText(request);
  if (!text) throw new Unauthorized('MCP needs the admin key: send the header Authorization: Bearer <admin key>');
  if (adminKeyCheck(adminKey)(text)) return text;
  const answer = await fetch(`${api}/admin/v1/me`, { headers: { authorization: `Bearer ${text}` } });
  if (answer.status !== 200) throw new Unauthorized('The admin key is not valid');
  const { operator, permissions } = (await answer.json()) as { operator: { accounts: string[] | null }; permissions: string[] };
  // Some tools read and write files of this server.
  if (operator.accounts !== null || !permissions.includes(LOCAL_TOOLS))
    throw new Forbidden(
      `MCP over HTTP needs a key of all accounts with the permission ${LOCAL_TOOLS}; others use: posthorn mcp --role viewer`,
    );
  return text;
}

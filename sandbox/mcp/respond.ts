import { fromSdk } from './load-sdk.js';
import { createMcpServer, type McpSurroundings } from './server.js';

interface McpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

interface McpResponse {
  readonly status: number;
  readonly body: string;
  readonly type: string | null;
}

/** Passes one POST to an MCP server of its own. `signal` ends the tools that still run. @throws SdkMissing */
export async function respond(
  { url, headers, body }: McpRequest,
  surroundings: McpSurroundings,
  signal: AbortSignal,
): Promise<McpResponse> {
  const { WebStandardStreamableHTTPServerTransport: Transport } = await fromSdk(
    () => import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  );
  const server = await createMcpServer(surroundings);
  const close = (): void => void server.close();
  signal.addEventListener('abort', close);
  try {
    const transport = new Transport({ enableJsonResponse: true });
    await server.connect(transport);
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await Promise.race([
      transport.handleRequest(new Request(url, { method: 'POST', headers: given, body: body as Uint8Array<ArrayBuffer> })),
      // The client has gone, so nothing reads this response, and the transport would never give one.
      new Promise<Response>((resolve) => signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })))),
    ]);
    return { status: response.status, body: await response.text(), type: response.headers.get('content-type') };
  } finally {
    signal.removeEventListener('abort', close);
    await server.close();
  }
}

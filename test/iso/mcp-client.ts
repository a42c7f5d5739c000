import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');

/** Starts `posthorn mcp` in a folder, as an agent does, and connects the SDK's own client. */
export async function connectStdio(t: Tap, cwd: string): Promise<{ client: Client; pid: number }> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp'],
    cwd,
    env: { PATH: process.env.PATH ?? '' },
  });
  await client.connect(transport);
  t.teardown(() => client.close());
  return { client, pid: transport.pid! };
}

export interface Called {
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool. @returns its text */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const result = (await client.callTool({ name, arguments: args }, undefined, { timeout: patient(60_000) })) as CallToolResult;
  const [part] = result.content;
  return { text: part?.type === 'text' ? part.text : '', isError: result.isError ?? false };
}

import { once } from 'node:events';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  role: text('ROLE', 'limit the tools to this role, such as viewer (default: that of the admin key)'),
  json: toggle('print the names of tools, resources and prompts as one line of JSON, and end'),
};

export const mcp: Command = {
  summary: 'serves the sandbox to coding agents over MCP, on standard input and output',
  usage: 'mcp [flags]',
  examples: ['mcp', 'mcp --role viewer', 'mcp --json'],
  notes: [
    'Configure it in your agent as a stdio server, in the folder of your project:',
    '  npx posthorn mcp',
    'A running sandbox also serves MCP over HTTP at /mcp, with the admin key as bearer token.',
    'Needs the package @modelcontextprotocol/sdk: npm install -D @modelcontextprotocol/sdk',
    'Exit codes: 0 the client closed the connection, 1 the package is missing, 2 wrong usage.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`mcp takes flags only, not '${positionals[0]}'`);
    const [{ createMcpServer }, { fromSdk }] = await Promise.all([import('../mcp/server.js'), import('../mcp/load-sdk.js')]);
    if (values.json) {
      const [{ tools }, { resources }, { prompts }] = await Promise.all([
        import('../mcp/tools/index.js'),
        import('../mcp/resources.js'),
        import('../mcp/prompts.js'),
      ]);
      const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);
      const uris = resources().map(({ uri }) => uri);
      terminal.out(JSON.stringify({ v: 1, tools: names(tools), resources: uris, prompts: names(prompts) }));
      return exit.ok;
    }
    const server = await createMcpServer({ cwd: terminal.cwd, ...(values.role !== undefined && { role: values.role }) });
    const { StdioServerTransport } = await fromSdk(() => import('@modelcontextprotocol/sdk/server/stdio.js'));
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
    process.stdin.on('end', () => stop.abort()).on('close', () => stop.abort());
    await server.connect(new StdioServerTransport());
    if (process.stdin.isTTY) terminal.err('Waiting for an MCP client on standard input; press Ctrl-C to stop.');
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    await server.close();
    return exit.ok;
  },
};

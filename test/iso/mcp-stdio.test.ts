import t from 'tap';
import { onlyLong } from '../forms.js';
import { call, connectStdio } from './mcp-client.js';
import { newFolder, posthorn, silence } from './posthorn-process.js';

t.test('an agent starts a sandbox, talks to it, and reads what followed', async (t) => {
  const { client } = await connectStdio(t, newFolder(t));
  const without = await call(client, 'list_deliveries');
  t.match(without, { isError: true, text: /no sandbox is running[\s\S]*Next: call start_sandbox/ });

  const started = await call(client, 'start_sandbox', { port: 0 });
  t.match(started, { isError: false, text: /API +http:\/\/127\.0\.0\.1:\d+\/v1/ });
  const again = JSON.parse((await call(client, 'start_sandbox', { full: true })).text);
  t.ok(started.text.includes(again.api), 'the second call finds the same sandbox');
  t.match(await call(client, 'start_sandbox', { clock: 'manual' }), { isError: false, text: /already running, so clock had no effect/ });

  const sent = await call(client, 'send_message', { text: 'hi', wait: 60 });
  t.match(sent, { isError: false, text: /Welcome to the Riverside Library[\s\S]*signature ok/ });
  const listed = await call(client, 'read_conversations');
  t.match(listed, { isError: false, text: /^[0-9a-f-]{36} .*Sam \(\+27611111111\) {2}◀ Welcome/m });
  const [conversation] = /[0-9a-f-]{36}/.exec(listed.text)!;
  t.match(await call(client, 'read_conversations', { conversation }), { isError: false, text: /▶ hi\n◀ Welcome/ });
  const deliveries = await call(client, 'list_deliveries', { state: 'delivered', full: true });
  t.ok(JSON.parse(deliveries.text).deliveries.length > 0);
  await client.close();
  await silence(again.api);
});

/** Lets imports of the SDK fail as they do where it is not installed. */
const HOOK = `export const resolve = (specifier, context, next) => {
  if (!specifier.startsWith('@modelcontextprotocol/')) return next(specifier, context);
  throw Object.assign(new Error("Cannot find package '@modelcontextprotocol/sdk'"), { code: 'ERR_MODULE_NOT_FOUND' });
};`;
const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

t.test('without the package, everything else works, and an error has the command that installs it', { skip: onlyLong }, async (t) => {
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(HOOK))});`;
  const env = { NODE_OPTIONS: `--import ${dataUrl(register)}` };
  const folder = newFolder(t);
  const mcp = posthorn(t, folder, ['mcp'], env);
  t.equal(await mcp.ended, 1);
  t.match(mcp.err(), /npm install -D @modelcontextprotocol\/sdk/);
  t.equal(mcp.out(), '');
  const sandbox = posthorn(t, folder, ['sandbox', '--port', '0', '--json'], env);
  const { api, admin } = JSON.parse(await sandbox.printed(/^\{"ready":true.*\n/));
  const response = await fetch(`${api}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${admin.key}` }, body: '{}' });
  t.equal(response.status, 503);
  t.match(await response.text(), /npm install -D @modelcontextprotocol\/sdk/);
});

import t from 'tap';
import { call, connectStdio } from './mcp-client.js';
import { newFolder } from './posthorn-process.js';

t.test('an agent starts a sandbox, talks to it, and reads what followed', async (t) => {
  const { client } = await connectStdio(t, newFolder(t));
  const without = await call(client, 'list_deliveries');
  t.match(without, { isError: true, text: /no sandbox is running[\s\S]*Next: call start_sandbox/ });

  const started = await call(client, 'start_sandbox', { port: 0 });
  t.match(started, { isError: false, text: /API +http:\/\/127\.0\.0\.1:\d+\/v1/ });
  const again = JSON.parse((await call(client, 'start_sandbox', { full: true })).text);
  t.ok(started.text.includes(again.api), 'the second call finds the same sandbox');

  const sent = await call(client, 'send_message', { text: 'hi', wait: 60 });
  t.match(sent, { isError: false, text: /Welcome to the Riverside Library[\s\S]*signature ok/ });
  const listed = await call(client, 'read_conversations');
  t.match(listed, { isError: false, text: /^[0-9a-f-]{36} .*\+27611111111 {2}◀ Welcome/m });
  const [conversation] = /[0-9a-f-]{36}/.exec(listed.text)!;
  t.match(await call(client, 'read_conversations', { conversation }), { isError: false, text: /▶ hi\n◀ Welcome/ });
  const deliveries = await call(client, 'list_deliveries', { state: 'delivered', full: true });
  t.ok(JSON.parse(deliveries.text).deliveries.length > 0);
});

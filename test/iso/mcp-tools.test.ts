import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t, { type Test } from 'tap';
import { SECRET, startConnector } from '../conform/connector-subject.js';
import { onlyLong, sampled } from '../forms.js';
import { call, connectStdio } from './mcp-client.js';
import { newFolder, startHere } from './posthorn-process.js';

const footer = { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: {} } };
const flowOf = (heading: object): string =>
  JSON.stringify({
    version: '7.3',
    screens: [{ id: 'ONE', terminal: true, layout: { type: 'SingleColumnLayout', children: [heading, footer] } }],
  });
const [goodFlow, badFlow] = [flowOf({ type: 'TextHeading', text: 'Hello' }), flowOf({ type: 'TextHeadin', text: 'Hello' })];
const notebook = (code: string): string => `# Hours\n\n\`\`\`stack\ntrigger(on: "MESSAGE RECEIVED")\n\n${code}\n\`\`\`\n`;
const goodJourney = notebook('card Start do\n  text("We are open.")\nend');
const badJourney = notebook('card Start, then: Nowhere do\n  text("We are open.")\nend');
const TEST = `journey: hours.md
tests:
  - name: says the hours
    steps:
      - say: hi
        expect: { text: We are open. }
`;

/** One sandbox serves all tests: over HTTP, and to the server that an agent starts in its folder. */
const folder = newFolder(t);
writeFileSync(join(folder, 'hours.md'), goodJourney);
writeFileSync(join(folder, 'hours.test.yaml'), TEST);
const ready = await startHere(t, folder);
const { client: stdio } = await connectStdio(t, folder);

/** The arguments of a tool, and what it shows. */
interface Case {
  readonly good: Record<string, unknown>;
  readonly shows: RegExp;
  readonly bad: Record<string, unknown>;
  readonly says: RegExp;
}

t.test('each tool works, and refuses wrong input with the cause and the next step', async (t) => {
  const http = await connectHttp(t, ready);
  // Over HTTP the tools work in the folder of the process.
  const project = process.cwd();
  process.chdir(folder);
  t.teardown(() => process.chdir(project));
  const [channel] = ready.channels;
  const { token } = ready.numbers.find(({ uuid }) => uuid === channel!.uuid)!;
  const connector = await startConnector(t, { api: ready.api, channel: channel!.uuid, token });
  const { deliveries } = await firstMessage(stdio);
  const delivery = deliveries[0]!.uuid;
  const unknown = '00000000-0000-4000-8000-000000000000';
  const cases: Record<string, Case> = {
    start_sandbox: { good: {}, shows: new RegExp(ready.api), bad: { clock: 'fast' }, says: /"clock" must be one of/ },
    send_message: {
      good: { text: 'menu', from: '+27600000123', wait: 60 },
      shows: /▶ \+27600000123 {2}menu/,
      bad: {},
      says: /must contain at least one of/,
    },
    read_conversations: { good: {}, shows: /Welcome to the Riverside/, bad: { conversation: unknown }, says: /404/ },
    list_deliveries: { good: { state: 'delivered' }, shows: /msgapp/, bad: { webhook: unknown }, says: /not found/ },
    show_delivery: { good: { delivery }, shows: /signature/i, bad: { delivery: unknown }, says: /404/ },
    list_calls: { good: { limit: 1 }, shows: /\/v1\//, bad: { id: 'none' }, says: /call none not found/ },
    list_advice: { good: {}, shows: /./, bad: { newest: true }, says: /"newest" is not allowed/ },
    explain_why: { good: {}, shows: /./, bad: { about: 'unknown' }, says: /unknown not found/ },
    sign_body: {
      good: { body: '{"a":1}', secret: 'secret' },
      shows: /^qp4uNXX11wmLbKzNeQiIw21f22M0KnO62i1qUXR6hJQ=$/,
      bad: { body: '{}' },
      says: /"secret" is required/,
    },
    verify_signature: {
      good: { signature: 'x', delivery },
      shows: /does not match/,
      bad: { signature: 'x' },
      says: /must contain at least one of/,
    },
    move_clock: { good: { action: 'now' }, shows: /^\d{4}-/, bad: { action: 'advance' }, says: /"to" is required for "advance"/ },
    set_faults: {
      good: { action: 'add', on: 'deliveries', status: 500, match: { webhook: channel!.webhook.uuid } },
      shows: /500/,
      bad: { action: 'add' },
      says: /"on" is required for "add"/,
    },
    validate_flow: { good: { definition: goodFlow }, shows: /0 errors/, bad: { definition: 1 }, says: /must be a string/ },
    push_flow: { good: { name: 'hello', definition: goodFlow }, shows: /hello/, bad: { definition: goodFlow }, says: /"name" is required/ },
    lint_journey: { good: { source: goodJourney }, shows: /0 errors/, bad: {}, says: /"source" is required/ },
    put_journey: {
      good: { name: 'Hours', source: goodJourney, publish: true },
      shows: /Hours/,
      bad: { name: 'Hours', source: goodJourney, number: 'web:none' },
      says: /number web:none not found/,
    },
    simulate_journey: {
      good: { source: goodJourney, inputs: ['hi'] },
      shows: /We are open/,
      bad: { journey: 'None' },
      says: /journey 'None' not found/,
    },
    run_tests: { good: {}, shows: /1 passed/, bad: { files: ['../other'] }, says: /is outside/ },
    record_test: {
      good: { file: 'recorded.test.yaml', name: 'welcomes the contact' },
      shows: /The test is in recorded\.test\.yaml/,
      bad: { file: '../other.test.yaml' },
      says: /is outside/,
    },
    run_conformance: {
      good: {
        ...{ kind: 'connector', url: connector, secret: SECRET, drive: `${connector}/drive`, channel: channel!.uuid, token },
        only: ['C-01', 'C-05', 'C-30'],
      },
      shows: /C-01[\s\S]*3 passed, 0 failed, 0 skipped/,
      bad: { kind: 'webhook', url: connector },
      says: /"secret" is required for "webhook"/,
    },
  };
  const { tools } = await stdio.listTools();
  t.strictSame(tools.map(({ name }) => name).sort(), Object.keys(cases).sort(), 'every tool has a case');
  for (const { name, inputSchema } of tools)
    t.match(inputSchema, { type: 'object', additionalProperties: false, properties: { full: {} } }, name);
  // Most calls start a process. The transports do not depend on the tool, so each tool gets one call over each of them.
  for (const [i, [name, { good, shows, bad, says }]] of sampled(Object.entries(cases), 6).entries()) {
    const [first, second] = i % 2 === 0 ? [stdio, http] : [http, stdio];
    t.match(await call(first, name, good), { isError: false, text: shows }, `${name}: good input`);
    const refused = await call(second, name, bad);
    t.match(refused, { isError: true, text: says }, `${name}: bad input`);
    t.match(refused.text, /\nNext: \S.+\.$/, `${name}: next step`);
    t.notMatch(refused.text, /--[a-z]/, `${name}: no flags`);
  }
  await t.test('files outside the folder are neither read nor written', async (t) => {
    const outside = newFolder(t);
    symlinkSync(outside, join(folder, 'link'));
    t.match(await call(http, 'send_message', { document: '/etc/hosts' }), { isError: true, text: /is outside/ });
    t.match(await call(http, 'simulate_journey', { journey: '/etc/hosts' }), { isError: true, text: /is outside/ });
    t.match(await call(http, 'record_test', { file: 'link/new.test.yaml' }), { isError: true, text: /is outside/ });
    t.strictSame(readdirSync(outside), []);
  });
  await t.test('fault rules of the API leave MCP alone, so that a caller can delete them again', async (t) => {
    t.match(await call(http, 'set_faults', { action: 'add', on: 'api', status: 503, times: 1_000 }), { isError: false });
    const { api, numbers } = ready;
    const client = await fetch(`${api}/v1/media/none`, { headers: { authorization: `Bearer ${numbers[0]!.token}` } });
    t.equal(client.status, 503, 'the rule acts on clients');
    t.match(await call(http, 'list_advice', {}), { isError: false });
    t.match(await call(http, 'set_faults', { action: 'remove', all: true }), { isError: false });
  });
  await t.test('results are whole on request, and findings are results', { skip: onlyLong }, async (t) => {
    t.match(JSON.parse((await call(http, 'move_clock', { action: 'now', full: true })).text), { v: 1, mode: 'real' });
    t.match(await call(http, 'validate_flow', { definition: badFlow }), { isError: false, text: /did you mean 'TextHeading'/ });
    t.match(await call(http, 'lint_journey', { source: badJourney }), { isError: false, text: /Nowhere/ });
    t.match(await call(http, 'send_message', { text: '--json' }), { isError: false, text: /--json/ }, 'a text is never a flag');
  });
});

async function firstMessage(client: Client): Promise<{ deliveries: { uuid: string }[] }> {
  await call(client, 'send_message', { text: 'hi', wait: 60 });
  return JSON.parse((await call(client, 'list_deliveries', { full: true })).text);
}

interface Access {
  readonly api: string;
  readonly admin: { readonly key: string };
}

async function connectHttp(t: Test, { api, admin }: Access): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${admin.key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api}/mcp`), { requestInit: { headers } }));
  t.teardown(() => client.close());
  return client;
}

t.test('only callers with the admin key, and no pages of other origins, reach MCP over HTTP', async (t) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const post = (headers: Record<string, string>, method = 'POST') =>
    fetch(`${ready.api}/mcp`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(method === 'POST' && { body }),
    });
  const key = { authorization: `Bearer ${ready.admin.key}` };
  t.equal((await post(key)).status, 200);
  t.equal((await post({ ...key, origin: ready.api })).status, 200);
  t.equal((await post({ ...key, origin: 'http://evil.example' })).status, 403);
  const without = await post({});
  t.equal(without.status, 401);
  t.match(await without.text(), /MCP needs the admin key/);
  t.equal((await post({ authorization: 'Bearer pha_other' })).status, 401);
  t.equal((await post({ authorization: `Bearer ${ready.numbers[0]!.token}` })).status, 401, 'a token of a number is no key');
  t.equal((await post(key, 'GET')).status, 405);
});

t.test('resources are the pages, the OpenAPI documents and the tables; prompts have their arguments', async (t) => {
  const client = stdio;
  const { resources } = await client.listResources();
  const read = async (uri: string): Promise<string> => {
    const [content] = (await client.readResource({ uri })).contents;
    return content && 'text' in content ? content.text : '';
  };
  t.equal(await read('posthorn://pages/plugins/webhooks/README.md'), readFileSync('plugins/webhooks/README.md', 'utf8'));
  t.match(await read('posthorn://blocks'), /MobilePrimitives/);
  t.match(await read('posthorn://functions'), /has_text/);
  t.match(JSON.parse(await read('posthorn://openapi')), { openapi: '3.1.0', paths: { '/v1/messages': {} } });
  t.match(JSON.parse(await read('posthorn://openapi/admin')), { openapi: '3.1.0' });
  for (const { uri } of resources.filter(({ mimeType }) => mimeType === 'text/markdown')) t.ok((await read(uri)).length > 50, uri);
  await t.rejects(client.readResource({ uri: 'posthorn://pages/package.json' }), /there is no resource/);

  const { prompts } = await client.listPrompts();
  t.strictSame(
    prompts.map(({ name }) => name),
    ['write_connector', 'debug_webhook', 'conversation_to_test'],
  );
  const { messages } = await client.getPrompt({ name: 'write_connector', arguments: { service: 'Telegram' } });
  t.match(messages, [{ role: 'user', content: { type: 'text', text: /between Telegram and Posthorn in connector/ } }]);
  await t.rejects(client.getPrompt({ name: 'write_connector' }), /needs the argument service/);
});

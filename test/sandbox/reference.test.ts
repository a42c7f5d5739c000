import t from 'tap';
import { startPlatform, type Tap } from '#core/testing';
import { startSandbox } from '../../sandbox/compose.js';
import { html, jsonText, prose } from '../../sandbox/reference/html.js';
import type { OpenApi } from '../../sandbox/reference/open-api.js';
import { pageOf } from '../../sandbox/reference/page.js';
import { builtPage } from '../../sandbox/reference/pages.js';
import { describedPlugins } from '../../sandbox/server/described-plugins.js';
import { everyPlugin } from '../../scripts/docs/everything.js';

const MOST_BYTES = 620_000;
const sandbox = await startSandbox({ seed: 'empty' });
t.teardown(() => sandbox.stop());

t.test('a sandbox serves both pages of its reference, which together have at most 620 kB', async (t) => {
  const { api } = sandbox;
  let bytes = 0;
  for (const path of ['/docs', '/docs/admin']) {
    const response = await fetch(`${api}${path}`);
    t.equal(response.status, 200);
    t.match(response.headers.get('content-type'), /^text\/html/);
    bytes += (await response.arrayBuffer()).byteLength;
  }
  t.ok(bytes > 100_000 && bytes <= MOST_BYTES, `${bytes} bytes`);
});

t.test('a page has the address under which its server was called, or the public one', async (t) => {
  const named = await startSandbox({ seed: 'empty', console: false, trustedHosts: ['desk.example'] });
  t.teardown(() => named.stop());
  const { server } = named;
  const get = async (path: string, headers: Record<string, string>, from = server) =>
    String((await from.inject({ url: path, headers })).payload);
  const hosts = ['127.0.0.1:4711', 'desk.example', '[::1]:8080'];
  for (const path of ['/docs', '/docs/admin']) {
    for (const host of hosts) {
      const page = await get(path, { host });
      t.match(page, `Base URL: <code id="base">http://${host}</code>`);
      const calls = page.match(/<pre>curl (-X \w+ )?"\S+/g)!;
      t.ok(calls.length > 40 && calls.every((call) => call.includes(`"http://${host}/`)), `${calls.length} calls to ${host}`);
      t.notMatch(page, '127.0.0.1:4100');
    }
    for (const host of ['$(id)', '"><img src=x>', '`id`', 'evil.example'])
      t.equal((await server.inject({ url: path, headers: { host } })).statusCode, 403, `no page for ${host}`);
    t.notMatch(await get(path, {}), /(href|src)="?\//, 'links work below a prefix');
  }
  const behind = await startSandbox({ seed: 'empty', console: false, options: { publicUrl: 'https://desk.example/chat/' } });
  t.teardown(() => behind.stop());
  const page = await get('/docs', { host: '127.0.0.1:80' }, behind.server);
  t.match(page, '<html lang="en" data-public>');
  t.match(page, '<pre>curl "https://desk.example/chat/v1/messages"');
  const etags = await Promise.all(hosts.map(async (host) => (await server.inject({ url: '/docs', headers: { host } })).headers.etag));
  t.equal(new Set(etags).size, hosts.length, 'a cache keeps one page per address');
});

t.test('a page that has not changed is not sent again', async (t) => {
  const { api } = sandbox;
  const first = await fetch(`${api}/docs`);
  const etag = first.headers.get('etag')!;
  t.equal(first.headers.get('cache-control'), 'no-cache');
  t.equal((await fetch(`${api}/docs`, { headers: { 'if-none-match': etag } })).status, 304);
  t.equal((await fetch(`${api}/docs`, { headers: { 'if-none-match': '"another"' } })).status, 200);
});

t.test('the policy of a page lets nothing run but its own style and script, and nothing load', async (t) => {
  const { api } = sandbox;
  const response = await fetch(`${api}/docs`);
  const policy = response.headers.get('content-security-policy')!;
  t.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src data:; connect-src 'self';/);
  t.notMatch(policy, /unsafe|https?:|\*/);
  const page = await response.text();
  t.equal(page.match(/<script/g)?.length, 1);
  t.notMatch(page, /<[^>]* (style|on\w+|src)=/, 'nothing inline but what has a hash');
});

t.test('a platform in a server of the host application has no such page', async (t) => {
  const { call } = await startPlatform(t, { plugins: await everyPlugin() });
  t.equal((await call('GET', '/docs')).status, 404);
});

/** The documents of a platform with everything that a sandbox has. */
async function documents(t: Tap): Promise<readonly (readonly [name: 'api' | 'admin', document: OpenApi])[]> {
  const { platform } = await startPlatform(t, { plugins: describedPlugins(), publicUrl: 'http://127.0.0.1:4100' });
  const both = (['api', 'admin'] as const).map(
    async (name) => [name, JSON.parse(JSON.stringify(await platform.openApi(name))) as OpenApi] as const,
  );
  return Promise.all(both);
}

const idsIn = (page: string): string[] => [...page.matchAll(/ id="?([^\s">]+)/g)].map(([, id]) => id!);
const linksIn = (page: string): string[] => [...page.matchAll(/ href="?#([^\s">]+)/g)].map(([, id]) => id!);

t.test('the built pages show every operation, webhook, schema and error of the documents', async (t) => {
  for (const [name, { paths, webhooks = {}, components }] of await documents(t)) {
    const page = builtPage(name);
    const ids = new Set(idsIn(page));
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    t.ok(operations.length > 30);
    for (const { operationId } of operations) t.ok(ids.has(operationId), operationId);
    for (const id of Object.keys(webhooks)) t.ok(ids.has(id), id);
    for (const schema of Object.keys(components.schemas)) t.ok(ids.has(`schema-${schema}`), schema);
    const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses)).filter((status) => /^[45]/.test(status)));
    for (const status of statuses) t.ok(ids.has(`e${status}`), status);
  }
});

t.test('every link of a page leads somewhere, and no id occurs twice', (t) => {
  for (const name of ['api', 'admin'] as const) {
    const page = builtPage(name);
    const ids = idsIn(page);
    t.equal(new Set(ids).size, ids.length);
    t.strictSame(
      [...new Set(linksIn(page))].filter((id) => !ids.includes(id)),
      [],
    );
  }
  t.end();
});

t.test('an operation shows how to call it, its fields, their conditions and examples of every kind', (t) => {
  const page = builtPage('api');
  const articleOf = (id: string) => new RegExp(`<article id=${id}>[\\s\\S]*?</article>`).exec(page)![0];
  const send = articleOf('postV1Messages');
  t.match(send, 'curl "http://127.0.0.1:4100/v1/messages"');
  t.match(send, '-H "authorization: Bearer $POSTHORN_TOKEN"');
  t.match(send, 'if <code>type</code> is <code>sticker</code>');
  t.match(send, '<a href=#schema-StickerContent>StickerContent</a>');
  t.match(send, '<summary>Example: list</summary>');
  t.match(articleOf('schema-NewMessage'), '<a href=#postV1Messages>POST /v1/messages</a>');
  t.match(articleOf('getV1ContactsContactMessages'), '<td>limit?<td>integer<td>Query. 1 to 50');
  t.match(articleOf('messageStatus'), '<td>X-Svc-Hook-Signature<td>string<td>Header. Base64');
  t.match(articleOf('outboundMessage'), '<a href=#schema-ConnectorAnswer>ConnectorAnswer</a>');
  t.match(articleOf('schema-ImageContent'), 'exactly one of <code>id</code>, <code>link</code>');
  t.end();
});

t.test('errors that every operation has are listed once', (t) => {
  const page = builtPage('admin');
  t.match(page, /Any call may also get one of the errors (<a href=#e\d+>\d+<\/a> )*<a href=#e503>503<\/a>/);
  const errors = [...page.matchAll(/^<p>Errors: .*$/gm)].map(([text]) => text);
  t.ok(errors.length > 100);
  t.notOk(errors.some((text) => text.includes('503')));
  t.ok(errors.some((text) => text.includes(' 404 ')));
  t.end();
});

t.test('what a document says is text on a page, and never HTML', (t) => {
  const evil = '<img src=x onerror="alert(1)">&</pre>`<b>`';
  const answers = {
    200: {
      description: evil,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { [evil]: { type: evil, description: evil, pattern: evil, enum: [evil], default: evil } } },
          example: { [evil]: evil },
        },
      },
    },
  };
  const document = {
    info: { title: evil, version: evil },
    servers: [{ url: evil }],
    tags: [{ name: evil }],
    paths: { [`/${evil}`]: { get: { operationId: evil, summary: evil, tags: [evil], security: [], responses: answers } } },
    webhooks: { [evil]: { post: { operationId: evil, summary: evil, description: evil, tags: [evil], security: [], responses: answers } } },
    components: { schemas: { [evil]: { type: 'string', description: evil } }, securitySchemes: {} },
  } as unknown as OpenApi;
  const page = pageOf('api', document, { style: '', script: '' });
  t.notMatch(page, '<img');
  t.notMatch(page, '<b>');
  t.notMatch(page, /<[a-z][^>]*\sonerror="/);
  t.end();
});

t.test('text is escaped, lists are joined, and what is not there is not written', (t) => {
  t.equal(
    String(html`<p title="${'"a"'}">${['<', html`<i>&amp;</i>`, undefined, false]}${0}</p>`),
    '<p title="&quot;a&quot;">&lt;<i>&amp;</i>0</p>',
  );
  t.equal(String(prose('a `<b>` "c"')), 'a <code>&lt;b&gt;</code> "c"');
  t.equal(jsonText({ a: [1, { b: 'c' }], d: {} }), '{ "a": [1, { "b": "c" }], "d": {} }');
  const long = { text: 'x'.repeat(80), list: [] };
  t.strictSame(JSON.parse(jsonText(long)), long);
  t.match(jsonText(long), /^\{\n {2}"text": "x+",\n {2}"list": \[\]\n\}$/);
  t.end();
});

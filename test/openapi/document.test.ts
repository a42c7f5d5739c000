import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { startPlatform } from '#core/testing';
import { openapi } from '../../sandbox/commands/openapi.js';
import { everyPlugin } from '../../scripts/docs/everything.js';
import { onlyLong } from '../forms.js';
import { bothDocuments, examplesOf, type MediaType } from './documents.js';

interface Operation {
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}
interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: Readonly<Record<string, object>> };
}

const PREFIX = '/messaging';
const startEverything = async (t: Parameters<typeof startPlatform>[0]) =>
  startPlatform(t, { plugins: await everyPlugin(), prefix: PREFIX });

/** Both documents, as clients receive them. */
const documentsOf = async (t: Parameters<typeof startPlatform>[0]) =>
  (await bothDocuments(t)) as unknown as Readonly<Record<'api' | 'admin', Document>>;

const operationsOf = ({ paths }: Document): string[] =>
  Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));

t.test('the OpenAPI document of the API needs no token, that of the admin API needs the key', async (t) => {
  const { call, admin } = await startEverything(t);
  const { status, body, headers } = await call('GET', '/openapi.json');
  t.equal(status, 200);
  t.match(headers['content-type'], /^application\/json/);
  t.match(body, { openapi: '3.1.0', servers: [{ url: 'http://posthorn.test' }] });
  t.equal((await call('GET', '/admin/v1/openapi.json')).status, 401);
  t.match(await admin('GET', '/openapi.json'), { status: 200, body: { openapi: '3.1.0' } });
});

t.test('both documents are valid OpenAPI 3.1, and every reference resolves', async (t) => {
  for (const document of Object.values(await documentsOf(t))) {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    t.ok(valid, JSON.stringify(errors));
    const names = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
    t.ok(names.length > 20);
    for (const name of new Set(names)) t.ok(name in document.components.schemas, name);
  }
  t.notOk((await new Validator().validate({ openapi: '3.1.0', info: {} })).valid, 'an invalid document is found');
});

t.test('the documents describe exactly the mounted routes', async (t) => {
  const { platform, server } = await startEverything(t);
  const mounted = server
    .table()
    .filter(({ method }) => method !== '*' && method !== 'options')
    .map(({ method, path }) => `${method.toUpperCase()} ${path.slice(PREFIX.length).replace('*}', '}')}`);
  const [api, admin] = (await Promise.all([platform.openApi('api'), platform.openApi('admin')])) as [Document, Document];
  t.strictSame([...operationsOf(api), ...operationsOf(admin)].sort(), mounted.sort());
  t.notOk(operationsOf(api).some((operation) => operation.includes('/admin/')));
});

t.test('every operation lists its authentication, path parameters and refusals', async (t) => {
  for (const { paths, components } of Object.values(await documentsOf(t))) {
    const ids = new Set<string>();
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const about = `${method} ${path}`;
        for (const scheme of operation.security.flatMap(Object.keys)) t.ok(scheme in components.securitySchemes, about);
        const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        t.strictSame(
          inPath,
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
          about,
        );
        const errors = ['400', ...(operation.security.length > 0 ? ['401', '403'] : []), '500', '503'];
        for (const status of errors) t.ok(operation.responses[status]?.content, `${about} ${status}`);
        ids.add((operation as unknown as { operationId: string }).operationId);
      }
    }
    t.equal(ids.size, operationsOf({ paths } as Document).length, 'operation ids are unique');
  }
});

t.test('only bodies of the admin API exclude keys that are not described', async (t) => {
  const bodyOf = (document: Document, path: string) => JSON.stringify(document.paths[path]?.post?.requestBody);
  const { api, admin } = await documentsOf(t);
  t.match(bodyOf(admin, '/admin/v1/deliveries/cancel'), /"additionalProperties":false/);
  t.notMatch(bodyOf(api, '/v1/numbers'), /"additionalProperties":false/);
});

t.test('the example of every body passes validation', async (t) => {
  const { call, admin, number } = await startEverything(t);
  const tokens = { network: (await number('network')).token, channel: (await number('channel', { type: 'channel_http_api' })).token };
  let sent = 0;
  for (const [part, { paths }] of Object.entries(await documentsOf(t))) {
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const content = requestBody?.content['application/json'];
        if (!content) continue;
        for (const example of Object.values(examplesOf(content))) {
          const url = path.replace(/\{\w+\}/g, '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90');
          const answers =
            part === 'admin'
              ? [await admin(method.toUpperCase(), url.replace('/admin/v1', ''), example)]
              : await Promise.all(Object.values(tokens).map((token) => call(method.toUpperCase(), url, { token, payload: example })));
          // A 404 or 409 is fine; a missing, unknown or mistyped field is not.
          // A 403 for the kind of number is ignored, as it comes before the body is read.
          const taken = answers.some(
            ({ status, body }) =>
              ![401, 403].includes(status) && (status !== 400 || !/must|required|not allowed|is not known/.test(JSON.stringify(body))),
          );
          t.ok(taken, `${method} ${path} ${JSON.stringify(example)}: ${JSON.stringify(answers.map(({ body }) => body))}`);
          for (const { status, body } of answers) t.ok(status < 500, `${method} ${path}: ${JSON.stringify(body)}`);
          sent++;
        }
      }
    }
  }
  t.ok(sent > 70, `${sent} examples`);
});

t.test('a body is optional in the document when the route accepts a call without one', async (t) => {
  const optional = Object.values(await documentsOf(t)).flatMap(({ paths }) =>
    Object.entries(paths).filter(([, methods]) => Object.values(methods).some(({ requestBody }) => requestBody?.required === false)),
  );
  const found = optional.map(([path]) => path);
  t.strictSame(found, [
    '/v1/contacts/{contact}/claim',
    '/admin/v1/commands/{plugin}/{verb}',
    '/admin/v1/deliveries/{uuid}/redeliver',
    '/admin/v1/webhooks/{uuid}/rotate-secret',
  ]);
});

t.test('posthorn openapi writes the document that a platform with every plugin serves', { skip: onlyLong }, async (t) => {
  const { platform } = await startPlatform(t, { plugins: await everyPlugin(), publicUrl: 'https://example.org/messaging' });
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-openapi-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const out: string[] = [];
  const terminal = { cwd: folder, out: (line: string) => out.push(line), err: (line: string) => t.fail(line), isColoured: false };
  const url = 'https://example.org/messaging';
  t.equal(await openapi.run(['--url', url, '--out', 'api.json'], terminal), 0);
  t.equal(await openapi.run(['--url', url, '--admin'], terminal), 0);
  const served = { api: await platform.openApi('api'), admin: await platform.openApi('admin') };
  const sortedPaths = (document: object) => operationsOf(document as Document).sort();
  const written = JSON.parse(readFileSync(join(folder, 'api.json'), 'utf8'));
  t.strictSame(sortedPaths(written), sortedPaths(served.api));
  t.strictSame(written.servers, [{ url }]);
  t.strictSame(sortedPaths(JSON.parse(out.join('\n'))), sortedPaths(served.admin));
  await t.rejects(openapi.run(['--url', 'nowhere'], terminal), { name: 'UsageError' });
});

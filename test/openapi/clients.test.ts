import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startPlatform, type Tap } from '#core/testing';
import { installed, packageFolder, pythonPath } from '../../scripts/bench/measuring/on-demand.js';
import { everyPlugin } from '../../scripts/docs/everything.js';
import { onlyLong } from '../forms.js';
import { bothDocuments } from './documents.js';

const run = promisify(execFile);
const LIMIT_MS = 180_000;
const STRICT = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noImplicitOverride: true },
  ...{ target: 'es2023', module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
};
/** orval reads optional fields as `undefined`, too. */
const STRICT_FOR_ORVAL = { ...STRICT, exactOptionalPropertyTypes: false };

/** A folder with both documents, and the address and token of a platform that listens. */
async function clientUnderTest(t: Tap) {
  const documents = await bothDocuments(t);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-client-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const { server, number } = await startPlatform(t, { plugins: await everyPlugin() });
  await server.start();
  t.teardown(() => server.stop());
  const { token } = await number('network', { account: 'ours' });
  const write = (files: Readonly<Record<string, unknown>>): void => {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  write({ 'api.json': documents.api, 'admin.json': documents.admin, 'package.json': { type: 'module' } });
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder, timeout: LIMIT_MS, env: { ...process.env, NODE_OPTIONS: '' } });
  /** Compiles TypeScript of the folder, and runs its main file with address and token. @throws Error with the errors of the compiler */
  const compiledAndRun = async (options: object, ...files: string[]): Promise<unknown> => {
    write({ 'tsconfig.json': { compilerOptions: { ...options, outDir: 'out', rootDir: '.' }, files } });
    const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    await node(tsc, '-p', '.').catch(({ stdout, message }) => {
      throw new Error(stdout || message);
    });
    return JSON.parse((await node('out/main.js', server.info.uri, token)).stdout);
  };
  return { folder, write, node, compiledAndRun, url: server.info.uri, token };
}

/** The packages of a test, or why it is skipped. */
function provided<T>(install: () => T): { readonly packages?: T; readonly skip: false | string } {
  if (onlyLong !== false) return { skip: onlyLong };
  try {
    return { packages: install(), skip: false };
  } catch (error) {
    return { skip: (error as Error).message };
  }
}

const fetching = provided(() => ({ generator: packageFolder('openapi-typescript'), modules: installed('openapi-fetch@0.17.0') }));
const orval = provided(() => packageFolder('orval'));
const python = provided(() => pythonPath('openapi-python-client==0.29.1'));

const ARGUMENTS = `
declare const process: { readonly argv: readonly string[] };
const [, , url = '', token = ''] = process.argv;
const headers = { authorization: \`Bearer \${token}\` };
`;
const FLOW = { name: 'Survey', flow_json: '{"version":"7.3","screens":[]}' };
const SEEN = { name: 'Survey', status: 'DRAFT', uploaded: true };

t.test('openapi-typescript and openapi-fetch: both documents compile, and typed calls work', { skip: fetching.skip }, async (t) => {
  const { generator, modules } = fetching.packages!;
  const { folder, write, node, compiledAndRun } = await clientUnderTest(t);
  symlinkSync(modules, join(folder, 'node_modules'));
  for (const part of ['api', 'admin']) await node(join(generator, 'bin/cli.js'), `${part}.json`, '-o', `${part}.ts`);
  write({
    'main.ts': `import createClient from 'openapi-fetch';
import type { paths as admin } from './admin.js';
import type { paths } from './api.js';
${ARGUMENTS}
const client = createClient<paths>({ baseUrl: url, headers });
export const ofAdmin = createClient<admin>({ baseUrl: url });
const created = await client.POST('/v1/flows', { body: ${JSON.stringify(FLOW)} });
if (!created.data) throw new Error(JSON.stringify(created.error));
const upload = await client.POST('/v1/flows/{flow_id}/assets', {
  params: { path: { flow_id: created.data.id } },
  body: { file: '{}' },
  bodySerializer: ({ file }) => {
    const form = new FormData();
    form.set('file', new Blob([file]));
    return form;
  },
});
const { data } = await client.GET('/v1/flows');
const [flow] = data?.data ?? [];
if (!flow) throw new Error('no flow is listed');
const { name, status }: { name: string; status: string } = flow;
console.log(JSON.stringify({ name, status, uploaded: upload.data?.success }));
`,
  });
  t.strictSame(await compiledAndRun(STRICT, 'main.ts', 'api.ts', 'admin.ts'), SEEN);
});

t.test('orval: both documents compile, and typed calls work', { skip: orval.skip }, async (t) => {
  const { write, node, compiledAndRun, url } = await clientUnderTest(t);
  const generated = (part: string) => ({
    input: { target: `./${part}.json` },
    output: { target: `./${part}.ts`, client: 'fetch', mode: 'single', baseUrl: url },
  });
  write({ 'orval.config.cjs': `module.exports = ${JSON.stringify({ api: generated('api'), admin: generated('admin') })};` });
  await node(join(orval.packages!, 'dist/bin/orval.js'), '--config', 'orval.config.cjs');
  write({
    'main.ts': `import { getV1Flows, postV1Flows, postV1FlowsFlowIdAssets } from './api.js';
export { getAdminV1Numbers } from './admin.js';
${ARGUMENTS}
const created = await postV1Flows(${JSON.stringify(FLOW)}, { headers });
if (created.status !== 201) throw new Error(JSON.stringify(created.data));
const upload = await postV1FlowsFlowIdAssets(created.data.id, { file: new Blob(['{}']) }, { headers });
if (upload.status !== 200) throw new Error(JSON.stringify(upload.data));
const listed = await getV1Flows(undefined, { headers });
if (listed.status !== 200) throw new Error(JSON.stringify(listed.data));
const [flow] = listed.data.data;
if (!flow || !url) throw new Error('no flow is listed');
const { name, status }: { name: string; status: string } = flow;
console.log(JSON.stringify({ name, status, uploaded: upload.data.success }));
`,
  });
  t.strictSame(await compiledAndRun(STRICT_FOR_ORVAL, 'main.ts', 'api.ts', 'admin.ts'), SEEN);
});

t.test('openapi-python-client: every module of both documents imports, and typed calls work', { skip: python.skip }, async (t) => {
  const { folder, write, url, token } = await clientUnderTest(t);
  const withPackages = { ...process.env, ...python.packages };
  const runPython = (...args: string[]) => run('python3', args, { cwd: folder, timeout: LIMIT_MS, env: withPackages });
  for (const part of ['api', 'admin']) {
    write({ 'config.json': { package_name_override: `posthorn_${part}`, project_name_override: `posthorn_${part}`, post_hooks: [] } });
    const to = ['--output-path', `posthorn_${part}`, '--meta', 'none', '--config', 'config.json'];
    await runPython('-m', 'openapi_python_client', 'generate', '--path', `${part}.json`, ...to);
  }
  write({
    'main.py': `
import importlib, io, json, pkgutil, sys
import posthorn_admin, posthorn_api
from posthorn_api.api.flows import get_v1_flows, post_v1_flows, post_v1_flows_flow_id_assets
from posthorn_api.models import NewFlow, PostV1FlowsFlowIdAssetsBody
from posthorn_api.types import File

modules = [one.name for root in (posthorn_api, posthorn_admin) for one in pkgutil.walk_packages(root.__path__, root.__name__ + '.')]
for name in modules: importlib.import_module(name)
client = posthorn_api.AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
created = post_v1_flows.sync(client=client, body=NewFlow.from_dict(json.loads('${JSON.stringify(FLOW).replaceAll('\\', '\\\\')}')))
body = PostV1FlowsFlowIdAssetsBody(file=File(payload=io.BytesIO(b'{}'), file_name='flow.json', mime_type='application/json'))
uploaded = post_v1_flows_flow_id_assets.sync(created.id, client=client, body=body)
flow = get_v1_flows.sync(client=client).data[0]
print(json.dumps({'name': flow.name, 'status': flow.status, 'uploaded': uploaded.success, 'modules': len(modules)}))
`,
  });
  const { modules, ...seen } = JSON.parse((await runPython('main.py', url, token)).stdout);
  t.strictSame(seen, SEEN);
  t.ok(modules > 1_000, `${modules} modules`);
});

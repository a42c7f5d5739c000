import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { startPlatform } from '#core/testing';
import { flows } from '../../plugins/flows/plugin.js';
import { flowOperatorContract } from '../../plugins/flows/testing.js';
import { remoteOperator } from '../../sandbox/examples/remote-operator.js';

const child = fork(join(import.meta.dirname, 'operator-process.js'), { execArgv: [] });
const listening = once(child, 'message') as Promise<[string]>;
t.teardown(() => child.disconnect());

/** An operator with two new accounts. */
async function newOperator() {
  const [api] = await listening;
  const newToken = async (): Promise<string> => (await fetch(`${api}/accounts`, { method: 'POST' })).text();
  const tokens: Readonly<Record<string, string>> = { ours: await newToken(), theirs: await newToken() };
  return remoteOperator(api, (account) => tokens[account]!);
}

t.test('an operator in another process, over HTTP, fulfils the contract of operators', async (t) => {
  await flowOperatorContract(t, async () => ({
    operator: await newOperator(),
    async download(url) {
      const response = await fetch(url);
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
    },
  }));
});

t.test('the Flows API forwards to the operator, and renders its refusals as in the interface', async (t) => {
  const { call, number } = await startPlatform(t, { plugins: [flows({ operator: await newOperator() })] });
  const { token } = await number('network', { account: 'ours' });
  const made = await call('POST', '/v1/flows', { token, payload: { name: 'survey', flow_json: { version: '7.3', screens: [] } } });
  t.match(made, { status: 201, body: { id: /^\d+$/, validation_errors: [{ error_type: 'FLOW_JSON_ERROR' }] } });
  t.match((await call('GET', '/v1/flows', { token })).body, { data: [{ id: made.body.id, name: 'survey', status: 'DRAFT' }] });
  const published = await call('POST', `/v1/flows/${made.body.id}/publish`, { token });
  t.match(published, { status: 400, body: { meta: { http_code: 400 }, error: { error_user_title: 'Validation Failed' } } });
});

t.test('an unreachable operator gives 503', async (t) => {
  const operator = remoteOperator('http://127.0.0.1:9', () => 'no token');
  const { call, number } = await startPlatform(t, { plugins: [flows({ operator })] });
  const { token } = await number('network', { account: 'ours' });
  t.match(await call('GET', '/v1/flows', { token }), {
    status: 503,
    body: { meta: { http_code: 503 }, errors: [{ details: /does not respond/ }] },
  });
});

import { startPlatform, type Tap } from '#core/testing';
import { type Sandbox, startSandbox } from '../../sandbox/compose.js';
import { clockPlugin } from '../../sandbox/server/clock-plugin.js';

/** A response as `fetch` gives it. */
export interface Fetched {
  readonly status: number;
  readonly cause: unknown;
  readonly text: string;
}

/** Calls the admin API of a sandbox. */
export async function call({ admin: { url, key } }: Sandbox, method: string, path: string, payload?: unknown): Promise<Fetched> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(payload !== undefined && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  return { status: response.status, cause: response.headers.get('x-posthorn-cause'), text: await response.text() };
}

const on =
  (method: string, path: string, payload?: unknown) =>
  (sandbox: Sandbox): Promise<Fetched> =>
    call(sandbox, method, path, payload);

/** A sandbox with a channel and a folder for cassettes. */
export async function startBox(t: Tap): Promise<Sandbox> {
  const seed = { channels: [{ from_addr: 'web:test', name: 'Test', endpoint: 'http://127.0.0.1:9/' }] };
  const sandbox = await startSandbox({ seed, clock: 'manual', logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

/** A call of one sandbox for each cause. */
export const onSandbox: Readonly<Record<string, (sandbox: Sandbox) => Promise<Fetched>>> = {
  clock_backwards: on('POST', '/clock', { set: '2001-01-01T00:00:00Z' }),
  clock_too_far: on('POST', '/clock', { set: '2999-01-01T00:00:00Z' }),
  nothing_pending: on('POST', '/clock', { next: true }),
  fault_rule_not_found: on('DELETE', '/faults/none'),
  no_disk: on('POST', '/faults', { where: 'store', effect: { kind: 'disk_full' } }),
  async too_many_faults(sandbox) {
    for (;;) {
      const added = await call(sandbox, 'POST', '/faults', { where: 'deliveries', effect: { kind: 'timeout' } });
      if (added.status >= 400) {
        await call(sandbox, 'DELETE', '/faults');
        return added;
      }
    }
  },
  cassette_not_found: on('DELETE', '/cassettes/none'),
  conformance_run_not_found: on('GET', '/conform/runs/none'),
  command_not_found: on('POST', '/commands/none/none'),
  check_not_found: async (sandbox) => call(sandbox, 'GET', `/conform/runs/${await ended(sandbox)}/checks/none`),
  nothing_failed: async (sandbox) => call(sandbox, 'POST', `/conform/runs/${await ended(sandbox)}/repeat`, {}),
  test_run_not_found: on('GET', '/tests/runs/none'),
  async run_in_progress(sandbox) {
    const both = await Promise.all(
      [1, 2].map(() => call(sandbox, 'POST', '/conform/runs', { kind: 'connector', channel: sandbox.numbers[0]!.uuid })),
    );
    const refused = both.find(({ status }) => status === 409) ?? both[0]!;
    await cancelAll(sandbox);
    return refused;
  },
  async nothing_to_record(sandbox) {
    const [channel] = sandbox.numbers;
    const message = { type: 'text', from: '1', id: 'in-1', timestamp: '1767600000', text: { body: 'hi' } };
    await fetch(`${sandbox.api}/v1/numbers/${channel!.uuid}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${channel!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ contact: { id: '1', profile: { name: 'Ann' } }, message }),
    });
    const { conversations } = JSON.parse((await call(sandbox, 'GET', `/numbers/${channel!.uuid}/conversations`)).text);
    const [{ conversation = {}, uuid = conversation.uuid }] = conversations;
    return call(sandbox, 'POST', '/tests/recordings/conversation', { conversation: uuid });
  },
  unusable_state: on('POST', '/state/import', '{"posthorn": "something else"}'),
  async seed_state_unknown(sandbox) {
    const { text } = await call(sandbox, 'POST', '/state/export', {});
    await call(sandbox, 'POST', '/state/import', text);
    return call(sandbox, 'POST', '/state/compare', {});
  },
};

async function cancelAll(sandbox: Sandbox): Promise<void> {
  const { runs } = JSON.parse((await call(sandbox, 'GET', '/conform/runs')).text);
  for (const { id } of runs) await call(sandbox, 'POST', `/conform/runs/${id}/cancel`, {});
}

/** A conformance run that was cancelled before any check had failed. */
async function ended(sandbox: Sandbox): Promise<string> {
  const { run } = JSON.parse(
    (await call(sandbox, 'POST', '/conform/runs', { kind: 'connector', channel: sandbox.numbers[0]!.uuid, only: ['C-01'] })).text,
  );
  await call(sandbox, 'POST', `/conform/runs/${run.id}/cancel`, {});
  return run.id;
}

/** The cause of a platform whose clock is that of the machine. */
export async function real_clock(t: Tap): Promise<unknown> {
  const { admin } = await startPlatform(t, { plugins: [clockPlugin({ movable: undefined, pendingTimers: async () => [] })] });
  return (await admin('POST', '/clock/advance', { seconds: 1 })).headers['x-posthorn-cause'];
}

import t from 'tap';
import { TaskFailed, type WorkerPool } from '#core/ports';
import { InlinePool } from '../../../../core/adapters/workers/inline-pool.js';
import { MAX_FLOW_BYTES } from '../../../../plugins/flows/validate/read-text.js';
import { validateFlow } from '../../../../plugins/flows/validate/validate-flow.js';
import { crowdedFlow } from '../../../../scripts/fuzz/large-flows.js';
import { onlyLong } from '../../../forms.js';
import { startFlows } from '../flows-under-test.js';

const BYTES = 1_000_000;
/** Measurements per flow; the fastest counts, because the CPU clock is coarse and garbage collection adds time. */
const ROUNDS = 3;
/** The cost per value differs between shapes. With quadratic cost, the shapes below took 24-500 times as long as a valid flow. */
const MAX_TIMES = 10;
/** 10 MB take up to 3.5 s of CPU; a busy machine may be 20 times slower. */
const MIN_LIMIT_MS = 70_000;

const flowOf = (children: string, more = ''): string =>
  `{"version":"7.3","screens":[{"id":"ONE","terminal":true,"layout":{"type":"SingleColumnLayout","children":[${children}]}}]${more}}`;
const screen = (id: string): string =>
  `{"id":"${id}","terminal":true,"layout":{"type":"SingleColumnLayout","children":[{"type":"Footer","label":"a","on-click-action":{"name":"complete","payload":{}}}]}}`;
const repeated = (part: string, bytes = BYTES): string =>
  Array.from({ length: Math.floor(bytes / (part.length + 1)) }, () => part).join(',');
/** A component inside Switches with keys that are expensive to write into a path. */
const deep = (inner: string): string => {
  let list = inner;
  for (let i = 0; i < 18; i++) list = `{"type":"Switch","value":"\${data.a}","cases":{"${`'\\\\ `.repeat(50)}":[${list}]}}`;
  return list;
};
const longId = 'L'.repeat(BYTES / 2);
const longRoutes = `"routing_model":{"${longId}":[${repeated('"a","b"', BYTES / 8)}],"a":[],"b":[]}`;

const shapes: Readonly<Record<string, string>> = {
  'components that lack properties, deep inside of others': flowOf(deep(repeated('{"type":"If"}'))),
  'actions without a name, deep inside of others': flowOf(deep(repeated('{"type":"Footer","label":"a","on-click-action":{}}'))),
  'many routes from a screen with a long id': `{"version":"7.3",${longRoutes},"screens":[${[longId, 'a', 'b'].map(screen).join(',')}]}`,
  'the same with an endpoint': `{"version":"7.3","data_api_version":"3.0",${longRoutes},"screens":[${[longId, 'a', 'b'].map(screen).join(',')}]}`,
  'many screens with many routes': crowdedFlow({ screens: 400, routes: 200 }),
  'expressions that cannot be read': flowOf(repeated('{"type":"TextBody","text":"`+`"}')),
};

/** The minimum milliseconds of CPU over several runs. */
function cpuOf(flow: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const before = process.cpuUsage();
    validateFlow(flow);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

t.test('the validator takes time linear in the length of a flow, for every shape of flow', async (t) => {
  const sound = flowOf(repeated('{"type":"TextBody","text":"Hello there"}'));
  const baseline = cpuOf(sound) / sound.length;
  for (const [title, flow] of Object.entries(shapes)) {
    const times = cpuOf(flow) / flow.length / baseline;
    t.ok(times < MAX_TIMES, `${title}: ${times.toFixed(1)} times the CPU of a sound flow of the same length`);
  }
});

t.test('an error about very many places has at most 100 pointers', async (t) => {
  const ends = Array.from({ length: 150 }, () => screen('A').replace('"terminal":true', '"terminal":true,"success":false'));
  const { errors } = validateFlow(`{"version":"7.3","screens":[${ends}]}`, { maxListed: 10_000 });
  const none = errors.find(({ message }) => /at least one terminal screen must have success/.test(message));
  t.equal(none?.pointers.length, 100);
});

t.test('uploading a flow of 1,200 screens with 600 routes each returns its validation errors', { skip: onlyLong }, async (t) => {
  const { create, upload } = await startFlows(t);
  const flow = crowdedFlow({ screens: 1_200, routes: 600 });
  t.ok(flow.length < MAX_FLOW_BYTES);
  const id = await create();
  const { status, body } = await upload(id, flow);
  t.equal(status, 200);
  t.ok(body.validation_errors.some(({ error }: { error: string }) => error === 'INVALID_ROUTING_MODEL'));
});

t.test('a validation that takes too long gets 503 with Retry-After, and the flow does not change', async (t) => {
  const inline = new InlinePool();
  const workers: WorkerPool = {
    run(type, input) {
      if (type.name !== 'flows.validate') return inline.run(type, input);
      t.ok(type.limitMs >= MIN_LIMIT_MS, 'the limit leaves room for a busy machine');
      return Promise.reject(new TaskFailed(type.name, 'timed out', 'too long'));
    },
    check: (type) => inline.check(type),
    stop: () => inline.stop(),
  };
  const { create, upload, api } = await startFlows(t, { ports: { workers } });
  const id = await create();
  const answer = await upload(id, crowdedFlow({ screens: 100, routes: 50 }));
  t.match(answer, { status: 503, headers: { 'retry-after': /^[1-9]\d*$/ }, body: { meta: { http_code: 503 } } });
  t.match((await api('GET', '/v1/flows')).body.data, [{ id, validation_errors: [] }]);
});

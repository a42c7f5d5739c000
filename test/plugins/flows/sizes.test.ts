import t from 'tap';
import { metaOf, startFlows, survey } from './flows-under-test.js';

t.test('a definition in a request is limited to 10 MB, like an upload', async (t) => {
  const { api } = await startFlows(t);
  const size = 10 * 1024 * 1024;
  const create = (flow_json: unknown) => api('POST', '/v1/flows', { name: 'x', flow_json });
  const written = JSON.stringify(survey);
  const tooLarge = { status: 413, body: { meta: metaOf(413), errors: [{ title: 'Body too large', details: /10485760/ }] } };
  t.match(await create(written.padEnd(size + 1)), tooLarge);
  t.match(await create({ ...survey, more: 'x'.repeat(size) }), tooLarge);
  t.match(await create(written.padEnd(size)), { status: 201, body: { validation_errors: [] } });
  t.match(await create(`\uFEFF${written.padEnd(size)}`), tooLarge, 'with a byte-order mark, as in a file');
});

t.test('an object is not refused because its indented form is too large', async (t) => {
  const { api } = await startFlows(t);
  let nested: unknown = Array(20_000).fill(1);
  for (let depth = 0; depth < 55; depth++) nested = [nested];
  for (const [name, more] of [
    ['deep', nested],
    ['long', Array(1_600_000).fill(1)],
  ] as const) {
    const { status, body } = await api('POST', '/v1/flows', { name, flow_json: { ...survey, more } });
    t.equal(status, 201, `${name}: ${JSON.stringify(body).slice(0, 200)}`);
  }
});

t.test('an uploaded file is limited to 10 MB', async (t) => {
  const { api, create, upload } = await startFlows(t);
  const id = await create();
  const size = 10 * 1024 * 1024;
  const padded = (bytes: number) =>
    Buffer.concat([Buffer.from(JSON.stringify(survey)), Buffer.alloc(bytes - JSON.stringify(survey).length, 32)]);
  t.match(await upload(id, padded(size)), { status: 200, body: { validation_errors: [] } });
  t.match(await upload(id, padded(size + 1)), { status: 413, body: { meta: metaOf(413), errors: [{ title: 'Body too large' }] } });
  t.match(await upload(id, padded(size + 1024 * 1024)), { status: 413, body: { meta: metaOf(413) } });
  t.strictSame((await api('GET', '/v1/flows')).body.data[0].validation_errors, []);
});

import t from 'tap';
import { metaOf, startFlows } from './flows-under-test.js';

t.test('a list shows five fields per flow; endpoint_uri and application are returned on request', async (t) => {
  const { api, create } = await startFlows(t);
  const id = await create({ name: 'Survey', endpoint_uri: 'https://example.org/not-yet', application_id: '1' });
  t.strictSame((await api('GET', '/v1/flows')).body, {
    meta: metaOf(200),
    data: [{ id, name: 'Survey', status: 'DRAFT', categories: ['OTHER'], validation_errors: [] }],
  });
  const path = '/v1/flows?fields=id,endpoint_uri,application,json_version,updated_at,preview.invalidate(false)';
  t.match((await api('GET', path)).body.data, [{ id, json_version: '7.3', updated_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/ }]);
  t.notHas((await api('GET', path)).body.data[0], { endpoint_uri: /./ }, 'it cannot be set at creation');

  await api('POST', `/v1/flows/${id}`, { endpoint_uri: 'https://example.org/flow', application_id: '42' });
  t.match((await api('GET', path)).body.data, [{ endpoint_uri: 'https://example.org/flow', application: { id: '42' } }]);
  t.strictSame(Object.keys((await api('GET', '/v1/flows?fields=')).body.data[0]).length, 5);
  t.equal((await api('GET', '/v1/flows?fields=nothing&whatever=1')).status, 200);
  t.strictSame(Object.keys((await api('GET', '/v1/flows?fields=id&fields=name')).body.data[0]), ['id', 'name', 'status']);
});

t.test('flows are listed oldest first, and in pages when a limit is given', async (t) => {
  const { api, create } = await startFlows(t);
  const ids = [await create(), await create(), await create()];
  const page = async (query: string) => (await api('GET', `/v1/flows${query}`)).body;
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  t.strictSame(idsOf(await page('')), ids);
  t.notOk((await page('?limit=3')).paging);
  const first = await page('?limit=2');
  t.strictSame(idsOf(first), ids.slice(0, 2));
  t.strictSame(idsOf(await page(`?limit=2&after=${first.paging.cursors.after}`)), ids.slice(2));
  t.equal((await api('DELETE', `/v1/flows/${ids[1]}`)).status, 200);
  t.equal((await api('DELETE', `/v1/flows/${ids[2]}`)).status, 200);
  const newest = await create();
  t.strictSame(idsOf(await page(`?limit=2&after=${first.paging.cursors.after}`)), [newest], 'pages neither repeat nor skip a flow');
  for (const query of ['?after=bogus', '?before=bogus'])
    t.match(await page(query), { meta: metaOf(400), error: { code: 100, error_user_msg: /"bogus" is not a cursor/ } });
});

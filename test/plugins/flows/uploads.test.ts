import t from 'tap';
import { multipart, startFlows, survey } from './flows-under-test.js';

const file = { name: 'file', filename: 'flow.json', type: 'application/json', content: JSON.stringify(survey) };
const others = Array.from({ length: 20_000 }, (_, i) => ({ name: `part-${i}`, content: 'x' }));

t.test('only the first 20 parts of a multipart body are read', async (t) => {
  const { api, create } = await startFlows(t);
  const path = `/v1/flows/${await create()}/assets`;
  const post = ({ body, type }: ReturnType<typeof multipart>) => api('POST', path, body, { 'content-type': type });
  t.match(await post(multipart([file, ...others])), { status: 200, body: { validation_errors: [] } });
  t.match(await post(multipart([...others.slice(0, 19), file])), { status: 200 });
  t.match(await post(multipart([...others, file])), {
    status: 400,
    body: { error: { error_user_msg: /part file must be among the first 20 parts/ } },
  });
});

t.test('names and headers of parts have a size limit', async (t) => {
  const { api, create } = await startFlows(t);
  const path = `/v1/flows/${await create()}/assets`;
  const { body, type } = multipart([{ name: 'x'.repeat(1_000_000), content: '' }, file]);
  const { status } = await api('POST', path, body, { 'content-type': type });
  t.ok(status === 200 || status === 400, `answered ${status}`);
});

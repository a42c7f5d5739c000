import { createHash } from 'node:crypto';
import t from 'tap';
import type { Answer } from '#core/testing';
import { metaOf, multipart, startFlows, survey } from './flows-under-test.js';

const unsound = { ...survey, screens: [{ ...survey.screens[0], terminal: false }] };

t.test('creating a flow returns 201 with meta, a numeric id and no errors', async (t) => {
  const { api } = await startFlows(t);
  const { status, body } = await api('POST', '/v1/flows', { name: 'Survey', flow_json: survey });
  t.equal(status, 201);
  t.strictSame(body, { meta: metaOf(201), id: body.id, validation_errors: [] });
  t.match(body.id, /^[1-9]\d{14,15}$/);
});

t.test('flow_json is an object or JSON text; positions in an object refer to its indented form', async (t) => {
  const { api } = await startFlows(t);
  const asObject = await api('POST', '/v1/flows', { name: 'object', flow_json: unsound });
  const asText = await api('POST', '/v1/flows', { name: 'text', flow_json: JSON.stringify(unsound, null, 2) });
  t.equal(asObject.status, 201);
  t.ok(asObject.body.validation_errors.length > 0);
  t.strictSame(asObject.body.validation_errors, asText.body.validation_errors);
  const [first] = asObject.body.validation_errors;
  t.match(first, { error: /^[A-Z_]+$/, error_type: 'FLOW_JSON_ERROR', message: /./, pointers: [{ path: /screens/ }] });
  for (const key of ['line_start', 'line_end', 'column_start', 'column_end']) {
    t.ok(Number.isInteger(first[key]));
    t.ok(Number.isInteger(first.pointers[0][key]));
  }
  const inOneLine = await api('POST', '/v1/flows', { name: 'one line', flow_json: JSON.stringify(unsound) });
  t.equal(inOneLine.body.validation_errors[0].line_start, 1, 'positions in a text refer to the text itself');
});

t.test('text that is not JSON is accepted with the error INVALID_FLOW_JSON', async (t) => {
  const { api } = await startFlows(t);
  for (const [i, flow_json] of ['', '{', '[]', '// {}', '\ud800'].entries()) {
    const { status, body } = await api('POST', '/v1/flows', { name: `flow ${i}`, flow_json });
    t.equal(status, 201);
    t.equal(body.validation_errors[0].error, 'INVALID_FLOW_JSON', flow_json);
  }
});

t.test('a hostile upload is stored with its errors, and the API keeps responding meanwhile', async (t) => {
  const { api, create, upload } = await startFlows(t);
  const id = await create();
  const hostile: readonly (readonly [what: string, file: string | Buffer, error: string])[] = [
    ['nested arrays', '['.repeat(200_000), 'INVALID_FLOW_JSON'],
    ['a key twice', '{"version":"7.3","version":"7.3","screens":[]}', 'INVALID_PROPERTY_KEY'],
    ['a key that leads to a prototype', '{"version":"7.3","screens":[],"__proto__":{"x":1}}', 'INVALID_PROPERTY_KEY'],
    ['many keys', `{"version":"7.3",${Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join()}}`, 'INVALID_PROPERTY_KEY'],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), 'INVALID_FLOW_JSON'],
    ['a comment', '/* */ {}', 'INVALID_FLOW_JSON'],
    ['nothing', '', 'INVALID_FLOW_JSON'],
  ];
  for (const [what, file, error] of hostile) {
    const [{ status, body }, list] = await Promise.all([upload(id, file), api('GET', '/v1/flows')]);
    t.equal(status, 200, what);
    t.ok(
      body.validation_errors.some((one: { error: string }) => one.error === error),
      `${what}: ${body.validation_errors[0]?.error}`,
    );
    t.equal(list.status, 200);
  }
});

t.test('errors at creation name the missing or unknown parameters, with meta', async (t) => {
  const { api } = await startFlows(t);
  const wrong = [
    [{ flow_json: survey }, { code: 'missing_parameters', message: /name/, type: 'BadRequest' }],
    [{ name: 'x' }, { code: 'missing_parameters', message: /flow_json/, type: 'BadRequest' }],
    [
      { name: 'x', flow_json: survey, categories: ['CAKE'] },
      { code: 100, type: 'OAuthException', error_user_msg: /categories/ },
    ],
    [
      { name: 'x', flow_json: survey, categories: [] },
      { code: 100, type: 'OAuthException' },
    ],
    [
      { name: 'x', flow_json: survey, publish: 'yes' },
      { code: 100, type: 'OAuthException' },
    ],
    [
      { name: 'x', flow_json: 7 },
      { code: 100, type: 'OAuthException' },
    ],
    [
      { name: '   ', flow_json: survey },
      { code: 100, type: 'OAuthException', error_user_msg: /name"? must not be blank$/ },
    ],
    [
      { name: 7, flow_json: survey },
      { code: 100, type: 'OAuthException' },
    ],
  ] as const;
  for (const [payload, error] of wrong)
    t.match(await api('POST', '/v1/flows', payload), { status: 400, body: { meta: metaOf(400), error } });
});

t.test('null means absent in optional fields, and removes endpoint_uri and application_id', async (t) => {
  const { api } = await startFlows(t);
  const { status, body } = await api('POST', '/v1/flows', { name: 'x', flow_json: survey, categories: null, publish: null });
  t.equal(status, 201, JSON.stringify(body));
  const shown = async () => {
    const { data } = (await api('GET', '/v1/flows?fields=name,categories,endpoint_uri,application')).body;
    return data[0];
  };
  const change = (payload: object) => api('POST', `/v1/flows/${body.id}`, payload);
  t.match(await change({ endpoint_uri: 'https://example.org/flow', application_id: '17' }), { status: 200 });
  t.match(await change({ name: null, categories: null, endpoint_uri: null }), { status: 200 });
  t.strictSame(await shown(), { id: body.id, name: 'x', status: 'DRAFT', categories: ['OTHER'], application: { id: '17' } });
  t.match(await change({ application_id: null }), { status: 200 });
  t.strictSame(await shown(), { id: body.id, name: 'x', status: 'DRAFT', categories: ['OTHER'] });
  t.match(await api('POST', '/v1/flows', { name: null, flow_json: survey }), {
    status: 400,
    body: { error: { code: 'missing_parameters' } },
  });
});

t.test('categories default to OTHER and accept all eight values', async (t) => {
  const { api, create } = await startFlows(t);
  await create();
  const eight = ['SIGN_UP', 'SIGN_IN', 'APPOINTMENT_BOOKING', 'LEAD_GENERATION', 'CONTACT_US', 'CUSTOMER_SUPPORT', 'SURVEY', 'OTHER'];
  await create({ categories: eight });
  const { data } = (await api('GET', '/v1/flows')).body;
  t.strictSame(
    data.map(({ categories }: { categories: string[] }) => categories),
    [['OTHER'], eight],
  );
});

t.test('publish defaults to false; with true a valid flow is published immediately', async (t) => {
  const { api, create } = await startFlows(t);
  await create();
  await create({ publish: true });
  const { data } = (await api('GET', '/v1/flows')).body;
  t.strictSame(
    data.map(({ status }: { status: string }) => status),
    ['DRAFT', 'PUBLISHED'],
  );
});

t.test('with publish, an invalid flow gets 201 with its id and errors, and stays a draft', async (t) => {
  const { api } = await startFlows(t);
  const { status, body } = await api('POST', '/v1/flows', { name: 'x', flow_json: unsound, publish: true });
  t.equal(status, 201);
  t.ok(body.id && body.validation_errors.length > 0);
  const { data } = (await api('GET', '/v1/flows')).body;
  t.match(data, [{ id: body.id, status: 'DRAFT', validation_errors: body.validation_errors }]);
});

t.test('a duplicate name is refused with code 100', async (t) => {
  const { api, create } = await startFlows(t);
  await create({ name: 'Survey' });
  t.match(await api('POST', '/v1/flows', { name: 'Survey', flow_json: survey }), {
    status: 400,
    body: { meta: metaOf(400), error: { code: 100, type: 'OAuthException', error_user_title: 'Flow Name Not Unique' } },
  });
});

t.test('an update changes only the given fields, and never the flow JSON', async (t) => {
  const { api, create, definition } = await startFlows(t);
  const id = await create({ name: 'before', categories: ['SURVEY'] });
  t.strictSame(await api('POST', `/v1/flows/${id}`, { name: 'after' }).then(({ status, body }) => ({ status, body })), {
    status: 200,
    body: { meta: metaOf(200), success: true },
  });
  t.match((await api('GET', '/v1/flows')).body.data, [{ name: 'after', categories: ['SURVEY'] }]);
  await api('POST', `/v1/flows/${id}`, { categories: ['SIGN_UP'] });
  t.match((await api('GET', '/v1/flows')).body.data, [{ name: 'after', categories: ['SIGN_UP'] }]);
  t.equal((await api('POST', `/v1/flows/${id}`, {})).status, 200);
  t.strictSame(await definition(id), survey);
  t.match(await api('POST', `/v1/flows/${id}`, { endpoint_uri: 'not an address' }), {
    status: 400,
    body: { error: { code: 100, error_user_msg: /endpoint_uri/ } },
  });
});

t.test('an update with flow_json succeeds, and advice says that the flow JSON was ignored', async (t) => {
  const { api, create, definition, events, own } = await startFlows(t);
  const id = await create();
  const advised = async (payload: object) => {
    events.length = 0;
    const { status, body } = await api('POST', `/v1/flows/${id}`, payload);
    t.strictSame({ status, body }, { status: 200, body: { meta: metaOf(200), success: true } });
    return events.filter(({ name }) => name === 'advice').map(({ data }) => data);
  };
  t.strictSame(await advised({ name: 'other' }), []);
  t.strictSame(await advised({ name: 'another', flow_json: null }), []);
  for (const flow_json of [unsound, JSON.stringify(unsound), '', 7]) {
    t.match(await advised({ name: 'third', flow_json }), [
      {
        name: 'flow_json_ignored',
        number: own.uuid,
        message: /ignored flow_json/,
        fix: new RegExp(`/v1/flows/${id}/assets`),
        about: { flow: id },
      },
    ]);
  }
  t.strictSame(await definition(id), survey);
  await api('POST', `/v1/flows/${id}/publish`);
  events.length = 0;
  t.equal((await api('POST', `/v1/flows/${id}`, { flow_json: survey })).status, 400);
  t.strictSame(
    events.filter(({ name }) => name === 'advice'),
    [],
    'a refused update ignores nothing',
  );
});

t.test('an uploaded file replaces the definition, valid or not, and other parts of the body are ignored', async (t) => {
  const { api, create, upload } = await startFlows(t);
  const id = await create();
  const { status, body } = await upload(id, JSON.stringify(unsound));
  t.equal(status, 200);
  t.match(body, { meta: metaOf(200), success: true });
  t.ok(body.validation_errors.length > 0);
  t.strictSame((await api('GET', '/v1/flows')).body.data[0].validation_errors, body.validation_errors);

  const others = multipart([
    { name: 'name', content: 'flow.json' },
    { name: 'asset_type', content: 'FLOW_JSON' },
    { name: 'messaging_product', content: 'msgapp' },
    { name: 'attachment', filename: 'cat.png', type: 'image/png', content: 'not a cat' },
    { name: 'file', filename: 'other-name.json', type: 'application/json', content: JSON.stringify(survey) },
  ]);
  const answer = await api('POST', `/v1/flows/${id}/assets`, others.body, { 'content-type': others.type });
  t.strictSame(answer.body, { meta: metaOf(200), success: true, validation_errors: [] });
  t.match((await api('GET', `/v1/flows/${id}/assets`)).body.data, [{ name: 'flow.json', asset_type: 'FLOW_JSON' }]);
});

t.test('a body that is not multipart, is truncated or has no file is refused with the reason', async (t) => {
  const { api, create } = await startFlows(t);
  const id = await create();
  const path = `/v1/flows/${id}/assets`;
  const none = multipart([{ name: 'name', content: 'flow.json' }]);
  t.match(await api('POST', path, none.body, { 'content-type': none.type }), {
    status: 400,
    body: { meta: metaOf(400), error: { code: 'missing_parameters', message: /file/ } },
  });
  t.match(await api('POST', path, survey), { status: 415, body: { meta: metaOf(415) } });
  t.match(await api('POST', path, 'x', { 'content-type': 'multipart/form-data' }), { status: 400, body: { meta: metaOf(400) } });
  const complete = multipart([{ name: 'file', filename: 'flow.json', content: JSON.stringify(survey) }]);
  const cut = complete.body.subarray(0, 200);
  t.match(await api('POST', path, cut, { 'content-type': complete.type }), { status: 400, body: { meta: metaOf(400) } });
});

t.test('the definition can be downloaded without a token, with type and ETag, until the URL expires', async (t) => {
  const { api, call, create, clock, upload } = await startFlows(t);
  const id = await create();
  const bytes = Buffer.from(`  ${JSON.stringify(survey)}\n`);
  await upload(id, bytes);
  const [asset] = (await api('GET', `/v1/flows/${id}/assets`)).body.data;
  const url = new URL(asset.download_url);
  const path = `${url.pathname}${url.search}`;
  const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;

  const answer = await call('GET', path);
  t.match(answer, { status: 200, headers: { 'content-type': /^application\/json/, etag, 'content-disposition': /attachment/ } });
  t.equal(Date.parse(String(answer.headers.expires)), Number(url.searchParams.get('expires')) * 1000);
  t.equal((await call('GET', path, { headers: { 'if-none-match': etag } })).status, 304);
  t.equal((await call('GET', path.replace(/signature=./, 'signature=_'))).status, 403);
  t.equal((await call('GET', path.replace('expires=', 'expires=9'))).status, 403);
  t.equal((await call('GET', `/flow-assets/${id}/flow.json`)).status, 400);

  await clock.advance(60 * 60 * 1000 + 1000);
  t.match(await call('GET', path), { status: 403, body: { errors: [{ details: /expired at \d{4}-/ }] } });
});

t.test('an unknown flow, or a flow of another account, is not found', async (t) => {
  const { api, call, create, number } = await startFlows(t);
  const id = await create();
  const { token } = await number('network', { account: 'theirs' });
  const paths = (flow: string): [string, string][] => [
    ['POST', `/v1/flows/${flow}`],
    ['POST', `/v1/flows/${flow}/publish`],
    ['POST', `/v1/flows/${flow}/deprecate`],
    ['DELETE', `/v1/flows/${flow}`],
    ['GET', `/v1/flows/${flow}/assets`],
    ['GET', `/v1/flows/${flow}/preview`],
  ];
  const notFound = { status: 400, body: { meta: metaOf(400), errors: [{ title: 'Flow not found', details: /./ }] } };
  for (const [method, path] of paths('123'))
    t.match(await api(method, path, method === 'POST' ? {} : undefined), notFound, `${method} ${path}`);
  for (const [method, path] of paths(id)) {
    t.match(await call(method, path, { token, ...(method === 'POST' && { payload: {} }) }), notFound, `${method} of another account`);
  }
  t.strictSame((await call('GET', '/v1/flows', { token })).body.data, []);
});

t.test('a number without a business account cannot use flows', async (t) => {
  const { call, number } = await startFlows(t);
  const { token } = await number('network');
  for (const [method, path] of [
    ['GET', '/v1/flows'],
    ['POST', '/v1/flows/1/publish'],
    ['GET', '/v1/flows/1/preview'],
  ] as const) {
    t.match(await call(method, path, { token }), {
      status: 400,
      body: { meta: metaOf(400), errors: [{ title: 'WABA not found', details: /./ }] },
    });
  }
});

t.test('numbers of other kinds than network are not supported', async (t) => {
  const { call, number } = await startFlows(t);
  for (const kind of ['channel', 'sandbox'] as const) {
    const { token } = await number(kind, { account: 'ours' });
    t.match(await call('GET', '/v1/flows', { token }), {
      status: 403,
      body: { meta: metaOf(403), error: { code: 'not_supported', message: /./, type: 'NotSupported' } },
    });
  }
});

t.test('a path without flow_id gets missing_parameters', async (t) => {
  const { api } = await startFlows(t);
  const missing = {
    status: 400,
    body: { meta: metaOf(400), error: { code: 'missing_parameters', message: /flow_id/, type: 'BadRequest' } },
  };
  for (const [method, path] of [
    ['DELETE', '/v1/flows'],
    ['DELETE', '/v1/flows/'],
    ['DELETE', '/v1/flows//'],
    ['POST', '/v1/flows//'],
    ['POST', '/v1/flows//publish'],
    ['POST', '/v1/flows//deprecate'],
    ['POST', '/v1/flows//assets'],
    ['GET', '/v1/flows//assets'],
    ['GET', '/v1/flows//preview'],
  ] as const) {
    t.match(await api(method, path), missing, `${method} ${path}`);
  }
});

t.test('a call without its required body names the missing fields, or the body if no field is required', async (t) => {
  const { api, create } = await startFlows(t);
  const missing = (what: string) => ({
    status: 400,
    body: { error: { code: 'missing_parameters', message: `Missing parameters: ${what}` } },
  });
  t.match(await api('POST', '/v1/flows'), missing('name, flow_json'));
  t.match(await api('POST', `/v1/flows/${await create()}`), missing('the body'));
});

t.test('every response has meta, including errors of the kernel', async (t) => {
  const { api, call } = await startFlows(t, { rateLimits: { general: 8 } });
  const isEnveloped = ({ status, body }: Answer, expected: number) => {
    t.equal(status, expected);
    t.strictSame(body.meta, metaOf(expected));
  };
  isEnveloped(await call('GET', '/v1/flows'), 401);
  for (const token of [undefined, 'wrong'])
    t.match((await call('GET', '/v1/flows', token === undefined ? {} : { token })).body, {
      errors: [{ code: 1005, title: 'Access denied' }],
    });
  isEnveloped(await call('GET', '/v1/flows', { token: 'wrong' }), 401);
  isEnveloped(await api('PUT', '/v1/flows/1/2/3'), 404);
  isEnveloped(await api('PATCH', '/v1/flows'), 405);
  isEnveloped(await api('POST', '/v1/flows', '{', { 'content-type': 'application/json' }), 400);
  isEnveloped(await api('POST', '/v1/flows', 'x', { 'content-type': 'text/plain' }), 415);
  isEnveloped(await api('POST', '/v1/flows', `{"name":"${'x'.repeat(23 * 1024 * 1024)}"}`, { 'content-type': 'application/json' }), 413);
  isEnveloped(await api('GET', '/v1/flows?limit=no'), 400);
  for (const path of ['/v1/flows/%E0', '/v1/flows/%zz/preview', '/v1/flows/1/%']) isEnveloped(await api('GET', path), 400);
  for (let i = 0; i < 4; i++) await api('GET', '/v1/flows');
  const limited = await api('GET', '/v1/flows');
  isEnveloped(limited, 429);
  t.ok(limited.headers['retry-after']);
});

t.test('the preview URL stays the same for 30 days, or until invalidate requests a new one', async (t) => {
  const { api, create, clock } = await startFlows(t);
  const id = await create();
  const preview = async (query = '') => (await api('GET', `/v1/flows/${id}/preview${query}`)).body;
  const first = await preview();
  t.strictSame(Object.keys(first), ['meta', 'preview_url', 'expires_at']);
  t.match(first.expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const days = (Date.parse(first.expires_at) - clock.now().getTime()) / (24 * 60 * 60 * 1000);
  t.ok(days > 29.99 && days <= 30, `${days} days`);
  t.strictSame(await preview('?invalidate=false'), first);
  const second = await preview('?invalidate=true');
  t.not(second.preview_url, first.preview_url);

  await clock.advance(29 * 24 * 60 * 60 * 1000);
  t.equal((await preview()).preview_url, second.preview_url);
  await clock.advance(24 * 60 * 60 * 1000);
  t.not((await preview()).preview_url, second.preview_url, 'an expired URL is replaced');
});

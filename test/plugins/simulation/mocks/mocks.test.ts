import fc from 'fast-check';
import t from 'tap';
import { MockSequence, readMocks } from '../../../../plugins/simulation/mocks/mocks.js';
import { runs } from '../../../forms.js';

const sequence = (...mocks: object[]) => new MockSequence(readMocks(mocks, []), []);
const statuses = (mocks: MockSequence, url: string, count: number, method = 'GET') =>
  Array.from({ length: count }, () => mocks.match(method, url)?.mock.status);
const mock = (url: string, status: number, method?: string) => ({ url, response: { status }, ...(method && { method }) });

t.test('each mock answers one request, in order; the last matching one answers repeatedly', async (t) => {
  t.strictSame(statuses(sequence(mock('*/x', 500), mock('*/x', 200)), 'https://a.test/x', 4), [500, 200, 200, 200]);
  t.strictSame(
    statuses(sequence(mock('*/x', 500), mock('*/x', 200), mock('*', 404)), 'https://a.test/x', 4),
    [500, 200, 404, 404],
    'a catch-all mock is the last match of every URL',
  );
  const mocks = sequence(mock('*/x', 201), mock('*/y', 202), mock('*/x', 203));
  t.strictSame([...statuses(mocks, 'https://a.test/y', 2), ...statuses(mocks, 'https://a.test/x', 3)], [202, 202, 201, 203, 203]);
});

t.test('used mocks stay used, and later mocks answer first', async (t) => {
  const mocks = readMocks([mock('*', 500), mock('*', 200)], []);
  const first = new MockSequence(mocks, []);
  statuses(first, 'https://a.test/', 2);
  t.strictSame(first.used, [0, 1]);
  const again = new MockSequence([...mocks, ...readMocks([mock('*', 201)], mocks)], first.used);
  t.strictSame(statuses(again, 'https://a.test/', 3), [201, 201, 201]);
});

t.test('a method is matched if given, in any case', async (t) => {
  const mocks = sequence(mock('*', 201, 'post'), mock('*', 200));
  t.strictSame(statuses(mocks, 'https://a.test/', 1, 'GET'), [200]);
  t.strictSame(statuses(mocks, 'https://a.test/', 1, 'POST'), [201]);
});

t.test('a response is 200 and empty by default; an object is sent as JSON, a string unchanged', async (t) => {
  const answer = (response?: object) => sequence({ url: '*', ...(response && { response }) }).match('GET', 'https://a.test/')?.mock;
  t.match(answer(), { status: 200, body: '', headers: {} });
  t.match(answer({ body: { a: [1] } }), { status: 200, body: '{"a":[1]}', headers: { 'content-type': 'application/json' } });
  t.match(answer({ body: [1, null] }), { body: '[1,null]' });
  t.match(answer({ body: null }), { body: 'null' });
  t.match(answer({ body: 'plain', status: 404 }), { status: 404, body: 'plain', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  t.match(answer({ body: 'a,b', headers: { 'Content-Type': 'text/csv', 'X-Own': '1' } }), {
    headers: { 'content-type': 'text/csv', 'x-own': '1' },
  });
});

t.test('errors of a mock name its position and field', async (t) => {
  const right = { url: '*' };
  const wrong: [mock: unknown, part: RegExp][] = [
    [null, /^mock 2: must be an object$/],
    ['x', /^mock 2: must be an object$/],
    [[], /^mock 2: must be an object$/],
    [{}, /^mock 2: url must be a non-empty string$/],
    [{ url: 7 }, /^mock 2: url/],
    [{ url: '' }, /^mock 2: url/],
    [{ url: 'x'.repeat(3_000) }, /^mock 2: url must have at most 2048/],
    [{ url: '/:a/:a' }, /^mock 2: duplicate parameter :a$/],
    [{ url: '*', method: 7 }, /^mock 2: method/],
    [{ url: '*', method: 'GET /' }, /^mock 2: method/],
    [{ url: '*', status: 404 }, /^mock 2: status must be inside response$/],
    [{ url: '*', body: {} }, /^mock 2: body must be inside response$/],
    [{ url: '*', response: 'x' }, /^mock 2: response must be an object$/],
    [{ url: '*', response: { status: '200' } }, /^mock 2: response\.status/],
    [{ url: '*', response: { status: 99 } }, /^mock 2: response\.status/],
    [{ url: '*', response: { status: 600 } }, /^mock 2: response\.status/],
    [{ url: '*', response: { status: 200.5 } }, /^mock 2: response\.status/],
    [{ url: '*', response: { body: 'x'.repeat(1_100_000) } }, /^mock 2: response\.body must have at most/],
    [{ url: '*', response: { headers: { a: 1 } } }, /^mock 2: response\.headers\.a must be a string$/],
  ];
  for (const [given, part] of wrong) {
    t.throws(
      () => readMocks([right, given], []),
      { message: new RegExp(`^Invalid http_mocks: ${part.source.slice(1)}`), status: 400 },
      part.source,
    );
  }
  const stored = (count: number) =>
    readMocks(
      Array.from({ length: count }, () => right),
      [],
    );
  t.throws(() => readMocks([right], stored(200)), {
    message: /^Invalid http_mocks: a simulation can have at most 200 mocks; with these it would have 201$/,
  });
  t.throws(() => readMocks([{}], stored(5)), { message: /mock 6: url/ }, 'counted with the mocks of earlier requests');
  const large = { url: '*', response: { body: 'x'.repeat(1024 * 1024) } };
  const eight = readMocks(
    Array.from({ length: 8 }, () => large),
    [],
  );
  t.equal(readMocks([right], eight).length, 1);
  t.throws(() => readMocks([{ url: '*', response: { body: 'x' } }], eight), {
    message: 'Invalid http_mocks: the mock bodies of a simulation can have at most 8388608 bytes; with these they would have 8388609',
  });
});

t.test('the failure of an unmatched request names the closest mock and the difference', async (t) => {
  const mocks = sequence(
    mock('https://b.test/orders', 200),
    mock('https://a.test/v1/orders/:id', 200),
    mock('https://a.test/v2', 200, 'POST'),
  );
  t.equal(
    mocks.explainMiss('GET', 'https://a.test/v1/items/7'),
    'no mock matched GET https://a.test/v1/items/7; closest: mock 2, differs at "items/7"',
  );
  t.match(mocks.explainMiss('GET', 'https://a.test/v1/orders/7/items'), /closest: mock 2, ends before "\/items"$/);
  t.match(mocks.explainMiss('GET', 'https://a.test/v1'), /closest: mock 2, expects more: "\/orders\/"$/);
  t.match(mocks.explainMiss('GET', 'https://a.test/v2'), /closest: mock 3, which is for POST$/);
  t.equal(sequence().explainMiss('GET', 'https://a.test/'), 'no mock matched GET https://a.test/');
});

t.test('the order of mocks holds for random mocks and requests', async (t) => {
  const url = fc.constantFrom('https://a.test/x', 'https://a.test/y', 'https://a.test/x/1');
  const pattern = fc.constantFrom('*', '*/x', '*/y', 'https://a.test/:one', 'https://a.test/x/*');
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 6 }), fc.array(url, { maxLength: 12 }), (patterns, urls) => {
      const mocks = new MockSequence(
        readMocks(
          patterns.map((url, i) => mock(url, 200 + i)),
          [],
        ),
        [],
      );
      const used = new Set<number>();
      return urls.every((url) => {
        const fitting = patterns.flatMap((pattern, i) =>
          new MockSequence(readMocks([mock(pattern, 200)], []), []).match('GET', url) ? i : [],
        );
        const wanted = fitting.find((i) => !used.has(i)) ?? fitting.at(-1);
        if (wanted !== undefined) used.add(wanted);
        return mocks.match('GET', url)?.mock.status === (wanted === undefined ? undefined : 200 + wanted);
      });
    }),
    { numRuns: runs(1_000), seed: 5 },
  );
  t.pass('1,000 rows');
});

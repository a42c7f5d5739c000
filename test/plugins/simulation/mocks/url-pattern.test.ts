import fc from 'fast-check';
import t from 'tap';
import { urlPattern } from '../../../../plugins/simulation/mocks/url-pattern.js';
import { runs, stride } from '../../../forms.js';

type Params = Readonly<Record<string, string>>;

/** Pattern, URL, and the values of the names; undefined for no match. */
const cases: readonly (readonly [pattern: string, url: string, params: Params | undefined])[] = [
  ['*', 'https://a.test/anything?at=all', {}],
  ['**', 'https://a.test/', {}],
  ['https://a.test/orders/:id', 'https://a.test/orders/7', { id: '7' }],
  ['https://a.test/orders/:id', 'https://a.test/orders/7?full=1', { id: '7' }],
  ['https://a.test/orders/:id', 'https://a.test/orders/7/items', undefined],
  ['https://a.test/orders/:id', 'https://a.test/orders/', undefined],
  ['https://a.test/orders/:id/', 'https://a.test/orders/7', undefined],
  ['https://a.test/:a/:b', 'https://a.test/x/y', { a: 'x', b: 'y' }],
  ['https://a.test/:id.json', 'https://a.test/a.b.json', { id: 'a.b' }],
  ['https://a.test/:name', 'https://a.test/a%20b%2Fc', { name: 'a b/c' }],
  ['https://a.test/:name', 'https://a.test/a%zz', { name: 'a%zz' }],
  ['*/orders/:id', 'https://a.test/v1/orders/7', { id: '7' }],
  ['https://a.test/*/items', 'https://a.test/x/y/items', {}],
  ['https://a.test/*', 'https://a.test/', {}],
  ['https://a.test/files/*', 'https://a.test/files/', {}],
  ['https://a.test', 'https://a.test/', {}],
  ['https://a.test/', 'https://a.test', {}],
  ['https://a.test', 'https://a.test/x', undefined],
  ['https://a.test:8443/x', 'https://a.test:8443/x', {}],
  ['https://a.test:443/x', 'https://a.test/x', {}],
  ['https://a.test/x', 'https://a.test:443/x', {}],
  ['http://a.test:443/x', 'http://a.test/x', undefined],
  ['HTTPS://A.Test/x', 'https://a.test/x', {}],
  ['https://a.test/x', 'https://A.TEST/x', {}],
  ['https://a.test/X', 'https://a.test/x', undefined],
  ['https://a.test/items:batchGet', 'https://a.test/items:batchGet', {}],
  ['https://a.test/:7', 'https://a.test/:7', {}],
  ['https://a.test/v1.0/a+b', 'https://a.test/v1.0/a+b', {}],
  ['https://a.test/v1.0', 'https://a.test/v1x0', undefined],
  ['https://a.test/x(1)', 'https://a.test/x(1)', {}],
  ['https://a.test/search?q=*', 'https://a.test/search?q=hello&page=2', {}],
  ['https://a.test/search?q=1', 'https://a.test/search?q=2', undefined],
  ['https://a.test/search?q=1', 'https://a.test/search', undefined],
  ['https://a.test/search?x=/:id', 'https://a.test/search?x=/:id', {}],
  ['https://a.test/:id?x=1', 'https://a.test/7?x=1', { id: '7' }],
  ['https://a.test/x#part', 'https://a.test/x#other', {}],
  ['https://a.test/*a*b', 'https://a.test/xxaxxbxx', undefined],
  ['https://a.test/*a*b', 'https://a.test/xxaxxb', {}],
  ['https://a.test/café/:name', 'https://a.test/café/é', { name: 'é' }],
  ['https://a.test/a b', 'https://a.test/a%20b', {}],
  ['not/an/address', 'not/an/address', {}],
];

t.test('patterns match URLs', async (t) => {
  for (const [pattern, url, params] of cases) t.strictSame(urlPattern(pattern).match(url), params, `${pattern}  ${url}`);
});

t.test('a name can occur only once in a pattern', async (t) => {
  t.throws(() => urlPattern('https://a.test/:id/:id'), { message: 'duplicate parameter :id' });
});

/** A slow reference matcher: every piece tries every possible end, the longest first for names. */
function naive(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*'))
    return Array.from({ length: text.length + 1 }, (_, i) => i).some((i) => naive(pattern.slice(1), text.slice(i)));
  const name = /^\/:[a-z]+/.exec(pattern)?.[0];
  if (name === undefined) return pattern[0] === text[0] && naive(pattern.slice(1), text.slice(1));
  if (text[0] !== '/') return false;
  const segment = /^[^/?]*/.exec(text.slice(1))![0];
  return Array.from(segment, (_, i) => i + 1).some((i) => naive(pattern.slice(name.length), text.slice(1 + i)));
}

t.test('the matcher agrees with a slow reference matcher', async (t) => {
  const piece = fc.constantFrom('*', '/:a', '/:b', '/', 'x', 'y', '.', 'xy');
  const pattern = fc
    .uniqueArray(piece, { maxLength: 7, selector: (text) => (text.startsWith('/:') ? text : Math.random()) })
    .map((all) => `/${all.join('')}`);
  const path = fc.array(fc.constantFrom('/', 'x', 'y', '.', 'xy'), { maxLength: 8 }).map((all) => `/${all.join('')}`);
  let matched = 0;
  fc.assert(
    fc.property(pattern, path, (pattern, path) => {
      // A colon starts a name only after a slash.
      const isMatch = urlPattern(pattern).match(path) !== undefined;
      if (isMatch) matched++;
      return isMatch === naive(pattern, path);
    }),
    { numRuns: runs(5_000), seed: 3 },
  );
  t.ok(matched > 100 / stride(10), `${matched} matched`);
});

t.test('matching takes at most pattern length times URL length steps, however many stars there are', async (t) => {
  const url = `https://a.test/${'a'.repeat(4_000)}`;
  const pattern = urlPattern(`https://a.test/${'*a'.repeat(31)}*b`);
  t.equal(pattern.match(url), undefined);
  t.ok(pattern.steps() <= 70 * url.length, `${pattern.steps()} steps`);
  t.match(pattern.closest(url), { fits: url.length });
});

t.test('closest returns how far the pattern matches, its next text, and the rest of the URL', async (t) => {
  const near = (pattern: string, url: string) => urlPattern(pattern).closest(url);
  t.strictSame(near('https://a.test/v1/x', 'https://a.test/v2/x'), { fits: 16, wants: '1/x', has: '2/x' });
  t.strictSame(near('https://a.test/v1/:id/items', 'https://a.test/v1/7/parts'), { fits: 20, wants: 'items', has: 'parts' });
  t.strictSame(near('https://a.test/x', 'https://a.test/x/'), { fits: 16, wants: '', has: '/' });
  t.strictSame(near('https://a.test/x/', 'https://a.test/x'), { fits: 16, wants: '/', has: '' });
});

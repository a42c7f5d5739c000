import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import t from 'tap';

const built = new URL('../../../plugins/webchat/built/', import.meta.url);
const sources = new URL('../../../../plugins/webchat/app/', import.meta.url);
const compressed = (name: string): number => gzipSync(readFileSync(new URL(name, built)), { level: 9 }).length;

t.test('the widget is as small as its page says', async (t) => {
  const [loader, app] = [compressed('loader.js'), compressed('app.js')];
  t.ok(loader <= 2_000, `the loader has ${loader} bytes`);
  t.ok(app <= 28_000, `the application has ${app} bytes`);
  const files = readdirSync(sources).filter((name) => /\.(tsx?|css)$/.test(name));
  const lines = files.map((name) => readFileSync(new URL(name, sources), 'utf8').split('\n').length - 1);
  const total = lines.reduce((sum, count) => sum + count, 0);
  t.ok(total <= 2_500, `the widget has ${total} lines`);
});

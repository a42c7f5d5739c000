import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

t.test('the page on advice lists exactly the advice in the code', async (t) => {
  const files = ['core', 'plugins'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  // Advice has a name, a message and a fix, in this order, possibly with other keys between.
  const given = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/name: '([a-z]+(?:_[a-z]+)+)',(?:(?!name: ').)*?\bfix:/gs),
  ]);
  const page = readFileSync('plugins/network/README.md', 'utf8');
  const listed = /emitted as `advice` events, with a message and a fix: (.*?)\.\n/s.exec(page)?.[1] ?? '';
  t.strictSame(
    [...listed.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name),
    [...new Set(given.map(([, name]) => name))].sort(),
  );
});

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runVerb } from '../../../sandbox/mcp/run-verb.js';
import { within } from '../../../sandbox/mcp/within.js';
import { newFolder } from '../../iso/posthorn-process.js';

t.test('tools of MCP use files of their folder only, also through links', async (t) => {
  const outside = newFolder(t);
  writeFileSync(join(outside, 'key'), 'secret');
  const real = newFolder(t);
  mkdirSync(join(real, 'journeys/..odd'), { recursive: true });
  writeFileSync(join(real, 'journeys/menu.md'), '# Menu');
  symlinkSync(join(real, 'journeys'), join(real, 'inside'));
  symlinkSync(outside, join(real, 'link'));
  symlinkSync(join(outside, 'new.test.yaml'), join(real, 'new.test.yaml'));
  const folder = join(newFolder(t), 'folder');
  symlinkSync(real, folder);

  for (const file of ['journeys/menu.md', 'inside/menu.md', 'journeys/new.test.yaml', 'journeys/..odd', '.', join(folder, 'journeys')])
    t.equal(join(folder, within(file, folder)), join(folder, file.replace(folder, '')), file);
  for (const file of ['../other', '/etc/hosts', 'link/key', 'link/new.test.yaml', 'link', '..'])
    t.throws(() => within(file, folder), { name: 'UsageError', message: /is outside .*; name files of this folder/ }, file);
  t.throws(() => within('new.test.yaml', folder), { message: /is a broken link/ }, 'a link through which a file would be written');
});

t.test('a text that cannot be passed to a process is refused with the reason', async (t) => {
  const place = { cwd: newFolder(t), env: {}, signal: new AbortController().signal };
  await t.rejects(runVerb({ verb: ['send'], positionals: ['a\0b'] }, place), { name: 'UsageError', message: /has the character U\+0000/ });
  await t.rejects(runVerb({ verb: ['sign'], env: { POSTHORN_SECRET: '\0' } }, place), { message: /has the character U\+0000/ });
  await t.rejects(runVerb({ verb: ['send'], flags: { name: 'x'.repeat(131_072) } }, place), { message: /has more than 131008 bytes/ });
});

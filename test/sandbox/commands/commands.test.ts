import { readdirSync } from 'node:fs';
import t from 'tap';
import type { Command } from '../../../sandbox/commands/command.js';

/** The members of a command, in the order of its file. */
const SKELETON = ['summary', 'usage', 'examples', 'notes', 'flags', 'run'];

const names = readdirSync('sandbox/commands')
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => name !== 'command');

t.test('each file has one command, with its members in the same order', async (t) => {
  t.ok(names.length > 10, `${names.length} commands`);
  for (const name of names) {
    const exported: Record<string, Command> = await import(`../../../sandbox/commands/${name}.js`);
    t.strictSame(Object.keys(exported), [name], `${name}.ts exports only its command`);
    const command = exported[name]!;
    t.strictSame(Object.keys(command), SKELETON, name);
    t.ok(command.usage === name || command.usage.startsWith(`${name} `), `the usage of ${name} starts with its name`);
    t.match(command.summary, /^\S.*[^.]$/, name);
    t.ok(Object.keys(command.flags).length > 0 && command.notes!.length > 0, name);
  }
});

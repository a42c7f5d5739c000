import { readdirSync } from 'node:fs';
import type { Command } from '../../sandbox/commands/command.js';
import { shownFlag } from '../../sandbox/terminal/help.js';
import { code, table } from './table.js';

export async function commands(): Promise<ReadonlyMap<string, Command>> {
  const names = readdirSync('sandbox/commands')
    .filter((file) => file.endsWith('.ts') && file !== 'command.ts')
    .map((file) => file.replace(/\.ts$/, ''))
    .sort();
  const loaded = await Promise.all(
    names.map(async (name) => {
      const module = (await import(`../../sandbox/commands/${name}.js`)) as Record<string, Command>;
      const command = module[name];
      return command?.usage ? ([name, command] as const) : undefined;
    }),
  );
  return new Map(loaded.filter((entry) => entry !== undefined));
}

export async function commandTables(): Promise<string> {
  const parts = [...(await commands()).values()].map(({ usage, summary, flags }) => {
    const rows = Object.entries(flags).map(([name, flag]) => [code(shownFlag(name, flag)), flag.help]);
    return [`**\`posthorn ${usage}\`** ${summary}.`, ...(rows.length > 0 ? [table(['Flag', 'What it does'], rows)] : [])].join('\n\n');
  });
  return parts.join('\n\n');
}

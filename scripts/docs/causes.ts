import { coreCauses } from '../../core/causes.js';
import type { Causes } from '../../core/contract/cause.js';
import { sandboxCauses } from '../../sandbox/causes.js';
import { everything } from './everything.js';
import { code, table } from './table.js';

/** The causes of the core, of all plugins, and of the plugins of a sandbox. */
export async function causesByPlugin(): Promise<readonly (readonly [plugin: string, causes: Causes])[]> {
  const { plugins } = await everything();
  const declared = plugins.map(({ manifest: { name, causes = {} } }) => [name, causes] as const);
  return [['core', coreCauses] as const, ...declared, ...Object.entries(sandboxCauses)].filter(
    ([, causes]) => Object.keys(causes).length > 0,
  );
}

/** The page of causes: a table for each plugin, in the order of names. */
export async function causeTables(): Promise<string> {
  const tables = (await causesByPlugin()).map(([plugin, causes]) => {
    const rows = Object.entries(causes).sort(([a], [b]) => (a < b ? -1 : 1));
    const cells = rows.map(([cause, { meaning, who, action, retry }]) => [code(cause), meaning, who, action, retry ? 'yes' : 'no']);
    const heading = plugin === 'core' ? 'The core' : `Plugin \`${plugin}\``;
    return `## ${heading}\n\n${table(['Cause', 'Meaning', 'Who acts', 'Action', 'Retry'], cells)}`;
  });
  return tables.join('\n\n');
}

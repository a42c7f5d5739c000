import { everything } from './everything.js';
import { code, table } from './table.js';

/** The table of events: the plugin that emits each, and the plugins that listen, before the commit or after it. */
export async function listenerTable(): Promise<string> {
  const { events, subscriptions } = await everything();
  const rows = new Map<string, { readonly owners: string[]; readonly before: string[]; readonly after: string[] }>();
  for (const [plugin, types] of events) {
    for (const { name } of types) {
      const row = rows.get(name) ?? { owners: [], before: [], after: [] };
      row.owners.push(plugin);
      rows.set(name, row);
    }
  }
  for (const [plugin, received] of subscriptions) {
    for (const { event, phase } of received) {
      const row = rows.get(event.name);
      if (!row) throw new Error(`${plugin} listens to ${event.name}, which no plugin emits`);
      const list = phase === 'beforeCommit' ? row.before : row.after;
      if (!list.includes(plugin)) list.push(plugin);
    }
  }
  const names = (plugins: readonly string[]): string => plugins.map(code).join(', ');
  return table(
    ['Event', 'Emitted by', 'Listeners before the commit', 'Listeners after it'],
    [...rows].map(([name, { owners, before, after }]) => [code(name), names(owners), names(before), names(after)]),
  );
}

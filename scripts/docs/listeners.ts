import { everything } from './everything.js';
import { code, table } from './table.js';

/** Which plugin announces an event, and which plugins hear it: inside the transaction of its cause, or after it is durable. */
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
      if (!row) throw new Error(`${plugin} hears ${event.name}, which no plugin announces`);
      const list = phase === 'beforeCommit' ? row.before : row.after;
      if (!list.includes(plugin)) list.push(plugin);
    }
  }
  const names = (plugins: readonly string[]): string => plugins.map(code).join(', ');
  return table(
    ['Event', 'Announced by', 'Heard before the commit by', 'Heard after it by'],
    [...rows].map(([name, { owners, before, after }]) => [code(name), names(owners), names(before), names(after)]),
  );
}

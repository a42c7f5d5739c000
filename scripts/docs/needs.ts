import type { NeededPlugin } from '../../core/contract/plugin.js';
import { nameOf } from '../../core/kernel/plugins/order.js';
import { everything } from './everything.js';
import { code, table } from './table.js';

/** The table of plugins: what each needs, and the services that it offers. */
export async function needsTable(): Promise<string> {
  const { plugins } = await everything();
  const names = (list: readonly NeededPlugin[] = []): string => list.map((one) => code(nameOf(one))).join(', ');
  return table(
    ['Plugin', 'Needs', 'Optional', 'Offers'],
    plugins.map(({ manifest: { name, needs, optional, offers } }) => [
      ...[code(name), names(needs), names(optional), names(offers?.map((service) => service.name))],
    ]),
  );
}

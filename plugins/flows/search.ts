import type { Contributions } from '#core';
import type { LocalOperator } from './operator/local-operator.js';
import type { FlowRecord } from './records.js';

type Source = NonNullable<Contributions['search']>[number];
type Found = Awaited<ReturnType<Source['find']>>['found'][number];

/** A text in Flow JSON. */
const TEXT = /"((?:[^"\\]|\\.)*)"/g;

/** Lets searches find flows: names, and the screens, labels and other texts of their definitions. */
export const flowSearch = ({ all, get, definition }: Pick<LocalOperator, 'all' | 'get' | 'definition'>): Source => ({
  kind: 'flow',
  permission: 'flows.read',
  async find({ excerptOf }, bounds) {
    const found: Found[] = [];
    const visible = (await all()).filter(bounds.sees).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    for (const flow of visible) {
      const inName = excerptOf(flow.name);
      if (inName !== undefined) {
        found.push(foundFlow(flow, inName));
        continue;
      }
      for (const [, text = ''] of ((await definition(flow.id))?.bytes.toString() ?? '').matchAll(TEXT)) {
        const isInTime = await bounds.goOn();
        const excerpt = excerptOf(text);
        if (excerpt !== undefined) {
          found.push(foundFlow(flow, excerpt));
          break;
        }
        if (!isInTime) return bounds.page(found, { at: flow.updated_at });
      }
    }
    return bounds.page(found);
  },
  async byId(id) {
    const flow = await get(id);
    return flow ? [foundFlow(flow)] : [];
  },
});

const foundFlow = ({ id, name: title, account, updated_at: at }: FlowRecord, text = ''): Found => ({ id, title, text, at, account });

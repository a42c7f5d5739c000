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
    for (const flow of (await all()).filter(bounds.sees).sort(newestFirst)) {
      if (!bounds.isNext({ at: flow.updated_at, id: flow.id })) continue;
      const inName = excerptOf(flow.name);
      if (inName === undefined) found.push(...inLine(flow, (await definition(flow.id))?.bytes.toString() ?? '', excerptOf));
      else found.push(foundFlow(flow, inName));
      if (!(await bounds.goOn())) return bounds.page(found, { at: flow.updated_at, id: flow.id });
    }
    return bounds.page(found);
  },
  async byId(id) {
    const flow = await get(id);
    return flow ? [foundFlow(flow)] : [];
  },
});

/** The first line with a text that has the words. */
function inLine(flow: FlowRecord, definition: string, excerptOf: (text: string) => string | undefined): Found[] {
  // The whole first: most flows have none of the words.
  if (excerptOf(definition) === undefined) return [];
  for (const [i, line] of definition.split('\n').entries())
    for (const [, text = ''] of line.matchAll(TEXT)) {
      const excerpt = excerptOf(text);
      if (excerpt !== undefined) return [{ ...foundFlow(flow, excerpt), line: i + 1 }];
    }
  return [];
}

const newestFirst = (a: FlowRecord, b: FlowRecord): number =>
  a.updated_at < b.updated_at || (a.updated_at === b.updated_at && a.id < b.id) ? 1 : -1;

const foundFlow = ({ id, name: title, account, updated_at: at }: FlowRecord, text = ''): Found => ({ id, title, text, at, account });

import type { LiveEvent } from '../../data/live-event.js';

/** An event in a tree of causes: those of a message are below it, and those of its deliveries below each delivery. */
export interface TreeRow {
  readonly event: LiveEvent;
  readonly depth: number;
}

interface Branch {
  readonly event: LiveEvent;
  readonly children: Branch[];
}

/**
 * The events about a record, as a tree in the order of time. For a message or delivery with everything that it caused; for a conversation
 * with its messages, their deliveries and the turns of journeys; for other ids every event that mentions it.
 */
export function eventsAbout(all: readonly LiveEvent[], id: string): TreeRow[] {
  if (id === '') return [];
  const mentions = (event: LiveEvent): boolean => event.json.includes(id);
  const direct = all.filter(mentions);
  const conversation = direct.map(conversationOf).find((found) => found !== undefined);
  const isPart = conversation !== undefined && direct.some((event) => isSubject(event, id));
  if (!isPart) return rowsOf(treeOf(direct));
  const whole = treeOf(inConversation(all, conversation));
  return rowsOf(conversation === id ? whole : topmost(whole, mentions));
}

/** Whether an id is that of the message, delivery or conversation of an event. Others, such as a number's, have many conversations. */
function isSubject({ name, data }: LiveEvent, id: string): boolean {
  return [messageOf(name, data), data?.delivery?.uuid, data?.delivery?.message, data?.conversation?.uuid, data?.conversation].includes(id);
}

function inConversation(all: readonly LiveEvent[], conversation: string): LiveEvent[] {
  const own = all.filter(({ json }) => json.includes(conversation));
  const messages = new Set(own.flatMap(({ name, data }) => messageOf(name, data) ?? []));
  const members = new Set(own);
  // A turn of a journey names the message that it answers, but not the conversation.
  return all.filter((event) => members.has(event) || (event.name.startsWith('journey.') && messages.has(event.data?.message)));
}

const conversationOf = ({ data }: LiveEvent): string | undefined =>
  [data?.conversation?.uuid, data?.conversation, data?.message?.conversation, data?.delivery?.conversation].find(
    (one) => typeof one === 'string',
  );

function messageOf(name: string, data: LiveEvent['data']): string | undefined {
  const found = name.startsWith('message.') ? data?.message?.uuid : data?.message;
  return typeof found === 'string' ? found : undefined;
}

function treeOf(events: readonly LiveEvent[]): Branch[] {
  const roots: Branch[] = [];
  /** By the ids of messages and deliveries. */
  const branches = new Map<string, Branch>();
  let lastInbound: Branch | undefined;
  for (const event of events) {
    const { name, data } = event;
    const branch: Branch = { event, children: [] };
    const subject: unknown = name.startsWith('delivery.')
      ? data?.delivery?.uuid
      : name.startsWith('message.')
        ? data?.message?.uuid
        : undefined;
    const known = typeof subject === 'string' ? branches.get(subject) : undefined;
    const cause: unknown = name.startsWith('delivery.') ? data?.delivery?.message : data?.message;
    const parent =
      known ??
      (typeof cause === 'string' ? branches.get(cause) : undefined) ??
      (name.startsWith('journey.') || data?.message?.journey ? lastInbound : undefined);
    (parent?.children ?? roots).push(branch);
    if (typeof subject === 'string' && !known) branches.set(subject, branch);
    if (name === 'message.received') lastInbound = branch;
  }
  return roots;
}

/** The branches that begin with an event about the record. */
const topmost = (branches: readonly Branch[], mentions: (event: LiveEvent) => boolean): Branch[] =>
  branches.flatMap((branch) => (mentions(branch.event) ? [branch] : topmost(branch.children, mentions)));

const rowsOf = (branches: readonly Branch[], depth = 0): TreeRow[] =>
  branches.flatMap(({ event, children }) => [{ event, depth }, ...rowsOf(children, depth + 1)]);

/** The panel of the example integration: a table, a list, suggested replies and two actions. The data are made up, and in memory. */
const DAY_MS = 86_400_000;

/** In production, use a database. */
const readers = new Map<string, { due: Date; readonly waiting: string[] }>();

function readerAt(address: string) {
  const reader = readers.get(address) ?? { due: new Date(Date.now() + 3 * DAY_MS), waiting: ['Paddle Your Own Canoe'] };
  readers.set(address, reader);
  return reader;
}

/** The response to the handshake. The order of the objects is the order on screen; their codes are the keys in every update. */
export const handshake = {
  version: '1.0.0-alpha',
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [
      { title: 'Loan', code: 'loan', type: 'table' },
      { title: 'Waiting list', code: 'waiting', type: 'ordered-list' },
    ],
  },
};

/** The panel of the conversation that an operator has opened. `messages` are sorted newest first. */
export function update({ chat, messages }: { chat: { owner: string }; messages: { text?: { body: string } }[] }) {
  const { due, waiting } = readerAt(chat.owner);
  const lastText = messages.find(({ text }) => text)?.text?.body ?? '';
  const day = due.toISOString().slice(0, 10);
  return {
    version: '1.0.0-alpha',
    context_objects: {
      loan: { Book: '*The Compleat Angler*', 'Due on': day, Rules: '[How to extend](https://library.example/extend)' },
      waiting: waiting.length > 0 ? waiting : ['Nothing'],
    },
    actions: {
      extend: { description: 'Extend the loan', url: '/actions/extend', payload: {}, options: { week: 'By a week', month: 'By a month' } },
      reserve: { description: 'Reserve the next one', url: 'actions/reserve', payload: { title: 'The Sea Around Us' } },
    },
    suggested_responses: [
      { type: 'TEXT', title: 'Due date', body: `Your book is due on ${day}.`, confidence: /due|return|when/i.test(lastText) ? 0.9 : 0.4 },
      { type: 'TEXT', title: 'Greeting', body: 'Hello! How can we help?', confidence: 0.5 },
    ],
  };
}

/** The request that the platform sends when an operator clicks an action. */
export type Click = Readonly<Record<'address' | 'integration_uuid' | 'integration_action_uuid', string>> & {
  readonly option?: string;
  readonly payload: { readonly title?: string };
};

export function extend({ address, option }: Click) {
  const reader = readerAt(address);
  reader.due = new Date(reader.due.getTime() + (option === 'month' ? 30 : 7) * DAY_MS);
  return {};
}
export const reserve = ({ address, payload }: Click) => readerAt(address).waiting.push(payload.title ?? 'A book');

import { type Answer, type ConnectorFlaw, type Incoming, type Json, pairOfRequests, verifiers } from './connector-subject.js';

export type Flaw = ConnectorFlaw & { readonly subscriptions?: readonly string[] };

const textOf = ({ json }: Incoming): string => json?.turn?.text?.body ?? '';
const when =
  (
    fits: (incoming: Incoming) => boolean,
    bad: (good: Answer, incoming: Incoming) => Answer | Promise<Answer>,
  ): NonNullable<ConnectorFlaw['respond']> =>
  (incoming, good) =>
    fits(incoming) ? bad(good, incoming) : good;
const FAILED: Answer = { status: 500, body: {} };
const failsWhen = (fits: (incoming: Incoming) => boolean): Flaw => ({ respond: when(fits, () => FAILED) });
const slow = (ms: number): Flaw => ({
  respond: when(
    (incoming) => textOf(incoming) === 'How long does a response take?',
    (good, { clock }) => {
      clock.pass(ms);
      return good;
    },
  ),
});
const isKind = (name: string) => (incoming: Incoming) => {
  const { type = 'template', interactive } = incoming.json?.turn ?? {};
  return [type, interactive?.type].includes(name);
};
/** The checks of kinds send a text that no other check sends. */
const isKindCheck = (incoming: Incoming): boolean => JSON.stringify(incoming.json ?? '').includes('How can we help?');
const refusesKind = (name: string): Flaw => failsWhen((incoming) => isKind(name)(incoming) && isKindCheck(incoming));

const changedStatus = (change: (status: Json) => Json | undefined): Flaw => ({
  report: ({ status }) => {
    const changed = change(status);
    return changed === undefined ? undefined : { status: changed };
  },
});
const changedMessage = (change: (message: Json) => Json): Flaw => ({ post: (body) => ({ ...body, message: change(body.message) }) });
let counted = 0;

/** For each check the connector that fails it. */
export const connectorFlaws: Readonly<Record<string, Flaw>> = {
  'C-01': { verify: () => false },
  'C-02': slow(5_001),
  'C-03': slow(1_001),
  'C-04': slow(201),
  'C-05': { verify: verifiers.acceptsUnsigned },
  'C-06': { verify: verifiers.acceptsAnyBase64 },
  'C-07': { verify: verifiers.acceptsHex },
  'C-08': { verify: verifiers.acceptsOtherSecret },
  'C-09': { verify: verifiers.remembersSignatures },
  'C-10': { refusal: 500 },
  'C-11': { verify: verifiers.readsLatin1 },
  'C-12': { verify: verifiers.serializesAgain },
  'C-13': failsWhen(({ body }) => body.includes('12345678901234567890')),
  'C-14': { verify: verifiers.looksForCapitals },
  'C-15': { respond: (_, good) => (good.status === 200 ? { ...good, status: 201 } : good) },
  'C-16': { respond: (_, good) => ({ ...good, headers: { 'content-type': 'text/html' } }) },
  'C-17': { respond: (_, good) => (good.status === 200 ? { ...good, body: { message_id: 'm' } } : good) },
  'C-18': {
    respond: when(
      (incoming) => ['First', 'Second'].includes(textOf(incoming)),
      (good) => ({ ...good, body: { messages: [{ id: 'same' }] } }),
    ),
  },
  'C-19': failsWhen((incoming) => textOf(incoming).includes('Choose **one**')),
  'C-20': failsWhen((incoming) => textOf(incoming).includes('_Opening hours_')),
  'C-21': refusesKind('template'),
  'C-22': refusesKind('button'),
  'C-23': refusesKind('list'),
  'C-24': refusesKind('flow'),
  'C-25': refusesKind('video'),
  'C-26': failsWhen(isKind('audio')),
  'C-27': refusesKind('document'),
  'C-28': refusesKind('image'),
  'C-29': failsWhen(({ json }) => Object.keys(json ?? {}).some((key) => ['conformance_unknown', 'numbers'].includes(key))),
  'C-30': failsWhen(isKind('conformance_unknown')),
  'C-31': failsWhen(({ json }) => json?.context === null),
  'C-32': failsWhen(({ json }) => typeof json?.block?.uuid === 'string'),
  'C-33': ((seen) => failsWhen(({ body }) => seen.size === seen.add(body.toString()).size))(new Set<string>()),
  'C-34': (() => {
    const isPair = pairOfRequests();
    return {
      respond: async (incoming: Incoming, good: Answer) =>
        /of two/.test(textOf(incoming)) && (await isPair()) ? { status: 503, body: {} } : good,
    };
  })(),
  'C-35': failsWhen(({ body }) => body.length > 50_000),
  'C-36': failsWhen(({ json }) => json === undefined),
  'C-37': failsWhen(({ json }) => String(json?.turn?.image?.link).endsWith('/expired')),
  'C-38': {
    respond: when(
      ({ json }) => String(json?.turn?.image?.link).endsWith('/silent'),
      (good, { clock }) => {
        clock.pass(5_001);
        return good;
      },
    ),
  },
  'C-39': failsWhen(({ json }) => Array.isArray(json?.contacts)),
  'C-40': { subscriptions: ['msgapp'] },
  'C-41': { token: (what) => (what === 'statuses' ? 'another-token' : undefined) },
  'C-42': changedStatus((status) => (status.status === 'sent' ? undefined : status)),
  'C-43': changedStatus((status) => (status.status === 'delivered' ? undefined : status)),
  'C-44': changedStatus((status) => ({
    ...status,
    timestamp: ['sent', 'delivered'].includes(status.status) ? '1600000000' : status.timestamp,
  })),
  'C-45': changedStatus((status) => ({ ...status, recipient_id: 'another contact' })),
  // An unknown id would be accepted while the platform still waits for the response with the id.
  'C-46': changedStatus((status) => (['sent', 'delivered'].includes(status.status) ? { ...status, id: 7 } : status)),
  'C-47': {
    async afterwards(payload, post) {
      if (payload.turn.text?.body !== 'Your book is ready') return;
      const from = payload.to;
      const message = { from, id: `echo-${++counted}`, timestamp: '1767600000', type: 'text', text: payload.turn.text };
      await post('messages', { contact: { id: from, profile: { name: 'Echo' } }, message });
    },
  },
  'C-48': changedStatus((status) =>
    status.status === 'sent'
      ? { ...status, timestamp: String(2 * Math.floor(Date.now() / 1000) - Number(status.timestamp) - ++counted) }
      : status,
  ),
  'C-49': { post: () => undefined },
  'C-50': { token: (what) => (what === 'messages' ? 'another-token' : undefined) },
  'C-51': { post: ({ contact, message }) => ({ contact: { id: contact.id }, message }) },
  'C-52': changedMessage((message) => (message.text ? { ...message, text: { body: message.text.body.replaceAll('\n', ' ') } } : message)),
  'C-53': { post: ({ contact, message }) => ({ contact: { ...contact, id: 'user' }, message }) },
  'C-54': changedMessage((message) => ({ ...message, timestamp: '1600000000' })),
  'C-55': changedMessage((message) => ({ ...message, id: `of-${message.from}` })),
  'C-56': changedMessage((message) => retitled(message, 'button_reply')),
  'C-57': changedMessage((message) => retitled(message, 'list_reply')),
  'C-58': changedMessage((message) =>
    message.interactive?.type === 'button_reply' ? { ...message, context: { id: 'invented' } } : message,
  ),
  'C-59': changedMessage((message) => (message.interactive?.type === 'list_reply' ? { ...message, context: undefined } : message)),
  'C-60': changedMessage((message) => (message.type === 'text' ? { ...message, context: undefined } : message)),
  'C-61': changedMessage((message) => without(message, 'image', 'sha256')),
  'C-62': changedMessage((message) => without(message, 'audio', 'mime_type')),
  'C-63': changedMessage((message) => without(message, 'document', 'filename')),
  'C-64': changedStatus((status) => (status.status === 'read' ? undefined : status)),
  'C-65': changedStatus((status) => (status.status === 'failed' ? undefined : status)),
  'C-66': {
    respond: when(
      (incoming) => textOf(incoming) === 'One id',
      (good) => ({ ...good, body: { messages: [{ id: `out-${++counted}` }] } }),
    ),
  },
};

function retitled(message: Json, kind: string): Json {
  if (message.interactive?.type !== kind) return message;
  return { ...message, interactive: { type: kind, [kind]: { id: 'other', title: message.interactive[kind].title } } };
}

function without(message: Json, type: string, field: string): Json {
  if (message.type !== type) return message;
  return { ...message, [type]: { ...message[type], [field]: undefined } };
}

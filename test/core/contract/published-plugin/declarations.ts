// Every kind of declaration that a plugin makes, exported without a type where the compiler infers one. published-plugin.test.ts compiles this
// file as a package outside of the repository.
import {
  type AdminAuth,
  type Awaits,
  beforeCommit,
  type Caller,
  type Causes,
  type ChannelCapabilities,
  type ChannelDriver,
  type ContributedSender,
  type ConversationView,
  collection,
  consume,
  type Destination,
  defaultErrors,
  definePlugin,
  type ErrorShape,
  type EventType,
  type Explanation,
  event,
  messageReceived,
  type OutboundCheck,
  object,
  offer,
  on,
  oneOf,
  openTelemetry,
  type Page,
  type Payload,
  type PluginContext,
  queue,
  route,
  type StoreTransaction,
  service,
  string,
  type TaskType,
  type Tracing,
  type Transaction,
  type TypeOf,
  task,
  type WebhookClaims,
} from 'posthorn';
import type { PluginMetrics } from 'posthorn/ports';

interface Letter {
  readonly uuid: string;
  readonly to: string;
}

// Events, jobs, records, tasks

export const letterPosted = event<Letter>('night-mail.posted', 'A letter was posted.', { immutableBytes: ({ to }) => to.length });
export const letters = queue<Letter>('night-mail.letters', ({ uuid }) => ({ kind: 'letter', id: uuid, title: `letter ${uuid}` }));
export const lettersByUuid = collection<Letter>({ key: 'uuid', indexes: { to: ['to'] }, tenant: { global: true } });
export const weigh = task<Letter, number>('night-mail.weigh', new URL('./weigh.task.js', import.meta.url), { quick: true });
export const post = consume(letters, async ({ payload, attempt }) => void [payload.to, attempt]);
export const postOnce = consume(letters, async () => undefined, {
  maxAttempts: 1,
  onFailed: (tx: Transaction, { payload }) => tx.emit(letterPosted, payload),
});
export const onReceived = on(messageReceived, async ({ message, contact }) => void [message.uuid, contact.uuid]);
export const inReceived = beforeCommit(messageReceived, (payload, tx) => tx.in(lettersByUuid).put({ uuid: payload.message.uuid, to: 'x' }));

// Schemas, routes, payloads

export const letterSchema = object({ to: string(), kind: oneOf('card', 'letter') }, { note: string() });
export type LetterBody = TypeOf<typeof letterSchema>;
export const postLetter = route({
  method: 'POST',
  path: '/letters',
  summary: 'Posts a letter.',
  request: { payload: letterSchema },
  responses: { 200: letterSchema },
  errors: [409],
  handler: ({ payload, caller }) => ({ ...payload, number: caller.number.uuid }),
});
export const postBytes = route({
  method: 'POST',
  path: '/letters/scan',
  summary: 'Stores the picture of a letter.',
  auth: 'none',
  body: 'bytes',
  bucket: 'media',
  shards: 'process',
  responses: { 200: { contentType: 'image/png' } },
  handler: ({ payload }, h) => h.response(payload as Buffer),
});
export const letterPayload = { name: 'letter', summary: 'A letter was posted.', body: letterSchema, subscription: 'service' } as const;

// Services, tracing

export const points = service<{ add(to: string): Promise<number> }>('night-mail');
export const pointsOffer = offer(points, { add: async () => 1 });
export const tracing = openTelemetry({ name: 'night-mail' });

// The helpers that `register` calls, with a type or without one

export const createLetters = ({ store, clock, numbers, contacts, messages, deliveries, secrets, chunks, log }: PluginContext) => ({
  list: () => store.open(lettersByUuid).list(),
  add: (tx: StoreTransaction, to: string) => tx.in(lettersByUuid).put({ uuid: clock.now().toISOString(), to }),
  number: (caller: Caller) => numbers.require(caller.number.uuid),
  key: () => secrets.get('key'),
  log: (letter: Letter) => log.info('posted', { to: letter.to }),
  ...{ contacts, messages, deliveries, chunks },
});
export type Letters = ReturnType<typeof createLetters>;

export const capabilities: ChannelCapabilities = { limits: { text: 4096 } };
export const driver: ChannelDriver = {
  type: 'night-mail',
  capabilities,
  deliver: (tx, { message }) => tx.push(letters, { uuid: message.uuid, to: message.to }),
};
interface Sack extends Destination {
  readonly address: string;
}
export const sender: ContributedSender<Sack> = {
  name: 'night-mail',
  destination: () => undefined,
  request: ({ destination }) => ({
    method: 'POST',
    url: destination.address,
    body: '',
    signatures: [],
    deadlineMs: 1000,
    maxResponseBytes: 0,
  }),
};
export const page: Page = { name: 'letters', title: 'Letters', html: () => '<p>No letters</p>' };
export const view: ConversationView = { name: 'letters', load: async ({ contact }) => ({ of: contact.uuid }) };
export const explanation: Explanation = { name: 'letters', explain: async () => [] };
export const check: OutboundCheck = (_tx, { to }) => void to;
export const errors: ErrorShape = { ...defaultErrors };
export const adminAuth: AdminAuth = ({ headers }) => headers.cookie === 'open' || undefined;
export const awaits: Awaits = async () => false;
export const claims = (claims: WebhookClaims) => claims.live;
export const causes: Causes = {
  night_mail_full: { meaning: 'The sack is full.', who: 'operator', action: 'Wait for the train.', retry: true },
};
export const payloads: readonly Payload[] = [letterPayload];
export const addMetrics = (metrics: PluginMetrics) => metrics.counter({ name: 'night_mail_letters_total', help: 'Letters.' });
export const sameTypes: [EventType<Letter>, TaskType<Letter, number>, Tracing] = [letterPosted, weigh, tracing];

// The plugin

export const nightMail = definePlugin<{ route?: string }>({
  name: 'night-mail',
  version: '1.0.0',
  emits: [letterPosted],
  collections: { letters: lettersByUuid },
  tasks: [weigh],
  causes,
  offers: [points],
  register: () => ({
    channels: [driver],
    senders: [sender],
    consumes: [post, postOnce],
    on: [onReceived, inReceived],
    payloads: [letterPayload],
    adminAuth,
    awaits,
    views: [view],
    explanations: [explanation],
    pages: [page],
    outboundChecks: [check],
    errors,
    metrics: addMetrics,
    routes: [postLetter, postBytes],
    services: [pointsOffer],
  }),
});

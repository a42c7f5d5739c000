import t from 'tap';
import type { PluginDefinition } from '#core';
import {
  beforeCommit,
  type ConversationView,
  collection,
  consume,
  createPlatform,
  definePlugin,
  event,
  type NumberRecord,
  object,
  on,
  PlatformError,
  type Plugin,
  type PluginContext,
  queue,
  type Route,
  route,
  string,
  unixSeconds,
} from '#core';
import { RecordingLogger, startPlatform, type TestPlatform } from '#core/testing';

interface Note {
  readonly uuid: string;
  readonly said: string;
}

const notes = collection<Note>({ key: 'uuid', indexes: { said: ['said'] } });
const said = event<Note>('note.said', 'A note was stored.');

const plugin = (name: string, { register = () => ({}), ...rest }: Partial<PluginDefinition<object>>): Plugin =>
  definePlugin({ name, version: '1.0.0', register, ...rest })();

const platformOf = (plugins: readonly Plugin[]) => createPlatform({ plugins, ports: { log: new RecordingLogger() } });

/** Stores a note and emits an event. */
const sayRoute = ({ store, ids }: PluginContext): Route =>
  route({
    method: 'POST',
    path: '/v1/say',
    summary: 'Takes a note.',
    request: { payload: object({ said: string() }) },
    responses: { 200: object({ uuid: string() }) },
    async handler({ payload }) {
      const note = { uuid: ids.uuid(), said: payload.said };
      await store.transaction((tx) => {
        tx.in(notes).put(note);
        tx.emit(said, note);
      });
      return { uuid: note.uuid };
    },
  });

const saying = plugin('saying', {
  collections: { notes },
  emits: [said as never],
  register: (context) => ({ routes: [sayRoute(context)] }),
});

/** Posts a note with the token of a network number. */
async function say({ call, number }: TestPlatform, words = 'hello') {
  const { token } = await number('network');
  return call('POST', '/v1/say', { token, payload: { said: words } });
}

t.test('a plugin stores documents in its own collections', async (t) => {
  const { platform, ...rest } = await startPlatform(t, { plugins: [saying] });
  const { body } = await say({ platform, ...rest });
  t.match(await platform.store.open(notes).get(body.uuid), { said: 'hello' });
});

t.test('writes of a beforeCommit handler are committed exactly when their cause is', async (t) => {
  const counts = collection<{ said: string; count: number }>({ key: 'said' });
  const counting = plugin('counting', {
    collections: { counts },
    register: () => ({
      on: [
        beforeCommit(said, async (note, tx) => {
          const known = await tx.in(counts).get(note.said);
          tx.in(counts).put({ said: note.said, count: (known?.count ?? 0) + 1 });
          if (note.said === 'oops') throw new Error('cannot count that');
          if (note.said === 'hush') throw new PlatformError(409, 'hush', 'Say nothing');
        }),
      ],
    }),
  });
  const started = await startPlatform(t, { plugins: [saying, counting] });
  const { platform, call, number, events, log } = started;
  const { token } = await number('network');
  const count = async (words: string) => (await platform.store.open(counts).get(words))?.count;
  const tell = (words: string) => call('POST', '/v1/say', { token, payload: { said: words } });

  t.equal((await tell('hello')).status, 200);
  t.equal(await count('hello'), 1);

  const failed = await tell('oops');
  t.equal(failed.status, 500, 'its failure fails the request');
  t.notMatch(failed.body.errors[0].details, /count/, 'the response reveals no internals');
  t.match(log.lines.at(-1), {
    level: 'error',
    message: 'a request failed',
    fields: { path: '/v1/say', error: { message: /cannot count that/ } },
  });
  t.match(failed.body.errors[0].details, String(failed.headers['x-request-id']), 'it contains the request id');
  t.equal(log.lines.at(-1)?.fields.request_id, failed.headers['x-request-id']);

  const refused = await tell('hush');
  t.match([refused.status, refused.body.errors[0].details], [409, 'Say nothing'], 'the caller gets a PlatformError');

  t.equal(await count('oops'), undefined, 'nothing is written');
  t.equal(await count('hush'), undefined);
  t.strictSame(await platform.store.open(notes).find('said', { equals: ['oops'] }), [], 'the cause is rolled back too');
  t.strictSame(
    events.filter(({ name }) => name === 'note.said').map(({ data }) => (data as Note).said),
    ['hello'],
    'the event is not announced',
  );
});

t.test('a failing handler after the commit is logged and affects no other handler', async (t) => {
  const received: string[] = [];
  const deaf = plugin('deaf', {
    register: () => ({
      on: [
        on(said, () => {
          throw new Error('what?');
        }),
      ],
    }),
  });
  const listening = plugin('listening', { register: () => ({ on: [on(said, (note) => void received.push(note.said))] }) });
  const { log, ...started } = await startPlatform(t, { plugins: [saying, deaf, listening] });
  t.equal((await say({ log, ...started })).status, 200);
  t.strictSame(received, ['hello']);
  t.match(log.lines, [
    { level: 'error', message: 'a handler failed', fields: { owner: 'deaf', event: 'note.said', error: { message: /what\?/ } } },
  ]);
});

t.test('beforeCommit handlers may trigger each other, up to a limit', async (t) => {
  const echo = plugin('echo', { register: () => ({ on: [beforeCommit(said, (note, tx) => tx.emit(said, note))] }) });
  const { log, ...started } = await startPlatform(t, { plugins: [saying, echo] });
  t.equal((await say({ log, ...started })).status, 500);
  t.match(log.lines[0]?.fields.error, {
    message: /a transaction emits more than 1000 events; handlers of note\.said may trigger each other/,
  });
});

t.test('an event emitted at the end of a transaction reaches its handlers', async (t) => {
  const received: string[] = [];
  const listening = plugin('listening', { register: () => ({ on: [beforeCommit(said, (note) => void received.push(note.said))] }) });
  const { platform, events } = await startPlatform(t, { plugins: [saying, listening] });
  await platform.store.transaction((tx) => tx.beforeCommit(() => tx.emit(said, { uuid: '1', said: 'at last' })));
  await platform.store.transaction((tx) => {
    tx.emit(said, { uuid: '2', said: 'first' });
    tx.beforeCommit(() => tx.emit(said, { uuid: '3', said: 'then' }));
  });
  t.strictSame(received, ['at last', 'first', 'then']);
  t.strictSame(
    events.map(({ data }) => (data as Note).said),
    received,
  );
});

t.test('a job is queued with its cause or not at all, and its consumer runs it', async (t) => {
  const errands = queue<Note>('errands.do');
  const done: string[] = [];
  const errand = plugin('errands', {
    register: () => ({
      on: [beforeCommit(said, (note, tx) => tx.push(errands, note))],
      consumes: [consume(errands, async ({ payload }) => void done.push(payload.said))],
    }),
  });
  const { clock, ...started } = await startPlatform(t, { plugins: [saying, errand] });
  await say({ clock, ...started }, 'buy milk');
  await clock.advance(0);
  t.strictSame(done, ['buy milk']);
});

t.test('an ephemeral event is announced without a transaction', async (t) => {
  const typing = event<{ who: string }>('contact.typing', 'A contact is typing.');
  const received: string[] = [];
  const { events } = await startPlatform(t, {
    plugins: [
      plugin('typing', {
        emits: [typing as never],
        register: ({ announce }) => ({
          on: [on(typing, ({ who }) => void received.push(who))],
          start: () => announce(typing, { who: 'Ada' }),
        }),
      }),
    ],
  });
  t.strictSame(received, ['Ada']);
  t.strictSame(events, [{ name: 'contact.typing', data: { who: 'Ada' } }]);
});

t.test('the event stream shows the public form of an event, and handlers receive the full payload', async (t) => {
  const paid = event<{ amount: number; card: string }>('bill.paid', 'Paid.', { shows: ({ amount }) => ({ amount }) });
  const received: unknown[] = [];
  const { platform, events } = await startPlatform(t, {
    plugins: [plugin('till', { emits: [paid as never], register: () => ({ on: [on(paid, (payload) => void received.push(payload))] }) })],
  });
  await platform.store.transaction((tx) => tx.emit(paid, { amount: 5, card: '4111' }));
  t.strictSame(received, [{ amount: 5, card: '4111' }]);
  t.strictSame(events, [{ name: 'bill.paid', data: { amount: 5 } }]);
});

t.test('a plugin that listens to an event that no plugin declares is refused', async (t) => {
  const written = event<object>('note.written', 'A note was written.');
  const listening = plugin('listening', { register: () => ({ on: [on(written, () => {})] }) });
  t.throws(() => platformOf([listening]), {
    message:
      "plugin 'listening' failed at register: it listens to 'note.written', which no plugin declares: add the event to emits of the plugin that emits it, and that plugin to `plugins`",
  });
  const writing = plugin('writing', { emits: [written as never] });
  t.doesNotThrow(() => platformOf([listening, writing]), 'in any order');
  const page = { name: 'notes', title: 'Notes', html: () => '' };
  const paged = (events: string[]) => plugin('paged', { register: () => ({ pages: [{ ...page, events }] }) });
  t.throws(() => platformOf([paged(['note.writen']), writing]), {
    message: /its page 'notes' receives 'note.writen', which no plugin declares/,
  });
  t.throws(() => platformOf([paged(['memo.'])]), { message: /'memo.', which no plugin declares/ });
  t.doesNotThrow(() => platformOf([paged(['note.written', 'note.', 'message.']), writing]));
});

t.test('a plugin that emits an event that no plugin declares is refused at start, and later in its transactions', async (t) => {
  const written = event<object>('note.written', 'A note was written.');
  const problem = "the plugin 'writer' emits 'note.written' without declaring it: add the event to emits";
  const writer = (more: object, start: (context: PluginContext) => Promise<void> | void) =>
    plugin('writer', { ...more, register: (context) => ({ start: () => start(context) }) });
  const emit = ({ store }: Pick<PluginContext, 'store'>) => store.transaction(async (tx) => tx.emit(written, {}));
  const announce = (context: PluginContext) => context.announce(written, {});
  for (const start of [emit, announce])
    await t.rejects(platformOf([writer({}, start)]).start(), { message: `plugin 'writer' failed at start: ${problem}` });
  const platform = platformOf([writer({ emits: [written as never] }, emit)]);
  await platform.start();
  await platform.stop();

  const contexts: PluginContext[] = [];
  const started = await startPlatform(t, { plugins: [writer({}, (context) => void contexts.push(context))] });
  await t.rejects(emit(contexts[0]!), { message: problem });
  t.strictSame(started.events, [], 'the transaction has no effect');
  await emit(started.platform);
  t.match(started.events, [{ name: 'note.written' }], 'events of the host application need no declaration');
});

t.test('a channel driver of a plugin delivers the messages of its type of number', async (t) => {
  const spoken: string[] = [];
  const voice = plugin('voice', {
    register: ({ messages }) => ({
      channels: [
        {
          type: 'voice',
          async deliver(tx, { number, message, turn }) {
            if ('type' in turn && turn.type === 'text') spoken.push(turn.text.body);
            await messages.accepted(tx, number, message.uuid, 'call-1');
          },
        },
      ],
    }),
  });
  const { platform, number } = await startPlatform(t, { plugins: [voice] });
  const { uuid } = await number('channel', { type: 'voice' });
  const record = (await platform.numbers.get(uuid)) as NumberRecord;
  const send = (to: NumberRecord) =>
    platform.store.transaction(async (tx) => {
      const contact = await platform.contacts.findOrCreate(tx, to, { id: 'ada', address: 'ada', name: 'Ada' });
      const author = { type: 'SYSTEM', id: 'test', name: 'test' } as const;
      return platform.channels.send(tx, to, contact, { author, turn: { type: 'text', text: { body: 'Hello Ada' } } });
    });
  const message = await send(record);
  t.strictSame(spoken, ['Hello Ada']);
  t.match(await platform.messages.get(message.uuid), { direction: 'outbound', external_id: 'call-1', to: 'ada' });

  const silent = (await platform.numbers.get((await number('network')).uuid)) as NumberRecord;
  await t.rejects(send(silent), {
    code: 'number_not_carried',
    message: "No loaded plugin has a driver for numbers of type 'network'; there are drivers for voice",
  });
});

t.test('a view that fails gets the state failed, and the conversation and other views are shown', async (t) => {
  const viewing = (name: string, load: ConversationView['load']) => plugin(name, { register: () => ({ views: [{ name, load }] }) });
  const { platform, admin, number, clock, log } = await startPlatform(t, {
    plugins: [
      viewing('orders', async ({ contact, refresh }) => ({ of: contact.id, refresh })),
      viewing('slow', async () => {
        throw new Error('the service is down');
      }),
      viewing('broken', () => {
        throw new Error('bad view');
      }),
      viewing('endless', async () => ({ count: 10n })),
      viewing('empty', async () => undefined),
    ],
  });
  const { uuid } = await number('network');
  const record = (await platform.numbers.get(uuid)) as NumberRecord;
  const { message } = await platform.store.transaction((tx) =>
    platform.messages.received(tx, record, {
      id: 'm1',
      contact: { id: 'ada', name: 'Ada' },
      from: 'ada',
      timestamp: unixSeconds(clock.now()),
      type: 'text',
      content: { text: { body: 'hi' } },
    }),
  );
  const { status, body } = await admin('GET', `/conversations/${message.conversation}?refresh=true`);
  t.equal(status, 200);
  t.strictSame(body.views, {
    orders: { state: 'loaded', data: { of: 'ada', refresh: true } },
    slow: { state: 'failed', reason: 'the service is down' },
    broken: { state: 'failed', reason: 'bad view' },
    endless: { state: 'failed', reason: 'Do not know how to serialize a BigInt' },
    empty: { state: 'loaded', data: null },
  });
  t.strictSame(log.messages('warn'), Array(3).fill('a view of a conversation failed'));
});

t.test('an area renders errors in its own shape, and leaves others to the platform', async (t) => {
  class Full extends PlatformError {
    constructor() {
      super(409, 'full', 'The box is full');
    }
  }
  const box = plugin('box', {
    register: () => ({
      roots: ['/v1/boxes'],
      errors: {
        render: (error) =>
          error.code === 'full' || error.status === 404 ? { status: error.status, body: { oh: error.message } } : undefined,
        schemas: { 409: object({ oh: string() }), 404: object({ oh: string() }) },
      },
      routes: [
        route({
          method: 'POST',
          path: '/v1/boxes/{box}',
          summary: 'Puts something into a box.',
          request: { params: object({ box: string() }), payload: object({ what: string() }) },
          responses: { 200: object({}) },
          handler() {
            throw new Full();
          },
        }),
      ],
    }),
  });
  const { call, number } = await startPlatform(t, { plugins: [box] });
  const { token } = await number('network');
  t.match(await call('POST', '/v1/boxes/1', { token, payload: { what: 'a' } }), { status: 409, body: { oh: 'The box is full' } });
  t.match(await call('POST', '/v1/boxes/1', { token, payload: {} }), { status: 400, body: { errors: [{ details: 'what is required' }] } });
  t.match(
    await call('GET', '/v1/boxes/1/lid'),
    { status: 404, body: { oh: /There is no GET/ } },
    'below its root even an unknown route is its own',
  );
  t.match(await call('GET', '/v1/bags'), { status: 404, body: { errors: [{ code: 1006 }] } });
});

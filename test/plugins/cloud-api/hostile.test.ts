import { createHmac } from 'node:crypto';
import t from 'tap';
import { ANN, PHONE_ID, SECRETS, startCloud, WABA } from './cloud-under-test.js';

/** Messages of the large call. */
const MANY = 250;

let started: ReturnType<typeof begin> | undefined;
/** The platform of all tests of this file. */
const start = () => (started ??= begin());

async function begin() {
  const test = await startCloud(t);
  const { call, callback, settle } = test;
  const path = new URL(callback).pathname;
  const post = (payload: string | Buffer, secret = SECRETS.appSecret) =>
    call('POST', path, {
      payload,
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`,
      },
    });
  const change = (value: unknown, field: unknown = 'messages') => ({
    object: 'whatsapp_business_account',
    entry: [{ id: WABA, changes: [{ field, value }] }],
  });
  const metadata = { display_phone_number: '15550783881', phone_number_id: PHONE_ID };
  return {
    ...test,
    post,
    async deliver(value: unknown, field?: unknown) {
      const answer = await post(JSON.stringify(change(value, field)));
      await settle(1_000);
      return answer;
    },
    metadata,
    path,
  };
}

t.test('signed calls of any form get 200 or 400, and the next message arrives', async (t) => {
  const { post, deliver, metadata, standIn, settle, told, problems } = await start();
  t.equal((await post('not JSON')).status, 400);
  t.equal((await post('')).status, 400);
  t.equal((await post(`${'['.repeat(100_000)}`)).status, 400);
  t.equal((await post(Buffer.from([0xff, 0xfe, 0x00]))).status, 400);
  for (const body of [
    'null',
    '7',
    '"x"',
    '[]',
    '{}',
    '{"entry":7}',
    '{"entry":[null,7,{"changes":{}},{"changes":[null]}]}',
    '{"entry":{"length":1000000000}}',
  ])
    t.equal((await post(body)).status, 200, body);
  const ofMessages: unknown[] = [null, 7, [], {}, { id: '' }, { id: 7, type: 'text' }, { id: 'x'.repeat(10_000), type: 'text' }];
  for (const messages of [null, 7, {}, 'x', ofMessages]) t.equal((await deliver({ metadata, messages })).status, 200);
  for (const value of [
    null,
    7,
    [],
    { metadata: 7 },
    { metadata: { phone_number_id: {} } },
    { metadata, statuses: ofMessages },
    { metadata, errors: 7, contacts: 'x' },
  ])
    for (const field of ['messages', 'flows', 'message_template_status_update', 'account_update', 7, null, '__proto__'])
      t.equal((await deliver(value, field)).status, 200, JSON.stringify([field, value]));
  const before = told('message.received').length;
  await standIn.write(ANN, 'still there?');
  await settle();
  t.equal(told('message.received').length, before + 1);
  t.strictSame(
    problems().filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('messages with contents of any form are recorded: as they are, or as unsupported with the content kept', async (t) => {
  const { deliver, metadata, told, problems } = await start();
  const odd: [type: unknown, fields: object][] = [
    ['text', { text: 'x' }],
    ['text', { text: { body: 7 } }],
    ['text', { text: null }],
    ['text', {}],
    ['location', { location: { latitude: 'north' } }],
    ['contacts', { contacts: [7] }],
    ['reaction', { reaction: {} }],
    ['reaction', { reaction: { message_id: 7, emoji: {} } }],
    ['interactive', { interactive: 7 }],
    ['button', { button: [] }],
    ['image', { image: 'x' }],
    ['image', {}],
    ['constructor', {}],
    ['toString', {}],
    ['__proto__', {}],
    ['id', {}],
    [7, {}],
    [undefined, {}],
    [{}, {}],
    ['edit', { edit: { original_message_id: 'x', message: { type: 'text' } } }],
    ['order', { order: { catalog_id: '1', product_items: [] } }],
  ];
  const before = told('message.received').length;
  for (const [i, [type, fields]] of odd.entries()) {
    const message = {
      from: ANN,
      id: `odd-${i}`,
      timestamp: i % 2 ? 'soon' : '1767600000',
      type,
      ...fields,
      errors: i % 3 ? undefined : 'none',
      context: i % 2 ? 7 : null,
    };
    t.equal((await deliver({ metadata, messages: [message], contacts: [{ wa_id: ANN, profile: null }] })).status, 200);
  }
  const recorded = told('message.received').slice(before);
  t.equal(recorded.length, odd.length);
  t.strictSame([...new Set(recorded.map(({ message }) => message.type))], ['unsupported']);
  t.match(recorded.at(-1), { message: { errors: [{ code: 131051 }], content: { unsupported: { order: { catalog_id: '1' } } } } });
  // A message without any sender, and one of a sender with a number instead of a text.
  for (const from of [undefined, 7, {}, ''])
    t.equal(
      (await deliver({ metadata, messages: [{ from, id: `from-${from}`, timestamp: '1', type: 'text', text: { body: 'x' } }] })).status,
      200,
    );
  t.strictSame(
    problems().filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('statuses of any form change nothing, or only their own message', async (t) => {
  const { deliver, metadata, send, standIn, settle, platform, uuid, problems } = await start();
  standIn.change({ statuses: 'manual' });
  const { id } = (await send({ type: 'text', text: { body: 'one' } })).body.messages[0];
  await settle();
  const wamid = standIn.sent[0]!.id;
  const { uuid: message } = (await platform.messages.known(uuid, 'outbound', id))!;
  for (const status of [
    { id: wamid, status: 'flying', timestamp: '1' },
    { id: wamid, status: {}, timestamp: '1' },
    { id: wamid },
    { id: 'other', status: 'failed', timestamp: 'x', errors: 7, biz_opaque_callback_data: 'unknown' },
    { id: 'other', status: 'failed', biz_opaque_callback_data: {} },
  ])
    t.equal((await deliver({ metadata, statuses: [status] })).status, 200);
  t.equal((await platform.messages.known(uuid, 'outbound', id))?.status, undefined);
  await deliver({
    metadata,
    statuses: [
      { id: wamid, status: 'failed', timestamp: null, errors: [null, 7, { code: 131026, title: {} }], biz_opaque_callback_data: message },
    ],
  });
  t.match(await platform.messages.known(uuid, 'outbound', id), {
    status: 'failed',
    statuses: [{ errors: [{ code: 131000 }, { code: 131000 }, { code: 131026 }] }],
  });
  t.strictSame(
    problems().filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('another number cannot speak for this one: its secret does not sign our events', async (t) => {
  const { admin, number, post, settle, told, call } = await start();
  const { uuid: other } = await number('network', { address: '+15550999999' });
  const credentials = { access_token: 'another token', app_secret: 'another secret', verify_token: 'another word' };
  t.equal((await admin('PUT', `/cloud-api/numbers/${other}`, { phone_number_id: '1', waba_id: '2', ...credentials })).status, 200);
  const before = told('message.received').length;
  const forged = {
    entry: [
      {
        id: WABA,
        changes: [
          {
            field: 'messages',
            value: { metadata: { phone_number_id: PHONE_ID }, messages: [{ id: 'forged', from: ANN, type: 'text', text: { body: 'x' } }] },
          },
        ],
      },
    ],
  };
  t.equal((await post(JSON.stringify(forged), 'another secret')).status, 403);
  const own = await admin('GET', '/cloud-api/numbers');
  const path = new URL(own.body.connections.find((one: { number: string }) => one.number === other).webhook).pathname;
  const payload = JSON.stringify(forged);
  const signature = `sha256=${createHmac('sha256', 'another secret').update(payload).digest('hex')}`;
  const { status } = await call('POST', path, {
    payload,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
  });
  t.equal(status, 200, 'the call itself is authentic');
  await settle();
  t.equal(told('message.received').length, before);
});

t.test('a webhook body above the limit is refused, and a large one below it is taken', async (t) => {
  const { post, metadata, told, settle } = await start();
  t.equal((await post(Buffer.alloc(9 * 1024 * 1024, 0x20))).status, 413);
  const text = { body: 'ä'.repeat(2_048) };
  const messages = Array.from({ length: MANY }, (_, i) => ({ from: ANN, id: `many-${i}`, timestamp: '1767600000', type: 'text', text }));
  const change = { field: 'messages', value: { metadata, messages } };
  const body = JSON.stringify({ entry: [{ id: WABA, changes: [change] }] }).replaceAll('ä', '\\u00e4');
  t.ok(body.length > 3_000_000, `${body.length} bytes`);
  const before = told('message.received').length;
  t.equal((await post(body)).status, 200);
  for (let i = 0; i < 50 && told('message.received').length < before + MANY; i++) await settle(100);
  t.equal(told('message.received').length, before + MANY);
});

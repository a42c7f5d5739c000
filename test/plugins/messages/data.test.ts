import t from 'tap';
import type { ExportPosition } from '../../../plugins/messages/data/cursor.js';
import { createPlaces } from '../../../plugins/messages/data/places.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { allPlugins, PHONE, startNetwork } from './network-under-test.js';

const DAY = { from: '2026-01-05T00:00:00.000Z', until: '2026-01-05T23:00:00.000Z' };

async function startWithExport(t: Parameters<typeof startNetwork>[0]) {
  const plugins = [...allPlugins().filter(({ manifest }) => manifest.name !== 'messages'), messages({ dataExport: true })];
  const test = await startNetwork(t, { plugins });
  const { call, token } = test;
  const create = (kind: string, payload: object, of = token) => call('POST', `/v1/data/${kind}/cursor`, { token: of, payload });
  const read = (kind: string, cursor: string, of = token) => call('GET', `/v1/data/${kind}/cursor/${cursor}`, { token: of });
  /** All pages of an export. */
  async function all(kind: string, range: object) {
    const pages = [];
    for (let next: string | undefined = (await create(kind, range)).body.cursor; next; ) {
      const { status, body } = await read(kind, next);
      t.equal(status, 200);
      pages.push(body.data);
      next = body.paging?.next;
      if (!next) t.strictSame(body.paging, null);
    }
    return pages;
  }
  return { ...test, create, read, all };
}

t.test('a number exports its messages and statuses', async (t) => {
  const test = await startWithExport(t);
  const { clock, say, send, settle, create, read, all, number, phone } = test;
  const text = (message: { text?: { body: string }; messages?: { text: { body: string } }[] }) =>
    (message.messages?.[0] ?? message).text?.body;
  const texts = (pages: object[][]) => pages.map((page) => page.map(text));

  for (const word of ['one', 'two']) {
    await say(word);
    await clock.advance(1_000);
  }
  const sent = (await send({ type: 'text', text: { body: 'three' } })).body.messages[0].id;
  await settle();
  await clock.advance(1_000);
  await phone({ from: '27820001009', type: 'text', text: { body: 'four' } });
  await clock.advance(60_000);
  const now = clock.now().toISOString();
  const range = { from: DAY.from, until: now };

  await t.test('in the shapes of webhooks', async (t) => {
    const [[inbound, , outbound]] = (await all('messages', range)) as [object[]];
    t.match(inbound, {
      contacts: [{ profile: { name: 'Ann' }, wa_id: PHONE }],
      messages: [
        {
          from: PHONE,
          timestamp: '1767600000',
          type: 'text',
          _vnd: { v1: { direction: 'inbound', author: { name: 'Ann' }, card_uuid: null } },
        },
      ],
    });
    t.match(outbound, { id: sent, to: PHONE, type: 'text', _vnd: { v1: { direction: 'outbound', last_status: String } } });
    t.notOk('messages' in outbound!, 'a message to a contact is flat');
    const statuses = ((await all('statuses', range)) as { statuses: { id: string; status: string; timestamp: string }[] }[][]).flat();
    t.match(statuses[0], { statuses: [{ id: sent, recipient_id: PHONE, message: { recipient_id: PHONE } }] });
    t.ok(statuses.length >= 2, 'an item for each status');
    const times = statuses.map(({ statuses: [one] }) => Number(one!.timestamp));
    t.strictSame(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  await t.test('in pages, in either order', async (t) => {
    t.strictSame(texts(await all('messages', { ...range, page_size: 3 })), [['one', 'two', 'three'], ['four']]);
    t.strictSame(
      texts(await all('messages', { ...range, page_size: '2', ordering: 'desc' })),
      [
        ['four', 'three'],
        ['two', 'one'],
      ],
      'the last page is full',
    );
    t.strictSame(texts(await all('messages', { ...range, page_size: 5_000 })), [['one', 'two', 'three', 'four']]);
    t.strictSame(await all('messages', { from: '2020-01-01', until: '2020-01-02' }), [[]]);
  });

  await t.test('slices that touch neither lose nor repeat a message', async (t) => {
    const at = (seconds: number) => `2026-01-05T08:00:0${seconds}.000Z`;
    const slices = [
      [DAY.from, at(1)],
      [at(1), at(2)],
      [at(2), now],
    ];
    const found = [];
    for (const [from, until] of slices) found.push(...texts(await all('messages', { from, until })));
    t.strictSame(found, [['one'], ['two'], ['three', 'four']]);
  });

  await t.test('a cursor gives its page again, also when messages have arrived since', async (t) => {
    const { body } = await create('messages', { ...range, page_size: 2, ordering: 'desc' });
    t.match(body, { cursor: /^[\w-]+$/, expires_at: /^2026-01-06T\d\d:\d\d:\d\d\.\d{6}Z$/ });
    const first = (await read('messages', body.cursor)).body;
    await say('five');
    const again = (await read('messages', body.cursor)).body;
    t.strictSame(texts([again.data]), [['four', 'three']]);
    t.equal(again.paging.next, first.paging.next);
    t.strictSame(texts([(await read('messages', first.paging.next)).body.data]), [['two', 'one']]);
  });

  await t.test('in the spellings of clients', async (t) => {
    const spellings = [
      '2026-01-05T07:59:59Z',
      '2026-01-05T07:59:59.123456+00:00',
      '2026-01-05 07:59',
      '2026-01-05',
      '2026-01-05T09:59:00+0200',
    ];
    for (const from of spellings) {
      const asked = { from, until: now, start_date: from, order_by: 'asc', page_size: 1 };
      const created = await create('messages', asked);
      t.equal(created.status, 201, from);
      t.strictSame(texts([(await read('messages', created.body.cursor)).body.data]), [['one']], from);
    }
    const soon = new Date(clock.now().getTime() + 59_000).toISOString();
    t.equal((await create('messages', { from: DAY.from, until: soon })).status, 201, 'the clock of a client is fast');
  });

  await t.test('a request that cannot be served is refused', async (t) => {
    const later = new Date(clock.now().getTime() + 61_000).toISOString();
    const bad: [object, RegExp][] = [
      [{ until: now }, /from/],
      [{ from: now }, /until/],
      [{ ...range, from: 'yesterday' }, /from must be a date-time/],
      [{ ...range, from: '2026-13-45' }, /from must be a date-time/],
      [{ ...range, until: later }, /until must not be in the future/],
      [{ from: now, until: DAY.from }, /from must not be after until/],
      [{ ...range, page_size: 0 }, /page_size/],
      [{ ...range, page_size: 'many' }, /page_size/],
      [{ ...range, ordering: 'up' }, /ordering/],
      [{ ...range, scrubbing_rules: { inbound: { a: { type: 'regex', search: '(' } } } }, /not a valid regular expression/],
      [{ ...range, scrubbing_rules: { inbound: { a: { type: 'regex' } } } }, /needs search/],
      [{ ...range, scrubbing_rules: { inbound: { a: { type: 'erase' } } } }, /type/],
      [{ ...range, scrubbing_rules: { inbound: { ['a'.repeat(2_000)]: { type: 'hash' } } } }, /more than 2000 characters/],
    ];
    for (const [payload, details] of bad) {
      t.match(await create('messages', payload), { status: 400, body: { errors: [{ details }] } }, JSON.stringify(payload).slice(0, 90));
    }
    t.match(await create('statuses', { ...range, scrubbing_rules: {} }), { status: 400 }, 'rules are for messages');
  });

  await t.test('a cursor of another number or kind, or a broken one, is not found', async (t) => {
    const { cursor } = (await create('messages', range)).body;
    const other = await number('network');
    t.equal((await read('messages', cursor, other.token)).status, 404);
    t.equal((await read('statuses', cursor)).status, 404);
    const fields = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const changes: [number, unknown][] = [
      [0, 2],
      [3, 'x'],
      [6, 1e9],
      [6, 0],
      [5, 1],
      [8, { inbound: 7 }],
      [8, []],
      [9, [1]],
      [9, {}],
    ];
    const forged = changes.map(([i, value]) => Buffer.from(JSON.stringify(fields.with(i, value))).toString('base64url'));
    for (const broken of ['x', 'bnVsbA', `${cursor}=`, cursor.slice(0, -3), ...forged]) {
      t.match(await read('messages', broken), { status: 404, body: { errors: [{ code: 1006 }] } }, broken.slice(-20));
    }
  });

  await t.test('texts are replaced or hashed by rules', async (t) => {
    const scrubbing_rules = {
      inbound: {
        'messages.text.body': { type: 'regex', search: 'o(.)e', replace: '<$1\\1$7>' },
        'messages.from': { type: 'hash' },
        'contacts.profile.name': { type: 'regex', search: '.+', replace: '' },
        'messages.none.here': { type: 'hash' },
      },
      outbound: { to: { type: 'hash' }, from: { type: 'regex', search: '(a+)+$' } },
    };
    const [page] = (await all('messages', { ...range, scrubbing_rules })) as [{ messages: { from: string }[]; to: string }[]];
    const hash = /^[\da-f]{64}$/;
    t.match(page![0], { contacts: [{ profile: { name: '' }, wa_id: PHONE }], messages: [{ from: hash, text: { body: '<nn$7>' } }] });
    t.equal(page![0]!.messages[0]!.from, page![1]!.messages[0]!.from, 'equal texts have equal hashes');
    t.match(page![2], { to: hash, text: { body: 'three' } });
    t.notOk('none' in page![0]!.messages[0]!);
  });

  await t.test('a cursor expires after a day', async (t) => {
    const { cursor } = (await create('messages', { ...range, page_size: 1 })).body;
    const { next } = (await read('messages', cursor)).body.paging;
    await clock.advance(23 * 3_600_000);
    const later = (await read('messages', next)).body.paging.next;
    await clock.advance(3_600_000);
    t.match(await read('messages', cursor), { status: 400, body: { errors: [{ details: /Cursor has expired/ }] } });
    t.equal((await read('messages', later)).status, 200, 'each page has a new one');
  });
});

t.test('calls that there are not name what there is', async (t) => {
  const { call, token } = await startNetwork(t);
  const cases: [string, string, RegExp][] = [
    ['DELETE', `/v1/chats/${PHONE}`, /GET \/v1\/contacts\/\{contact\}\/messages/],
    ['POST', `/v1/chats/${PHONE}/archive`, /GET \/v1\/contacts\/\{contact\}\/messages/],
    ['GET', '/v1/contacts/schemas', /PATCH \/v1\/contacts\/\{contact\}\/profile/],
    ['POST', '/v1/contacts/schemas', /PATCH \/v1\/contacts\/\{contact\}\/profile/],
    ['POST', '/v1/data/messages/cursor', /option `dataExport`/],
    ['POST', '/v1/data/contacts/cursor', /\/v1\/data\/messages\/cursor or \/v1\/data\/statuses\/cursor/],
    ['POST', '/v1/messages/in-1/automation', /option `claims`/],
  ];
  for (const [method, path, details] of cases) {
    t.match(await call(method, path, { token }), { status: 404, body: { errors: [{ code: 1006, details }] } }, `${method} ${path}`);
  }
  const turn = await startNetwork(t, { dialect: { service: 'turn' } });
  const range = { from: '2026-01-05T00:00:00Z', until: '2026-01-05T01:00:00Z' };
  t.equal((await turn.call('POST', '/v1/data/messages/cursor', { token: turn.token, payload: range })).status, 201, 'with `service: turn`');
});

t.test('an export of more messages than are found at a time is complete', async (t) => {
  const stored = Array.from({ length: 50_000 }, (_, i) => ({
    ...{ uuid: String(i).padStart(6, '0'), number: i % 10 === 0 ? 'other' : 'own', direction: 'inbound', type: 'text', statuses: [] },
    timestamp: String((i * 7_919) % 1_000),
  }));
  let reads = 0;
  const list = async ({ after, limit }: { after: string; limit: number }) => {
    reads++;
    const start = after === '' ? 0 : Number(after) + 1;
    return stored.slice(start, start + limit);
  };
  const expected = stored
    .filter(({ number }) => number === 'own')
    .toSorted((a, b) => Number(a.timestamp) - Number(b.timestamp) || (a.uuid < b.uuid ? -1 : 1))
    .map(({ uuid }) => uuid);
  for (const isDescending of [false, true]) {
    const nextPlaces = createPlaces({ store: { open: () => ({ list }) } as never });
    const asked = { number: 'own', kind: 'messages', from: 0, until: 1e9, isDescending, size: 1_000, expires: 0, rules: null } as const;
    const found: string[] = [];
    reads = 0;
    for (let after: ExportPosition | null = null; ; ) {
      const places: readonly ExportPosition[] = await nextPlaces({ ...asked, after });
      found.push(...places.slice(0, asked.size).map(({ uuid }) => uuid));
      if (places.length <= asked.size) break;
      after = places[asked.size - 1]!;
    }
    t.strictSame(found, isDescending ? expected.toReversed() : expected);
    t.ok(reads <= 4 * 101, `${reads} reads of 500 messages for 45 pages`);
  }
});

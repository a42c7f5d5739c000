import t from 'tap';
import { Entry, EntryChange } from '../../../../core/adapters/outbox/entry.js';
import { RowScanner } from '../../../../core/adapters/outbox/unread-row.js';
import { parseDocument } from '../../../../core/adapters/store/files/stored-row.js';
import { changedRecord, deliveryRecord, type RecordChanges } from '../../../../core/delivery/delivery-record.js';

const AT = '2026-01-05T08:00:00.000Z';
const texts = ['', 'a', '"', '\\', '\\"', '"content":{"json":', '{"a":[}', '🐈', 'é\n\u2028', '\ud800', 'null', 'state'];

/** A delivery whose texts are awkward, and the patches that change it. */
function delivery(n: number): { entry: Entry; patches: string[] } {
  const text = (i: number): string => texts[(n + i) % texts.length]!;
  const body = JSON.stringify({ n, [text(1)]: text(2), nested: [{ state: text(3) }, [], {}], [`${text(4)}.`]: null });
  const fields: RecordChanges = {
    ...{ uuid: `uuid-${n}`, number: `number-${n % 3}`, webhook: `webhook-${n % 5}`, kind: 'network', subscription: 'msgapp' },
    ...{ event: `event:${text(0)}:${n}`, state: 'queued', run: 1, attempts: 0, created_at: AT, lane: 'default' },
    body_bytes: Buffer.byteLength(body),
    kept_bytes: Buffer.byteLength(body),
    ...(n % 2 === 0 && { message: `message ${text(1)}` }),
    ...(n % 7 === 0 && { recipient: text(5), last_error: text(6) }),
  };
  const content =
    n % 11 === 0
      ? { body: { pieces: [text(1), 0], chunks: ['x'] } }
      : n % 13 === 0
        ? { edited: body }
        : { body, ...(n % 4 === 0 && { headers: { 'X-Header': text(2) } }) };
  const first = Entry.added(n + 1, deliveryRecord(fields), content);
  let entry = first;
  const patches: string[] = [];
  const change = (...[changes, more = {}]: [RecordChanges, { attempt?: object; held?: object | null; content?: null }?]): void => {
    const patch = new EntryChange(entry, { record: changedRecord(entry.record, changes), ...more } as never);
    patches.push(patch.toText());
    entry = patch.next;
  };
  if (n % 5 > 0) change({ state: 'sending', started_at: AT });
  const headers = { state: 'dropped', uuid: text(0), content: text(5), settled_at: AT };
  const attempt = { run: 1, n: 0, ended: { started_at: AT, duration_ms: 1.5, response: text(4), response_headers: headers } };
  if (n % 5 > 1) change({ state: 'delivered', attempts: 1, settled_at: AT, started_at: undefined, kept_bytes: n }, { attempt });
  if (n % 5 > 2) change({ state: 'queued', run: 2, settled_at: undefined, held_at: AT }, { held: { order: n, since: AT } });
  if (n % 5 > 3) change({ state: 'cancelled', settled_at: AT, held_at: undefined }, { held: null, content: null });
  return { entry: first, patches };
}

const rowOf = (text: string): { bytes: Buffer; start: number; end: number } => {
  const bytes = Buffer.from(`["x",${text}],\n["y",{"id":"z/1"}]`);
  return { bytes, start: 5, end: 5 + Buffer.byteLength(text) };
};

const partsOf = ({ id, seq, record, content, attempts, held, index }: Entry) => {
  const { uuid, number, webhook, event, message, state, created_at, settled_at, body_bytes, kept_bytes } = index;
  const fields = { uuid, number, webhook, event, message, state, created_at, settled_at, body_bytes, kept_bytes };
  return JSON.parse(JSON.stringify({ id, seq, record, content, attempts, held, fields }));
};

t.test('a delivery that is found in a row is the one that the row describes', async (t) => {
  const scanner = new RowScanner();
  let unread = 0;
  for (let n = 0; n < 400; n++) {
    const { entry, patches } = delivery(n);
    const document = entry.toText();
    const list = `[${[document, ...patches].join(',')}]`;
    const rows = [patches.length === 0 ? document : list, JSON.stringify(parseDocument(list))];
    for (const text of rows) {
      const row = scanner.scan(rowOf(text), parseDocument);
      if (!row) {
        t.fail(`not found: ${text}`);
        continue;
      }
      unread++;
      const expected = partsOf(Entry.stored(parseDocument(text) as never));
      const before = Entry.unread(row);
      t.strictSame(JSON.parse(before.toText()), JSON.parse(JSON.stringify(parseDocument(text))), `${n}: the document`);
      // The content first: it can be read without the rest.
      t.strictSame(JSON.parse(JSON.stringify(Entry.unread(row).content)), expected.content, `${n}: the content`);
      t.strictSame(partsOf(before), expected, `${n}: every part`);
      t.strictSame(partsOf(before), expected, `${n}: every part, read again`);
    }
  }
  t.equal(unread, 800);
});

t.test('a row that is not as the store writes it is left to the parser', async (t) => {
  const scanner = new RowScanner();
  const text = delivery(1).entry.toText();
  const wrong = {
    spaces: JSON.stringify(JSON.parse(text), null, 1),
    'no uuid': text.replace('"uuid":"uuid-1",', ''),
    'an id without a slash': text.replace('number-1/', 'number-1'),
    'a body that is longer than its length': text.replace(/"body_bytes":(\d+)/, (_, n) => `"body_bytes":${Number(n) - 1}`),
    'a body that is shorter': text.replace(/"body_bytes":(\d+)/, (_, n) => `"body_bytes":${Number(n) + 1}`),
    'the rest of a body as members': text.replace(/"body_bytes":\d+/, '"body_bytes":8').replace('"json":{', '"json":{"a":{}},"b":{"c":{},'),
    'cut off': text.slice(0, -1),
    nothing: '',
  };
  for (const [what, row] of Object.entries(wrong)) {
    const found = scanner.scan(rowOf(row), parseDocument);
    if (!found) t.pass(what);
    else t.strictSame(JSON.parse(Entry.unread(found).toText()), JSON.parse(row), what);
  }
});

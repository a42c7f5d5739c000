import type { Tap } from '#core/testing';
import { type FlowOperator, FlowRefused } from './operator/flow-operator.js';

/** The operator under test, and how the suite downloads its assets. */
export interface FlowOperatorPlace {
  readonly operator: FlowOperator;
  /** Makes a plain GET to the `download_url` of an asset. */
  download(url: string): Promise<{ readonly status: number; readonly bytes: Uint8Array }>;
}

const validFlow = JSON.stringify(
  {
    version: '7.3',
    screens: [
      {
        id: 'ASK',
        title: 'A question',
        terminal: true,
        layout: {
          type: 'SingleColumnLayout',
          children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
        },
      },
    ],
  },
  null,
  2,
);
const invalidFlow = '{ "version": "7.3", "screens": [] }';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * The contract suite of `FlowOperator`: run it in a test file of your operator.
 * It does not test statuses that follow from the health of endpoints.
 * @param open returns a new, empty operator for each test
 */
export async function flowOperatorContract(t: Tap, open: (t: Tap) => Promise<FlowOperatorPlace>): Promise<void> {
  const draft = async (operator: FlowOperator, name = 'a flow', definition = validFlow): Promise<string> => {
    const { id } = await operator.create('ours', { name, categories: ['OTHER'], definition, publish: false });
    return id;
  };
  const flowOf = async (operator: FlowOperator, id: string) => (await operator.list('ours')).flows.find((flow) => flow.id === id);
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'was done',
      (error: unknown) => (error instanceof FlowRefused ? error.reason : error),
    );

  await t.test('a new flow is a draft with a numeric id and the given name and categories', async (t) => {
    const { operator } = await open(t);
    const created = await operator.create('ours', {
      name: 'a flow',
      categories: ['SURVEY', 'OTHER'],
      definition: validFlow,
      publish: false,
    });
    t.match(created.id, /^\d+$/);
    t.strictSame(created.validation_errors, []);
    const flow = await flowOf(operator, created.id);
    t.equal(flow?.name, 'a flow');
    t.equal(flow?.status, 'DRAFT');
    t.strictSame(flow?.categories, ['SURVEY', 'OTHER']);
    t.ok(flow?.updated_at instanceof Date);
  });

  await t.test('publish publishes a valid flow; a flow with errors stays a draft and returns them', async (t) => {
    const { operator } = await open(t);
    const created = await operator.create('ours', { name: 'valid', categories: ['OTHER'], definition: validFlow, publish: true });
    t.equal((await flowOf(operator, created.id))?.status, 'PUBLISHED');
    const wrong = await operator.create('ours', { name: 'invalid', categories: ['OTHER'], definition: invalidFlow, publish: true });
    t.ok(wrong.validation_errors.length > 0);
    const stored = await flowOf(operator, wrong.id);
    t.equal(stored?.status, 'DRAFT');
    t.strictSame(stored?.validation_errors, wrong.validation_errors);
  });

  await t.test('an update changes only the given fields and never the definition', async (t) => {
    const { operator, download } = await open(t);
    const id = await draft(operator);
    await operator.update('ours', id, { name: 'another name' });
    await operator.update('ours', id, { endpoint_uri: 'https://example.org/flow', application_id: '17' });
    const flow = await flowOf(operator, id);
    t.equal(flow?.name, 'another name');
    t.strictSame(flow?.categories, ['OTHER']);
    t.equal(flow?.endpoint_uri, 'https://example.org/flow');
    t.equal(flow?.application_id, '17');
    await operator.update('ours', id, { endpoint_uri: null });
    t.match(await flowOf(operator, id), { endpoint_uri: undefined, application_id: '17' });
    const [asset] = await operator.assets('ours', id);
    t.equal(Buffer.from((await download(asset!.download_url)).bytes).toString(), validFlow);
  });

  await t.test('an upload replaces the definition byte for byte and returns its errors', async (t) => {
    const { operator, download } = await open(t);
    const id = await draft(operator);
    const notJson = Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]);
    t.ok((await operator.upload('ours', id, notJson)).length > 0);
    t.ok(((await flowOf(operator, id))?.validation_errors.length ?? 0) > 0);
    const [asset] = await operator.assets('ours', id);
    t.equal(asset?.name, 'flow.json');
    t.equal(asset?.asset_type, 'FLOW_JSON');
    const { status, bytes } = await download(asset!.download_url);
    t.equal(status, 200);
    t.strictSame([...bytes], [...notJson]);
    t.strictSame(await operator.upload('ours', id, bytesOf(validFlow)), []);
    t.strictSame((await flowOf(operator, id))?.validation_errors, []);
  });

  await t.test('a draft without errors can be published; a published flow can only be deprecated', async (t) => {
    const { operator } = await open(t);
    const id = await draft(operator);
    await operator.upload('ours', id, bytesOf(invalidFlow));
    t.equal(await refusal(operator.publish('ours', id)), 'has_errors');
    await operator.upload('ours', id, bytesOf(validFlow));
    t.equal(await refusal(operator.deprecate('ours', id)), 'invalid_status');
    await operator.publish('ours', id);
    const forbidden = [
      operator.publish('ours', id),
      operator.delete('ours', id),
      operator.update('ours', id, { name: 'late' }),
      operator.upload('ours', id, bytesOf(validFlow)),
    ];
    t.strictSame(await Promise.all(forbidden.map(refusal)), ['invalid_status', 'invalid_status', 'invalid_status', 'invalid_status']);
    await operator.deprecate('ours', id);
    t.equal((await flowOf(operator, id))?.status, 'DEPRECATED');
    const again = [operator.deprecate('ours', id), operator.publish('ours', id), operator.delete('ours', id)];
    t.strictSame(await Promise.all(again.map(refusal)), ['invalid_status', 'invalid_status', 'invalid_status']);
  });

  await t.test('a deleted draft no longer exists, and its name can be used again', async (t) => {
    const { operator } = await open(t);
    const id = await draft(operator);
    await operator.delete('ours', id);
    t.equal(await flowOf(operator, id), undefined);
    t.equal(await refusal(operator.assets('ours', id)), 'not_found');
    t.not(await draft(operator), id);
  });

  await t.test('names are unique within an account', async (t) => {
    const { operator } = await open(t);
    await draft(operator, 'taken');
    t.equal(await refusal(draft(operator, 'taken')), 'name_taken');
    const other = await draft(operator, 'free');
    t.equal(await refusal(operator.update('ours', other, { name: 'taken' })), 'name_taken');
    await operator.create('theirs', { name: 'taken', categories: ['OTHER'], definition: validFlow, publish: false });
  });

  await t.test('a flow is not_found for other accounts', async (t) => {
    const { operator } = await open(t);
    const id = await draft(operator);
    t.strictSame((await operator.list('theirs')).flows, []);
    const attempts = [
      operator.update('theirs', id, { name: 'mine' }),
      operator.upload('theirs', id, bytesOf(validFlow)),
      operator.publish('theirs', id),
      operator.delete('theirs', id),
      operator.deprecate('theirs', id),
      operator.assets('theirs', id),
      operator.preview('theirs', id, { invalidate: false }),
      operator.publish('ours', 'no such flow'),
    ];
    for (const reason of await Promise.all(attempts.map(refusal))) t.equal(reason, 'not_found');
  });

  await t.test('flows are listed oldest first, and in pages on request', async (t) => {
    const { operator } = await open(t);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await draft(operator, name));
    const idsOf = (page: { flows: readonly { id: string }[] }) => page.flows.map(({ id }) => id);
    const all = await operator.list('ours');
    t.strictSame(idsOf(all), ids);
    t.strictSame([all.before, all.after], [undefined, undefined]);
    const first = await operator.list('ours', { limit: 2 });
    t.strictSame(idsOf(first), ids.slice(0, 2));
    t.equal(first.before, undefined);
    const second = await operator.list('ours', { limit: 2, after: first.after });
    t.strictSame(idsOf(second), ids.slice(2, 4));
    const last = await operator.list('ours', { limit: 2, after: second.after });
    t.strictSame(idsOf(last), ids.slice(4));
    t.equal(last.after, undefined);
    t.strictSame(idsOf(await operator.list('ours', { limit: 2, before: second.before })), ids.slice(0, 2));
    await operator.delete('ours', ids[1]!);
    await operator.delete('ours', ids[2]!);
    t.strictSame(idsOf(await operator.list('ours', { limit: 2, after: first.after })), ids.slice(3), 'the flow of the cursor is deleted');
    t.strictSame(idsOf(await operator.list('ours', { limit: 2, before: second.before })), ids.slice(0, 1));
    const more: string[] = [];
    for (const id of [ids[0]!, ids[3]!, ids[4]!]) await operator.delete('ours', id);
    for (const name of ['f', 'g', 'h', 'i']) more.push(await draft(operator, name));
    t.strictSame(
      idsOf(await operator.list('ours', { after: first.after })),
      more,
      'all listed flows are deleted, and new ones were created',
    );
    for (const page of [{ after: 'bogus' }, { before: 'bogus' }, { after: '1' }])
      t.equal(await refusal(operator.list('ours', page)), 'unknown_cursor');
  });

  await t.test('the preview URL stays the same until a new one is requested', async (t) => {
    const { operator } = await open(t);
    const id = await draft(operator);
    const first = await operator.preview('ours', id, { invalidate: false });
    t.match(first.preview_url, /^https?:\/\//);
    t.ok(first.expires_at instanceof Date);
    t.equal((await operator.preview('ours', id, { invalidate: false })).preview_url, first.preview_url);
    const second = await operator.preview('ours', id, { invalidate: true });
    t.not(second.preview_url, first.preview_url);
    t.equal((await operator.preview('ours', id, { invalidate: false })).preview_url, second.preview_url);
  });
}

import t from 'tap';
import { fault } from '../../sandbox/commands/fault.js';
import { containerOf, type Draft, type DraftBlock } from '../plugins/journeys/engine/journey-under-test.js';
import { type ControlledSandbox, startControlled, textOf } from './sandbox-with-receiver.js';

/** Publishes a journey that any message starts. */
async function publish({ admin, number, sandbox }: ControlledSandbox, draft: Draft): Promise<void> {
  const uuid = sandbox.platform.ids.uuid();
  const put = await admin('PUT', `/journeys/${uuid}`, { number, name: 'J', definition: containerOf(draft), triggers: [{ on: 'message' }] });
  const published = await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  if (published.status !== 200) throw new Error(JSON.stringify([put.body, published.body]));
}

/** The texts that the connector received. */
async function replies({ receiver, sandbox }: ControlledSandbox): Promise<string[]> {
  await sandbox.clock!.advance(1_000);
  const requests = await receiver.requests('/connector');
  return requests.map((request) => JSON.parse(textOf(request)).turn.text.body);
}

t.test('the HTTP requests of journeys fail as a rule says, and only they', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  const { admin, write, receiver, run, events } = box;
  const order = { method: 'POST', url: `${receiver.url}/orders`, json: 'json("{}")' };
  await publish(box, {
    texts: { r: '@order.status @order.error @order.json.messages[0].id' },
    blocks: [
      { name: 'order', type: 'Svc.Http', config: order },
      { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
    ] as DraftBlock[],
  });
  const add = (effect: object) => admin('POST', '/faults', { where: 'journeys', match: { contains: '/orders' }, effect });
  const say = async (text: string) => {
    await write(text);
    return (await replies(box)).at(-1);
  };
  t.match(await say('real'), /^200 {2}out-\d+$/);
  await add({ kind: 'status', status: 503 });
  t.match(await say('status'), /^503/);
  t.equal((await receiver.requests('/orders')).length, 1, 'nothing was sent');
  await add({ kind: 'dns' });
  t.notMatch(await say('dns'), /200|503/);
  await add({ kind: 'reset' });
  t.notMatch(await say('reset'), /200/);
  t.equal((await receiver.requests('/orders')).length, 2, 'a reset request was sent');
  await add({ kind: 'bad_json' });
  t.notMatch(await say('bad json'), /out-/);
  t.match(await say('real again'), /^200 {2}out-\d+$/);
  t.equal(events('fault.fired').length, 4);

  t.match((await run(fault, 'list')).out, [
    /^fault_1 {2}journeys {2}status 503 {2}1 of 1, used up {2}contains=\/orders$/,
    /dns/,
    /reset/,
    /bad_json/,
  ]);
  t.match(await run(fault, 'remove', '--all'), { code: 0, out: [], err: ['No fault rules.'] });
});

t.test('requests to models fail as a rule says', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  const { admin, write, number, sandbox } = box;
  const made = await admin('PUT', `/ai-connections/${sandbox.platform.ids.uuid()}`, {
    ...{ number, name: 'main', model: 'small', vendor: 'scripted', rules: [{ say: 'How can I help?' }] },
  });
  t.equal(made.status, 200, JSON.stringify(made.body));
  await publish(box, {
    texts: { i: 'You help.', sorry: 'no model: @helper.error' },
    blocks: [
      {
        ...{ name: 'helper', type: 'Svc.AiAgent', config: { instructions: 'i', connection: 'main', memory: { enabled: true } } },
        exits: [{ label: 'error', to: 'sorry' }, { to: null }],
      },
      { name: 'sorry', type: 'MobilePrimitives.Message', config: { prompt: 'sorry' }, exits: [{ to: null }] },
    ] as DraftBlock[],
  });
  await admin('POST', '/faults', { where: 'models', match: { vendor: 'another' }, effect: { kind: 'timeout' } });
  // The agent waits for the second message.
  await write('hi');
  await replies(box);
  await write('hello');
  t.equal((await replies(box)).at(-1), 'How can I help?', 'the rule is for another vendor');
  await admin('POST', '/faults', { where: 'models', match: { vendor: 'scripted' }, effect: { kind: 'status', status: 429 } });
  await write('again');
  t.match((await replies(box)).at(-1), /^no model: /);
  t.match(box.events('fault.fired'), [{ where: 'models', on: { model: 'small', vendor: 'scripted' } }]);
});

t.test('requests to integrations fail as a rule says', async (t) => {
  const { admin, number, receiver, events } = await startControlled(t);
  await admin('POST', '/faults', { where: 'journeys', effect: { kind: 'refuse' } });
  await admin('POST', '/faults', { where: 'integrations', effect: { kind: 'refuse' } });
  const created = await admin('POST', '/integrations', { number, name: 'Panel', url: `${receiver.url}/panel` });
  t.equal(created.status, 201);
  t.equal((await receiver.requests('/panel')).length, 0);
  t.match(events('fault.fired'), [{ where: 'integrations', on: { plugin: 'integration', method: 'POST' } }], 'not the rule for journeys');
  await admin('POST', `/integrations/${created.body.integration.uuid}/handshake`);
  t.ok((await receiver.requests()).length > 0, 'the next request is real');
});

t.test('an expired link cannot be fetched, and the link of the next attempt can', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  const { write, token, sandbox, receiver, run, call } = box;
  await write('open the conversation');
  const upload = await fetch(`${sandbox.api}/v1/media`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' } },
    body: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'),
  });
  const { media } = (await upload.json()) as { media: { id: string }[] };
  t.match(await run(fault, 'preset', 'expired-media-link'), { code: 0, out: [/expired_link {2}0 of 1 {2}contains="link":/] });
  const send = async () => {
    await call('POST', '/v1/messages', { payload: { to: '+27820001001', type: 'image', image: { id: media[0]!.id } } });
    await sandbox.clock!.advance(0);
    const { turn } = JSON.parse(textOf((await receiver.requests('/connector')).at(-1)!));
    return (await fetch(turn.image.link)).status;
  };
  t.equal(await send(), 403);
  t.equal(await send(), 200);
});

t.test('the command adds rules, lists presets, and refuses what is unclear', async (t) => {
  const { run, write, settled } = await startControlled(t);
  const added = await run(fault, 'add', '--on', 'deliveries', '--status', '404', '--match', 'contains=fails', '--times', '2', '--json');
  t.match(JSON.parse(added.out[0]!), {
    v: 1,
    faults: [{ id: 'fault_1', effect: { kind: 'status', status: 404 }, match: { contains: 'fails' }, times: 2 }],
  });
  t.match((await settled(await write('this fails'))).delivery, { state: 'cancelled', last_status: 404 });
  t.match((await run(fault, 'add', '--on', 'api', '--delay', '1.5s', '--rate', '0.25', '--seed', '3')).out, [
    /^fault_2 {2}api {2}delay 1500 {2}0 of 0, rate 0.25, seed 3$/,
  ]);
  const presets = await run(fault, 'preset');
  t.match(presets.out[0], /^flaky-endpoint +two attempts/);
  t.equal(presets.out.length, 6);
  t.match((await run(fault, 'ls')).out, [/1 of 2 +contains=fails$/, /0 of 0/]);
  const unclear: [string[], RegExp][] = [
    [['explode'], /fault takes add, list, remove or preset, not 'explode'/],
    [['add'], /needs --on/],
    [['add', '--on', 'api'], /needs --effect, --status or --delay/],
    [['add', '--on', 'everything'], /--on takes deliveries or api/],
    [['add', '--on', 'api', '--delay', 'soon'], /takes a time such as 500ms/],
    [['remove'], /takes the id of a rule, or --all/],
    [['remove', 'fault_9'], /responded 404/],
    [['add', '--on', 'api', '--effect', 'dns'], /effect.kind dns has no effect on api/],
  ];
  for (const [argv, message] of unclear) await t.rejects(run(fault, ...argv), { message }, argv.join(' '));
});

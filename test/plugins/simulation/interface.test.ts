import t from 'tap';
import { asks, DEFAULT_CONTACT, ID, JOURNEY, OTHER, says, start, talk } from './interface-under-test.js';

t.test('a response has every field, and the fields of a turn cover that turn only', async (t) => {
  const { simulate } = await start(t, {
    blocks: [
      {
        name: 'pick',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'which',
          choices: [
            { name: 'y', prompt: 'yes' },
            { name: 'n', prompt: 'no' },
          ],
          set_contact_property: { property_key: 'choice', property_value: '@pick.label' },
        },
        vendor_metadata: { svc: { card: 'Opening card' } },
      },
      { ...asks('why'), vendor_metadata: { svc: { card: 'Second card' } } },
    ],
    texts: { which: 'Do you read?', yes: 'Yes', no: 'No', why: 'Why?' },
  });
  const opening = await simulate({});
  t.equal(opening.status, 200);
  const { context, ...rest } = opening.body;
  t.strictSame(rest, {
    simulation_id: ID,
    state: 'waiting_for_input',
    message: 'Do you read?\n\nOptions (reply with the exact label of one option):\n- Yes\n- No',
    card: 'Opening card',
    options: ['Yes', 'No'],
    skill_calls: [],
    actions: [],
    http_calls: [],
    contact: DEFAULT_CONTACT,
  });
  t.strictSame(context.contact, rest.contact);

  const next = (await simulate({ input: 'Yes' })).body;
  t.match(next, { state: 'waiting_for_input', message: 'Why?', card: 'Second card', contact: { choice: 'Yes' } });
  t.strictSame(next.options, []);
  t.strictSame(next.context.contact, next.contact, 'contact fields that the journey wrote are in the same turn');
  t.match(next.context, { pick: { name: 'y', label: 'Yes' } }, 'so are its variables');
  t.match((await simulate({ input: 'Because' })).body, { state: 'end', message: '', context: { why: 'Because' } });
});

t.test('the simulated contact has every field that a real one has, and null clears one', async (t) => {
  const { simulate } = await start(t, {
    blocks: [
      { name: 'sort', type: 'Core.Case', exits: [{ test: 'contact.opted_in = false', to: 'out' }, { to: 'in' }] },
      { ...says('out'), exits: [{ to: null }] },
      { ...says('in'), exits: [{ to: null }] },
    ],
    texts: {
      out: 'Not opted in: <@contact.surname@contact.location@contact.msgapp_profile_name> @chat.owner',
      in: 'In: <@contact.msgapp_id>',
    },
  });
  t.equal((await simulate({})).body.message, `Not opted in: <> simulation:${ID}`);
  const cleared = { simulation_id: 'cleared-1', contact: { opted_in: null, msgapp_id: null } };
  t.match((await simulate(cleared)).body, { message: 'In: <>', contact: { opted_in: null, msgapp_id: null, surname: null } });
});

t.test('lists and media are shown as text, one option per line, media with their URLs', async (t) => {
  const file = (content_type: string, value: string) => ({ language_id: 'eng', content_type, modes: ['RICH_MESSAGING'], value });
  const { simulate } = await start(t, {
    blocks: [
      says('image'),
      says('audio'),
      says('video'),
      {
        name: 'pick',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'which',
          choices: ['a', 'b', 'c', 'd'].map((name) => ({ name, prompt: name, ...(name === 'b' && { description: 'more' }) })),
          list: { button_label: 'label' },
        },
      },
    ],
    texts: {
      image: [file('IMAGE', 'https://files.test/a.png'), file('TEXT', 'A picture')],
      audio: [file('AUDIO', 'https://files.test/a.ogg')],
      video: [file('VIDEO', 'https://files.test/a.mp4')],
      which: 'Which?',
      label: 'Choose',
      a: 'First',
      b: 'Second',
      c: 'Third',
      d: 'Fourth',
      more: 'the best',
    },
  });
  const { body } = await simulate({});
  t.equal(
    body.message,
    [
      '[image: A picture https://files.test/a.png]',
      '[audio: https://files.test/a.ogg]',
      '[video: https://files.test/a.mp4]',
      'Which?',
      'Options of "Choose" (reply with the exact label of one option):\n- First\n- Second: the best\n- Third\n- Fourth',
    ].join('\n\n'),
  );
  t.strictSame(body.options, ['First', 'Second', 'Third', 'Fourth']);
});

t.test('templates, headers and requested input are shown as text', async (t) => {
  const image = { language_id: 'eng', content_type: 'IMAGE', modes: ['RICH_MESSAGING'], value: 'https://files.test/a.png' };
  const { simulate, platform, number, put, publish } = await start(t, talk);
  await platform.store.transaction(async (tx) => {
    const owner = await platform.numbers.require(number);
    const components = [
      { type: 'header' as const, format: 'image' as const },
      { type: 'body' as const, text: 'Hello {{1}}, it is ready on {{2}}' },
      { type: 'buttons' as const, buttons: [{ type: 'quick_reply' as const, text: 'Yes' }] },
    ];
    await platform.templates.put(tx, owner, { name: 'order_ready', language: 'en', components });
  });
  await put({
    blocks: [
      {
        name: 'ready',
        type: 'Svc.Template',
        config: {
          template: {
            name: 'order_ready',
            language: { code: 'en' },
            components: [
              { type: 'header', parameters: [{ type: 'image', image: { link: 'https://files.test/head.png' } }] },
              {
                type: 'body',
                parameters: [
                  { type: 'text', text: '@contact.name' },
                  { type: 'text', text: 'Friday' },
                ],
              },
              { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'YES' }] },
            ],
          },
          buttons: ['yes'],
        },
      },
      {
        name: 'pick',
        type: 'MobilePrimitives.SelectOneResponse',
        config: { prompt: 'which', footer: 'footer', choices: [{ name: 'y', prompt: 'yes' }] },
      },
      { name: 'where', type: 'SmartDevices.LocationResponse', config: { prompt: 'where' } },
      { name: 'photo', type: 'SmartDevices.PhotoResponse', config: { prompt: 'photo' } },
      says('thanks'),
    ],
    texts: {
      which: [image, { ...image, content_type: 'TEXT', value: 'This one?' }],
      yes: 'Yes',
      footer: 'Small',
      where: 'Where?',
      photo: 'A photo?',
      thanks: 'Thanks',
    },
  });
  const published = await publish();
  t.equal(published.status, 200, JSON.stringify(published.body));
  const opening = (await simulate({ contact: { name: 'Ann' } })).body;
  t.equal(
    opening.message,
    '[template: order_ready (en)]\n[image: https://files.test/head.png]\nAnn\nFriday\n\nOptions (reply with the exact label of one option):\n- Yes',
  );
  t.strictSame(opening.options, ['Yes']);
  t.equal(
    (await simulate({ input: 'Yes' })).body.message,
    '[image: https://files.test/a.png]\nThis one?\nSmall\n\nOptions (reply with the exact label of one option):\n- Yes',
  );
  t.match((await simulate({ input: 'Yes' })).body.message, /^Where\?\n\n\[asks for a location; /);
  t.match(
    (await simulate({ input: '{"type":"location","location":{"latitude":-33.9,"longitude":18.4}}' })).body.message,
    /\[asks for a picture; /,
  );
  t.match((await simulate({ input: '[image: https://files.test/me.png]' })).body, {
    state: 'end',
    context: { photo: 'https://files.test/me.png' },
  });
});

t.test('an input in the form of another message type reaches the journey as that type', async (t) => {
  const { simulate } = await start(t, {
    blocks: [
      { ...asks('first'), exits: [{ to: 'told' }] },
      { ...asks('told'), exits: [{ to: 'told' }] },
    ],
    texts: { first: 'First?', told: '@event.message.type' },
  });
  await simulate({});
  const event = async (input: string) => (await simulate({ input })).body.context.event.message;
  const row = { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'A' } } };
  t.match(await event(JSON.stringify(row)), row);
  t.strictSame(await event('[document: The bill https://files.test/bill.pdf]'), {
    type: 'document',
    document: { id: 'simulated-document', link: 'https://files.test/bill.pdf', caption: 'The bill' },
  });
  for (const text of ['{"type":"image"}', '{not json', '{"answer":1}', '[picture]', 'null', '{"type":"__proto__"}']) {
    t.match(await event(text), { type: 'text', text: { body: text } }, text);
  }
});

t.test('the path of older clients reaches the same simulations', async (t) => {
  const { simulate, call, admin, number } = await start(t, talk);
  await simulate({});
  const token = (await admin('POST', `/numbers/${number}/tokens`, { name: 'older' })).body.text;
  const older = (payload: object) => call('POST', `/v1/stacks/${JOURNEY}/simulation`, { token, payload });
  t.match(await older({ simulation_id: ID, input: 'Ann' }), { status: 200, body: { state: 'end', message: 'Hello, Ann.' } });
  t.match(await older({ simulation_id: 'x' }), { status: 400, body: { errors: ['simulation_id must be between 6 and 64 characters'] } });
});

t.test('a journey sees parent and child unchanged, except for reserved names', async (t) => {
  const reserved = Object.fromEntries(
    ['chat', 'contact', 'event', 'global', 'number', 'organisation'].map((name) => [name, { name: 'forged' }]),
  );
  const given = (topic: string) => ({
    ...{ topic, ok: true, config: { a: 1 }, block: { value: 'b' }, parent: { x: 'above' }, child: { y: 'below' } },
    results: { asked: { value: `${topic}!` } },
  });
  const { simulate } = await start(t, {
    blocks: [asks('question')],
    texts: {
      question:
        '@parent.topic, @child.topic, @contact.name, @number.name, @parent.results.asked.value, @child.results.asked.value, @parent.parent.x, @parent.child.y, @parent.block.value, @parent.config.a, @child.parent.x',
    },
  });
  const { body } = await simulate({
    contact: { name: 'Ann' },
    parent: { ...given('books'), ...reserved },
    child: { ...given('films'), ...reserved },
  });
  t.equal(body.message, 'books, films, Ann, Library, books!, films!, above, below, b, 1, above');
  t.strictSame(body.context.parent, given('books'));
  t.strictSame(body.context.child, given('films'));
  const { results, block, config } = body.context;
  t.strictSame([results, block, config], [{}, undefined, undefined], 'they do not shadow anything');
});

t.test('a simulated contact has the attributes of the request, and null clears a reserved field', async (t) => {
  const { simulate } = await start(t, talk);
  t.strictSame((await simulate({ simulation_id: 'default' })).body.contact, DEFAULT_CONTACT);
  const contact = { name: 'Ann', age: 7, msgapp_id: null };
  t.strictSame((await simulate({ contact })).body.contact, { ...DEFAULT_CONTACT, ...contact });
});

t.test('the production revision runs, or staging on request', async (t) => {
  const { simulate, put, publish } = await start(t, { blocks: [asks('first')], texts: { first: 'Old' } });
  await put({ blocks: [asks('first')], texts: { first: 'New' } });
  await publish('staging');
  t.equal((await simulate({ simulation_id: 'default' })).body.message, 'Old');
  t.equal((await simulate({ simulation_id: 'production', revision: 'production' })).body.message, 'Old');
  t.equal((await simulate({ simulation_id: 'staging', revision: 'staging' })).body.message, 'New');
});

t.test('input is optional at the start of a simulation, and required later', async (t) => {
  const { simulate } = await start(t, talk);
  const text = 'Invalid input, must be a non-empty string';
  t.match((await simulate({ simulation_id: 'opening', input: 'Ann' })).body, { state: 'end', message: 'Who are you?\n\nHello, Ann.' });
  t.match((await simulate({})).body, { state: 'waiting_for_input', message: 'Who are you?' });
  for (const payload of [{}, { input: '' }, { input: null }, { input: 7 }, { input: ['Ann'] }]) {
    t.match(await simulate(payload), { status: 400, body: { errors: [text] } }, JSON.stringify(payload));
  }
  t.match((await simulate({ input: 'Ann' })).body, { state: 'end', message: 'Hello, Ann.' }, 'a refused request changes nothing');
});

t.test('an ended simulation stays ended; another id starts a new one, and so does the same id with another journey', async (t) => {
  const { simulate, put, publish } = await start(t, talk);
  await put({ blocks: [asks('other')], texts: { other: 'Elsewhere' } }, OTHER);
  await publish('production', OTHER);
  t.equal((await simulate({ input: 'Ann' })).body.state, 'end');
  t.match(await simulate({ input: 'Ann' }), { status: 404, body: { errors: ['Simulation not found or expired'] } });
  t.match((await simulate({}, OTHER)).body, { message: 'Elsewhere' });
  t.match((await simulate({ simulation_id: 'simulation-2' })).body, { message: 'Who are you?' });
});

t.test('a journey whose uuid has no dashes is simulated, read, published and deleted like any other', async (t) => {
  const { simulate, put, publish, admin } = await start(t, talk);
  for (const uuid of [OTHER.replaceAll('-', ''), `{${OTHER}}`]) {
    t.match(await put(talk, uuid), { status: 200, body: { journey: { uuid } } });
    t.equal((await publish('production', uuid)).status, 200);
    t.match(await simulate({ simulation_id: `${uuid}-1` }, uuid.toUpperCase()), { status: 200, body: { message: 'Who are you?' } });
    t.match(await admin('GET', `/journeys/${uuid}`), { status: 200, body: { journey: { uuid } } });
    t.equal((await admin('DELETE', `/journeys/${uuid}`)).status, 200);
    t.match(await simulate({ simulation_id: `${uuid}-2` }, uuid), { status: 400, body: { errors: ['Journey has been deleted'] } });
  }
});

t.test('a simulation sends no messages, emits no events and records no contacts', async (t) => {
  const { simulate, platform, admin, http, events, clock, number } = await start(t, {
    blocks: [{ ...asks('first'), config: { prompt: 'first', set_contact_property: { property_key: 'said', property_value: '@first' } } }],
    texts: { first: 'Who are you?' },
  });
  await admin('POST', '/webhooks', { number, url: 'https://owner.test', subscriptions: ['msgapp', 'svc', 'journey_outbound'] });
  const announced = events.length;
  await simulate({ simulation_id: 'in one go', input: 'Ann' });
  await simulate({ contact: { name: 'Ann' } });
  t.match((await simulate({ input: 'Ann' })).body, { state: 'end', contact: { said: 'Ann' } });
  await clock.advance(1000);
  t.strictSame(http.calls, []);
  t.strictSame(events.slice(announced), []);
  t.strictSame(await platform.contacts.list(number), []);
  t.strictSame(await platform.conversations.list(number, 10), []);
  t.strictSame(await platform.deliveries.list({ limit: 10 }), []);
});

import t from 'tap';
import type { JsonObject } from '#core';
import type { Tap } from '#core/testing';
import { type ChannelUnderTest, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';

/** A channel with a journey, and the resources of the journey. */
async function startJourney(t: Tap, draft: Draft, prepare: (channel: ChannelUnderTest) => Promise<unknown> = async () => undefined) {
  const channel = await startChannel(t);
  await prepare(channel);
  await channel.publish(draft);
  const payloads = () => channel.deliveries().map(({ json }) => json);
  return { ...channel, payloads };
}

const resource = (uuid: string, value: string): JsonObject => ({
  uuid,
  values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING', 'TEXT'], value }],
});

t.test("a connector receives a journey's template without a type, key for key, and its block has all its details", async (t) => {
  const template = {
    name: 'order_ready',
    namespace: 'shop',
    language: { code: 'en' },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: '@contact.name' }] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'yes' }] },
    ],
  };
  const draft: Draft = {
    blocks: [
      { name: 'offer', type: 'Svc.Template', config: { template } },
      { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'said' } },
    ],
    texts: { said: '@offer' },
  };
  const { say, post, settle, payloads } = await startJourney(t, draft, async ({ platform, uuid }) => {
    const number = await platform.numbers.require(uuid);
    const components = [{ type: 'body' as const, text: 'Your order is ready, {{1}}.' }];
    return platform.store.transaction((tx) => platform.templates.put(tx, number, { name: 'order_ready', language: 'en', components }));
  });
  await say('hi');
  const [payload] = payloads();
  const [body, button] = template.components;
  t.strictSame(payload.turn, {
    template: { ...template, components: [{ ...body, parameters: [{ type: 'text', text: 'Ann' }] }, button] },
  });
  t.match(payload.block, { uuid: 'offer', type: 'Svc.Template' });
  t.strictSame(payload.block.config, { template });
  t.equal(payload.waiting_for_user_input, true);
  t.match(payload.context, { contact: { name: 'Ann' } });
  const message = { type: 'button', from: '+27820001001', id: 'tap', timestamp: '1767600000', button: { text: 'Yes', payload: 'yes' } };
  t.match(await post({ contact: { id: '+27820001001', profile: { name: 'Ann' } }, message }), { status: 200 });
  await settle();
  t.strictSame(payloads()[1].turn, { type: 'text', text: { body: 'template-btn-idx-0' } });
});

t.test("a connector receives a journey's form with all its parameters, key for key", async (t) => {
  const flow = { flow_id: '1234567890', cta: 'Begin', action: 'navigate', screen: 'START', mode: 'draft', token: 'token-@contact.name' };
  const { say, payloads } = await startJourney(t, {
    blocks: [{ name: 'form', type: 'Svc.FlowMessage', config: { header: 'h', body: 'b', footer: 'f', flow } }],
    texts: { h: 'Sign up', b: 'It takes a minute, @contact.name.', f: 'You can stop at any time.' },
  });
  await say('hi');
  const [payload] = payloads();
  t.strictSame(payload.turn, {
    type: 'interactive',
    interactive: {
      type: 'flow',
      header: { type: 'text', text: 'Sign up' },
      body: { text: 'It takes a minute, Ann.' },
      footer: { text: 'You can stop at any time.' },
      action: {
        name: 'flow',
        parameters: {
          flow_action: 'navigate',
          flow_action_payload: { screen: 'START' },
          flow_cta: 'Begin',
          flow_id: '1234567890',
          flow_message_version: '3',
          flow_token: 'token-Ann',
          mode: 'draft',
        },
      },
    },
  });
  t.strictSame(payload.resources, [
    resource('h', 'Sign up'),
    resource('b', 'It takes a minute, @contact.name.'),
    resource('f', 'You can stop at any time.'),
  ]);
  t.strictSame(payload.evaluated_resources, [
    resource('h', 'Sign up'),
    resource('b', 'It takes a minute, Ann.'),
    resource('f', 'You can stop at any time.'),
  ]);
  t.equal(payload.waiting_for_user_input, true);
});

t.test('a form without a token gets one that differs per contact', async (t) => {
  const flow = { flow_id: '1', cta: 'Begin', screen: 'START' };
  const { say, payloads } = await startJourney(t, {
    blocks: [{ name: 'form', type: 'Svc.FlowMessage', config: { body: 'b', flow } }],
    texts: { b: 'Hi' },
  });
  await say('hi');
  await say('hi', { from: '+2' });
  const tokens = payloads().map(({ turn }) => turn.interactive.action.parameters.flow_token);
  t.match(tokens, [/^[0-9a-f-]{36}\.form$/, /^[0-9a-f-]{36}\.form$/]);
  t.not(tokens[0], tokens[1]);
});

t.test('a connector receives a content card as a text and its media as texts, and the block has all its details', async (t) => {
  const uuid = '0f3a1c1e-1d8a-4e3b-9f0f-3c2a5a1b7c9d';
  const card = {
    name: 'Tips',
    text: 'Three tips for @contact.name',
    media: [
      { type: 'image', link: 'https://files.test/a.png', caption: 'The first' },
      { type: 'document', link: 'https://files.test/b.pdf' },
    ],
  };
  const draft: Draft = { blocks: [{ name: 'tips', type: 'Svc.ContentCard', config: { content_id: uuid, wait_for_input: true } }] };
  const { say, payloads } = await startJourney(t, draft, async ({ admin, uuid: number }) => {
    t.equal((await admin('PUT', `/content-cards/${uuid}`, { number, ...card })).status, 200);
  });
  await say('hi');
  const texts = payloads().map(({ turn }) => turn);
  t.strictSame(texts, [
    { type: 'text', text: { body: 'Three tips for Ann' } },
    { type: 'text', text: { body: 'The first' } },
    { type: 'text', text: { body: 'https://files.test/a.png' } },
    { type: 'text', text: { body: 'https://files.test/b.pdf' } },
  ]);
  t.strictSame(
    payloads().map(({ waiting_for_user_input }) => waiting_for_user_input),
    [false, false, false, true],
  );
  t.strictSame(payloads()[0].block.config, {
    content_id: uuid,
    wait_for_input: true,
    content: { uuid, ...card, text: 'Three tips for Ann' },
  });
});

t.test('a connector receives stored media as signed links with the stored type, key for key', async (t) => {
  const { say, deliveries, platform, uuid, publish } = await startChannel(t);
  const { id } = await platform.media.put(uuid, new Uint8Array(3), { mimeType: 'application/pdf' });
  const medium = (media_type: string, more: JsonObject = {}) => ({
    name: media_type,
    type: 'Svc.Media',
    config: { media_type, media: 'm', ...more },
  });
  await publish({
    texts: { m: id, c: 'For @contact.name' },
    blocks: [
      medium('image', { caption: 'c', mime_type: 'image/webp' }),
      medium('video', { caption: 'c' }),
      medium('audio'),
      medium('document', { caption: 'c', filename: '@(contact.name).pdf' }),
    ],
  });
  await say('media');
  const link = new RegExp(`^http://posthorn.test/v1/media/${id}/content\\?`);
  const turns = deliveries().map(({ json }) => json.turn);
  t.match(turns, [{ image: { link } }, { video: { link } }, { audio: { link } }, { document: { link } }]);
  t.strictSame(
    turns.map((turn) => ({ ...turn, [turn.type]: { ...turn[turn.type], link: '' } })),
    [
      { type: 'image', image: { link: '', mime_type: 'application/pdf', caption: 'For Ann' } },
      { type: 'video', video: { link: '', mime_type: 'application/pdf', caption: 'For Ann' } },
      { type: 'audio', audio: { link: '', mime_type: 'application/pdf' } },
      { type: 'document', document: { link: '', mime_type: 'application/pdf', caption: 'For Ann', filename: 'Ann.pdf' } },
    ],
  );
});

t.test('the resources of a question are its prompt, choices, frame and list label, as written and evaluated', async (t) => {
  const texts = { q: 'Which, @contact.name?', h: 'Top', f: 'Bottom', l: 'Choose', a: 'First', b: 'Second', d: 'the @contact.name one' };
  const { say, payloads } = await startJourney(t, {
    blocks: [
      {
        name: 'which',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'q',
          header: 'h',
          footer: 'f',
          choices: [
            { name: 'a', prompt: 'a', description: 'd' },
            { name: 'b', prompt: 'b' },
          ],
          list: { button_label: 'l' },
        },
        vendor_metadata: { svc: { presentation: 'list', card: 'Menu' } },
      },
    ],
    texts,
  });
  await say('hi');
  const [payload] = payloads();
  const named = ['q', 'a', 'd', 'b', 'h', 'f', 'l'] as const;
  t.strictSame(
    payload.resources,
    named.map((uuid) => resource(uuid, texts[uuid])),
  );
  t.strictSame(
    payload.evaluated_resources,
    named.map((uuid) => resource(uuid, texts[uuid].replace('@contact.name', 'Ann'))),
  );
  t.match(payload.block.vendor_metadata, { svc: { card: 'Menu' } }, 'and the block is as it was stored');
  t.match(payload.turn.interactive, {
    header: { type: 'text', text: 'Top' },
    footer: { text: 'Bottom' },
    action: { button: 'Choose', sections: [{ rows: [{ id: 'a', title: 'First', description: 'the Ann one' }, { id: 'b' }] }] },
  });
});

t.test('a template that is deleted before its block runs takes the error exit with an error code', async (t) => {
  const draft: Draft = {
    blocks: [
      {
        name: 'offer',
        type: 'Svc.Template',
        config: { template: { name: 'order_ready', language: { code: 'en' } } },
        exits: [{ to: null }, { name: 'failed', label: 'error', to: 'said' }],
      },
      { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'said' } },
    ],
    texts: { said: 'Sorry: @block.error' },
  };
  const { say, received, platform, uuid } = await startJourney(t, draft, async ({ platform, uuid }) => {
    const number = await platform.numbers.require(uuid);
    const components = [{ type: 'body' as const, text: 'Ready' }];
    return platform.store.transaction((tx) => platform.templates.put(tx, number, { name: 'order_ready', language: 'en', components }));
  });
  await say('hi');
  t.equal(received().length, 1);
  const [template] = await platform.templates.list(uuid);
  await platform.store.transaction((tx) => platform.templates.delete(tx, template!.uuid));
  await say('hi again');
  t.equal(received().at(-1), 'Sorry: template_not_found');
});

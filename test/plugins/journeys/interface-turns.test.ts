import t from 'tap';
import type { JsonObject, Turn } from '#core';
import type { Tap } from '#core/testing';
import { CONTACT, inboundText, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';

/** A channel whose contacts a journey answers. */
async function startJourney(t: Tap, draft: Draft) {
  const channel = await startChannel(t);
  await channel.publish(draft);
  return channel;
}

const file = (content_type: string, value: string, mime_type?: string): JsonObject => ({
  language_id: 'eng',
  content_type,
  modes: ['RICH_MESSAGING'],
  value,
  ...(mime_type !== undefined && { mime_type }),
});
const caption = (text: string): JsonObject => file('TEXT', text);

t.test('a connector receives every message of a journey as a turn of its kind, key for key', async (t) => {
  const says = (name: string) => ({ name, type: 'MobilePrimitives.Message', config: { prompt: name } });
  const { say, deliveries } = await startJourney(t, {
    blocks: [
      says('text'),
      says('image'),
      says('plain_image'),
      says('video'),
      says('plain_video'),
      says('audio'),
      says('document'),
      says('plain_document'),
      {
        name: 'buttons',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'which',
          choices: [
            { name: 'yes', prompt: 'yes' },
            { name: 'no', prompt: 'no' },
          ],
        },
      },
      {
        name: 'list',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'which',
          choices: ['one', 'two', 'three', 'four'].map((name) => ({ name, prompt: name })),
          list: { button_label: 'label', sections: [{ title: 'Small', choice_names: ['one', 'two'] }] },
        },
      },
    ],
    texts: {
      text: '*Bold*, _thin_ and ~gone~ 🎉 [here](https://library.test)',
      image: [file('IMAGE', 'https://files.test/a.png'), caption('A picture')],
      plain_image: [file('IMAGE', 'https://files.test/b.jpg')],
      video: [file('VIDEO', 'https://files.test/a.mp4'), caption('A film')],
      plain_video: [file('VIDEO', 'https://files.test/b', 'video/3gpp')],
      audio: [file('AUDIO', 'https://files.test/a.ogg')],
      document: [file('TEXT', 'https://files.test/a.pdf', 'application/pdf'), caption('A leaflet')],
      plain_document: [file('TEXT', 'https://files.test/b.pdf', 'application/pdf')],
      which: 'Which one?',
      label: 'Choose',
      yes: 'Yes',
      no: 'No',
      one: 'One',
      two: 'Two',
      three: 'Three',
      four: 'Four',
    },
  });
  await say('hi');
  await say('Yes');
  const payloads = deliveries().map(({ json }) => json);
  t.strictSame(
    payloads.map(({ turn }) => turn),
    [
      { type: 'text', text: { body: '*Bold*, _thin_ and ~gone~ 🎉 [here](https://library.test)' } },
      { type: 'image', image: { link: 'https://files.test/a.png', mime_type: 'image/png', caption: 'A picture' } },
      { type: 'image', image: { link: 'https://files.test/b.jpg', mime_type: 'image/jpeg' } },
      { type: 'video', video: { link: 'https://files.test/a.mp4', mime_type: 'video/mp4', caption: 'A film' } },
      { type: 'video', video: { link: 'https://files.test/b', mime_type: 'video/3gpp' } },
      { type: 'audio', audio: { link: 'https://files.test/a.ogg', mime_type: 'audio/ogg' } },
      {
        type: 'document',
        document: { link: 'https://files.test/a.pdf', mime_type: 'application/pdf', filename: 'a.pdf', caption: 'A leaflet' },
      },
      { type: 'document', document: { link: 'https://files.test/b.pdf', mime_type: 'application/pdf', filename: 'b.pdf' } },
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'Which one?' },
          action: {
            buttons: [
              { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
              { type: 'reply', reply: { id: 'no', title: 'No' } },
            ],
          },
        },
      },
      {
        type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'Which one?' },
          action: {
            button: 'Choose',
            sections: [
              {
                title: 'Small',
                rows: [
                  { id: 'one', title: 'One' },
                  { id: 'two', title: 'Two' },
                ],
              },
              {
                rows: [
                  { id: 'three', title: 'Three' },
                  { id: 'four', title: 'Four' },
                ],
              },
            ],
          },
        },
      },
    ],
  );
  t.strictSame(
    payloads.map(({ waiting_for_user_input }) => waiting_for_user_input),
    [false, false, false, false, false, false, false, false, true, true],
    'it waits after a question',
  );
});

t.test('a payload has eight keys: the step of the message as it was written, and with its expressions evaluated', async (t) => {
  const question = { name: 'name', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'ask' } };
  const { say, deliveries } = await startJourney(t, { blocks: [question], texts: { ask: 'Is it you, @contact.name?' } });
  await say('hi', { name: 'Ann' });
  const payload = deliveries()[0]?.json;
  const resource = (value: string) => ({
    uuid: 'ask',
    values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING', 'TEXT'], value }],
  });
  t.strictSame(Object.keys(payload).sort(), [
    'block',
    'context',
    'evaluated_resources',
    'resources',
    'to',
    'turn',
    'version',
    'waiting_for_user_input',
  ]);
  t.equal(payload.to, CONTACT);
  t.equal(payload.version, '0.0.1-alpha');
  t.strictSame(payload.block, {
    uuid: 'name',
    name: 'name',
    type: 'MobilePrimitives.OpenResponse',
    config: { prompt: 'ask' },
    exits: [{ uuid: 'name-0', name: 'default', destination_block: null, default: true }],
  });
  t.match(payload.context, { contact: { name: 'Ann' }, event: { message: { type: 'text', text: { body: 'hi' } } } });
  t.strictSame(payload.resources, [resource('Is it you, @contact.name?')]);
  t.strictSame(payload.evaluated_resources, [resource('Is it you, Ann?')]);
  t.equal(payload.waiting_for_user_input, true);
  t.strictSame(payload.turn, { type: 'text', text: { body: 'Is it you, Ann?' } });
});

t.test('a message that is not from a journey has the same eight keys, empty', async (t) => {
  const { say, send, settle, deliveries } = await startChannel(t);
  await say('hi');
  await send();
  await settle();
  t.strictSame(deliveries()[0]?.json, {
    to: CONTACT,
    version: '0.0.1-alpha',
    block: null,
    context: {},
    resources: [],
    evaluated_resources: [],
    waiting_for_user_input: false,
    turn: { type: 'text', text: { body: 'hello' } },
  });
});

t.test('a channel receives a template without a type, and a flow message with all its parameters', async (t) => {
  const { say, send, settle, deliveries } = await startChannel(t);
  const template = {
    template: {
      name: 'order_ready',
      namespace: 'shop',
      language: { code: 'en' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
    },
  };
  const flow = {
    type: 'interactive',
    interactive: {
      type: 'flow',
      header: { type: 'text', text: 'Sign up' },
      body: { text: 'It takes a minute.' },
      footer: { text: 'You can stop at any time.' },
      action: {
        name: 'flow',
        parameters: {
          flow_action: 'navigate',
          flow_action_payload: { screen: 'START' },
          flow_cta: 'Begin',
          flow_id: '1234567890',
          flow_message_version: '3',
          flow_token: 'token-1',
          mode: 'published',
        },
      },
    },
  };
  await say('hi');
  await send(template as Turn);
  await send(flow as Turn);
  await settle();
  t.strictSame(
    deliveries().map(({ json }) => json.turn),
    [template, flow],
  );
});

t.test('a tapped option returns with the id and the title that were sent', async (t) => {
  const choices = (...names: string[]) => names.map((name) => ({ name, prompt: name }));
  const { post, say, settle, deliveries } = await startJourney(t, {
    blocks: [
      { name: 'first', type: 'MobilePrimitives.SelectOneResponse', config: { prompt: 'which', choices: choices('a', 'b') } },
      { name: 'second', type: 'MobilePrimitives.SelectOneResponse', config: { prompt: 'which', choices: choices('c', 'd', 'e', 'f') } },
      { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'said' } },
    ],
    texts: {
      which: '?',
      said: '@results.first.value.label and @results.second.value.name',
      ...Object.fromEntries([...'abcdef'].map((name) => [name, `Say ${name}`])),
    },
  });
  const tap = async (id: string, context: string, interactive: object) => {
    const { from, timestamp } = inboundText('').message;
    const { contact } = inboundText('');
    t.match(await post({ contact, message: { type: 'interactive', from, id, timestamp, context: { id: context }, interactive } }), {
      status: 200,
    });
    await settle();
  };
  await say('hi');
  const { reply } = deliveries()[0]!.json.turn.interactive.action.buttons[1];
  await tap('tap-1', 'out-1', { type: 'button_reply', button_reply: reply });
  const { id, title } = deliveries()[1]!.json.turn.interactive.action.sections[0].rows[2];
  await tap('tap-2', 'out-2', { type: 'list_reply', list_reply: { id, title, description: '' } });
  t.strictSame(deliveries()[2]?.json.turn, { type: 'text', text: { body: 'Say b and e' } });
});

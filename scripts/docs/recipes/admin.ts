import { type Seed, seedFrom } from '../../../sandbox/demo/seed.js';
import { Printed } from './print.js';
import { ANN, inShop } from './shop.js';

/** A journey of one flow with two blocks: it asks for a name and greets. */
export const greeter = {
  specification_version: '1.0.0-rc4',
  uuid: '2b9e6f0a-7c1d-4e38-9a55-0d4c8b1f6a01',
  name: 'Greeter',
  flows: [
    {
      uuid: '2b9e6f0a-7c1d-4e38-9a55-0d4c8b1f6a02',
      name: 'main',
      last_modified: '2026-01-05T08:00:00Z',
      interaction_timeout: 300,
      supported_modes: ['RICH_MESSAGING'],
      languages: [{ id: 'eng', iso_639_3: 'eng' }],
      first_block_id: 'ask',
      blocks: [
        {
          uuid: 'ask',
          name: 'name',
          type: 'MobilePrimitives.OpenResponse',
          config: { prompt: 'who', text: { max_response_characters: 40 } },
          exits: [{ uuid: 'ask-1', name: 'next', default: true, destination_block: 'greet' }],
        },
        {
          uuid: 'greet',
          name: 'greeting',
          type: 'MobilePrimitives.Message',
          config: { prompt: 'hello' },
          exits: [{ uuid: 'greet-1', name: 'end', default: true, destination_block: null }],
        },
      ],
      resources: [text('who', 'What is your name?'), text('hello', 'Hello @name!')],
    },
  ],
};

function text(uuid: string, value: string) {
  return { uuid, values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value }] };
}

/** A complete seed of a sandbox. */
export const seed: Seed = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop', account: 'shop' }],
  channels: [{ from_addr: 'web:shop', name: 'Shop on the web', endpoint: 'http://localhost:3000/hook' }],
  webhooks: [{ number: 'web:shop', url: 'http://localhost:3001/hook', name: 'Warehouse', subscriptions: ['msgapp'] }],
  journeys: [{ number: 'web:shop', name: 'Greeter', triggers: [{ on: 'message', words: ['hello'] }], definition: greeter }],
};

/** A complete seed file. */
export async function seedRecipe(): Promise<Printed> {
  seedFrom(seed); // Throws if a sandbox would refuse it.
  return new Printed().show('seed', seed);
}

/** Everything a number needs before it can send. */
export const numberRecipes = (): Promise<Printed> =>
  inShop('numbers', async ({ admin, wanted }) => {
    const number = { kind: 'network', address: '+27600000002', name: 'Night desk', account: 'shop' };
    const made = await wanted(201, admin('POST', '/numbers', number));
    const { uuid } = made.number;
    const token = { name: 'warehouse', expires_at: '2027-01-01T00:00:00Z' };
    const issued = await wanted(201, admin('POST', `/numbers/${uuid}/tokens`, token));
    const change = { reactions: true };
    await wanted(200, admin('PATCH', `/numbers/${uuid}`, change));
    const channel = { from_addr: 'web:night', name: 'Night desk on the web', endpoint: 'https://connector.example/hook' };
    const created = await wanted(201, admin('POST', '/channels', channel));
    const template = {
      name: 'visit_reminder',
      language: 'en',
      category: 'UTILITY',
      components: [
        { type: 'BODY', text: 'Dear {{1}}, we see you on {{2}}.' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'I come' }] },
      ],
    };
    await wanted(200, admin('PUT', `/numbers/${uuid}/templates`, template));
    return new Printed()
      .say('### Create a number and a token')
      .say('`POST /admin/v1/numbers`. `kind` is `network` or `sandbox`; `account` is the business account for flows.')
      .show('new number', number)
      .show('number made', made)
      .say(
        '`POST /admin/v1/numbers/{uuid}/tokens`. Without `expires_at`, a token expires after a year. `text` is the token; only this response contains it.',
      )
      .show('new token', token)
      .show('token made', issued)
      .say('To let webhooks receive reactions: `PATCH /admin/v1/numbers/{uuid}`')
      .show('change of a number', change)
      .say('### Create a channel')
      .say(
        '`POST /admin/v1/channels`. `hmac_secret` is the key that signs requests to the connector; only this response contains it. Create a token for the channel, too.',
      )
      .show('new channel', channel)
      .show('channel made', created)
      .say('### Register a template')
      .say('`PUT /admin/v1/numbers/{uuid}/templates` creates a template, or replaces the template with this name and language.')
      .show('template', template);
  });

/** From a definition to a conversation. */
export const journeyRecipes = (): Promise<Printed> =>
  inShop('journeys', async ({ admin, onChannel, wanted, connectorPosts, delivered }) => {
    const uuid = greeter.uuid;
    const put = { number: onChannel.uuid, name: 'Greeter', triggers: [{ on: 'message', words: ['hello'] }], definition: greeter };
    const answer = await wanted(200, admin('PUT', `/journeys/${uuid}`, put));
    const publish = { revision: 'production' };
    await wanted(200, admin('POST', `/journeys/${uuid}/publish`, publish));
    const opening = { type: 'text', from: ANN, id: 'in-1', timestamp: '1767600000', text: { body: 'good morning' } };
    await wanted(200, connectorPosts('messages', { contact: { id: ANN, profile: { name: 'Ann' } }, message: opening }));
    const { contacts } = await wanted(200, admin('GET', `/numbers/${onChannel.uuid}/contacts`));
    const start = { contact: contacts[0].uuid };
    const started = await wanted(202, admin('POST', `/journeys/${uuid}/start`, start));
    const [question] = await delivered();
    if (question?.json.turn.text.body !== 'What is your name?') throw new Error('the journey did not ask');
    const secret = { name: 'LOANS_KEY', value: 'a key of the loans service' };
    await wanted(200, admin('PUT', `/numbers/${onChannel.uuid}/secrets`, secret));
    const card = { number: onChannel.uuid, name: 'Opening hours', text: 'We are open from nine to five.' };
    await wanted(200, admin('PUT', '/content-cards/2b9e6f0a-7c1d-4e38-9a55-0d4c8b1f6a03', card));
    const skill = {
      number: onChannel.uuid,
      name: 'due',
      description: 'Says when a book is due.',
      parameters: { type: 'object', properties: { book: { type: 'string' } }, required: ['book'] },
      source: 'export default async ({ book }) => ({ book, due: "2026-01-12" });',
    };
    await wanted(200, admin('PUT', '/code-skills/2b9e6f0a-7c1d-4e38-9a55-0d4c8b1f6a04', skill));
    const connection = {
      number: onChannel.uuid,
      name: 'assistant',
      vendor: 'openai-compatible',
      base_url: 'https://models.example/v1',
      model: 'small',
      token: 'the token of the vendor',
    };
    await wanted(200, admin('PUT', '/ai-connections/2b9e6f0a-7c1d-4e38-9a55-0d4c8b1f6a05', connection));
    return new Printed()
      .say('### Put a definition')
      .say('`PUT /admin/v1/journeys/{uuid}` stores a draft. Choose the uuid yourself.')
      .show('put a journey', put)
      .say('`problems` lists the findings of the linter, as `npx posthorn journey lint` does. A draft with errors cannot be published:')
      .show('journey put', answer)
      .say('### Publish it')
      .say('Call `POST /admin/v1/journeys/{uuid}/publish`. `revision` is `production` or `staging`.')
      .show('publish a journey', publish)
      .say('### Start it for a contact')
      .say('Call `POST /admin/v1/journeys/{uuid}/start`. `contact` is the uuid of a contact, from `GET /admin/v1/numbers/{uuid}/contacts`.')
      .show('start a journey', start)
      .show('journey started', started)
      .say('### Give it a secret')
      .say(
        '`PUT /admin/v1/numbers/{uuid}/secrets`. The journeys of the number use it in their requests as `@secrets.LOANS_KEY`. No response contains the value.',
      )
      .show('secret', secret)
      .say('### Give it a content card')
      .say('Call `PUT /admin/v1/content-cards/{uuid}`:')
      .show('content card', card)
      .say('### Give it a code skill')
      .say('Call `PUT /admin/v1/code-skills/{uuid}`:')
      .show('code skill', skill)
      .say('### Give it a model')
      .say('Call `PUT /admin/v1/ai-connections/{uuid}`. `vendor` is `openai-compatible`, `scripted` or `replay`.')
      .show('AI connection', connection);
  });

/** Calls that operators make during operation. */
export const operationRecipes = (): Promise<Printed> =>
  inShop('operations', async ({ admin, clock, onNetwork, wanted, phone }) => {
    const write = { from: ANN, name: 'Ann', type: 'text', text: { body: 'Is my book here?' } };
    await wanted(201, phone(write));
    const [conversation] = (await wanted(200, admin('GET', `/numbers/${onNetwork.uuid}/conversations`))).conversations;
    const answer = { operator: { id: 'desk-1', name: 'Front desk' }, type: 'text', text: { body: 'It is.' } };
    const sent = await wanted(201, admin('POST', `/conversations/${conversation.uuid}/messages`, answer));
    await clock.advance(1_000);
    const statuses = { statuses: [{ status: 'read', timestamp: '1767600010' }] };
    await wanted(200, admin('POST', `/network/messages/${sent.message.uuid}/statuses`, statuses));
    const [ann] = (await wanted(200, admin('GET', `/numbers/${onNetwork.uuid}/contacts`))).contacts;
    const fields = { fields: { language: 'eng', branch: 'north', surname: null } };
    await wanted(200, admin('PATCH', `/contacts/${ann.uuid}`, fields));
    const redeliver = { number: onNetwork.uuid, states: ['delivered'], from: '2026-01-05T08:00:00Z', limit: 10 };
    const redelivered = await wanted(200, admin('POST', '/deliveries/redeliver', redeliver));
    const cancel = { number: onNetwork.uuid, states: ['queued', 'retry_wait'] };
    await wanted(200, admin('POST', '/deliveries/cancel', cancel));
    return new Printed()
      .say('### Write as a contact of the local network')
      .say('Call `POST /admin/v1/network/numbers/{uuid}/messages`. `id`, `name` and `timestamp` are optional.')
      .show('phone writes', write)
      .say('### Answer as an operator')
      .say('Call `POST /admin/v1/conversations/{uuid}/messages`:')
      .show('operator writes', answer)
      .say('### Report a status as the network does')
      .say('Call `POST /admin/v1/network/messages/{message}/statuses`:')
      .show('network reports', statuses)
      .say('### Set fields of a contact')
      .say('Call `PATCH /admin/v1/contacts/{uuid}`. The value null clears a field.')
      .show('contact fields', fields)
      .say('### Redeliver')
      .say('`POST /admin/v1/deliveries/redeliver`. Without `states`, it selects cancelled and dropped deliveries.')
      .show('redeliver', redeliver)
      .show('redelivered', redelivered)
      .say('### Cancel')
      .say(
        'Call `POST /admin/v1/deliveries/cancel` with filters. Without `states`, it cancels queued deliveries and deliveries that wait for a retry.',
      )
      .show('cancel', cancel);
  });

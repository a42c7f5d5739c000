import type { JsonObject } from '#core';

interface DraftBlock {
  readonly name: string;
  readonly type: string;
  readonly config: JsonObject;
  readonly to?: string | null;
}

/** A container with one flow. Names serve as uuids; each block leads to the next. */
export function journeyOf(blocks: readonly DraftBlock[], texts: Readonly<Record<string, string>>): JsonObject {
  return {
    specification_version: '1.0.0-rc4',
    uuid: 'container',
    name: 'Release data',
    flows: [
      {
        uuid: 'main',
        name: 'main',
        last_modified: '2026-01-01T00:00:00Z',
        interaction_timeout: 86_400,
        supported_modes: ['RICH_MESSAGING', 'TEXT'],
        languages: [{ id: 'eng', iso_639_3: 'eng' }],
        first_block_id: blocks[0]!.name,
        blocks: blocks.map(({ name, type, config, to }, i) => ({
          uuid: name,
          name,
          type,
          config,
          exits: [
            { uuid: `${name}-0`, name: 'default', destination_block: to === undefined ? (blocks[i + 1]?.name ?? null) : to, default: true },
          ],
        })),
        resources: Object.entries(texts).map(([uuid, value]) => ({
          uuid,
          values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING', 'TEXT'], value }],
        })),
      },
    ],
  };
}

export const order = journeyOf(
  [
    { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } },
    { name: 'where', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'where' } },
    {
      name: 'shop',
      type: 'Svc.Http',
      config: { method: 'GET', url: 'https://shop.test/orders', headers: [['authorization', 'Bearer @secrets.SHOP_TOKEN']] },
    },
    { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' } },
  ],
  { who: 'What is your name?', where: 'Where do you live, @who?', bye: 'Goodbye @who of @where, order @shop.json.order' },
);

export const remind = (journey: string): JsonObject =>
  journeyOf(
    [
      { name: 'plan', type: 'Svc.Schedule', config: { journey, in: '3600' } },
      { name: 'done', type: 'MobilePrimitives.Message', config: { prompt: 'done' } },
    ],
    { done: 'I shall remind you' },
  );

export const reminder = journeyOf([{ name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'say' } }], {
  say: 'This is your reminder',
});

export const helper = journeyOf(
  [
    {
      name: 'helper',
      type: 'Svc.AiAgent',
      config: {
        instructions: 'help',
        connection: 'main',
        memory: { enabled: true },
        skills: [
          {
            name: 'quote',
            kind: 'code',
            description: 'A price',
            parameters: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
            skill: 'quote',
          },
        ],
      },
    },
  ],
  { help: 'You help @contact.name.' },
);

export const rules = [
  { when: { tool_result: 'quote' }, say: 'That is {{result.total}}.' },
  { when: { last_user: 'price' }, call: { quote: { sum: 21 } } },
  { when: { last_user: 'again', turn: 2 }, say: 'You asked before.' },
  { say: 'How can I help?' },
];

export const flowJson = {
  version: '7.3',
  screens: [
    {
      id: 'SURVEY',
      title: 'Feedback',
      terminal: true,
      data: { name: { type: 'string', __example__: 'Ada' } },
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextInput', name: 'rating', label: 'Your rating', required: true },
          { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: { rating: `\${form.rating}` } } },
        ],
      },
    },
  ],
};

import type { Container } from '../../../../plugins/journeys/engine/floip.js';

/** The same short conversation in the format of each release candidate. */
interface Example {
  readonly container: Container;
  /** Input of the contact, and the messages that follow; the first entry is the start. */
  readonly talk: readonly (readonly [answer: string, ...received: string[]])[];
  /** The block that sends the first message. */
  readonly block: string;
}

const text = (language_id: string, value: string) => ({
  language_id,
  content_type: 'TEXT',
  modes: ['TEXT', 'SMS', 'RICH_MESSAGING'],
  value,
});
const resource = (uuid: string, eng: string, fra: string) => ({ uuid, values: [text('eng', eng), text('fra', fra)] });
const resources = [
  resource('r-ask', 'Tea or coffee, @contact.name?', 'Thé ou café, @contact.name ?'),
  resource('r-tea', 'Tea', 'Thé'),
  resource('r-coffee', 'Coffee', 'Café'),
  resource('r-thanks', 'You chose @drink.', 'Vous avez choisi @drink.'),
];
const talk: Example['talk'] = [
  ['', 'Thé ou café, Bo ?'],
  ['thé', 'Vous avez choisi tea.'],
];
const about = { name: 'Drinks', description: 'What would you like?', vendor_metadata: { io: { vendor: { deep: [1] } } } };
const modes = ['TEXT', 'SMS', 'USSD', 'IVR', 'RICH_MESSAGING', 'OFFLINE'];
const flow = {
  uuid: 'f-1',
  name: 'drinks',
  label: 'Drinks',
  last_modified: '2019-01-01T00:00:00Z',
  interaction_timeout: 60,
  supported_modes: modes,
  first_block_id: 'b-ask',
};
const byChoice = (more: object = {}) => [
  { uuid: 'e-1', test: 'block.value = "tea"', destination_block: 'b-thanks', ...more },
  { uuid: 'e-2', test: 'block.value = "coffee"', destination_block: 'b-thanks', ...more },
];

/** Languages are codes; exits have tags and labels, and the last is the default; resources belong to the container. */
const first = {
  specification_version: '1.0.0-rc1',
  uuid: 'c-1',
  ...about,
  flows: [
    {
      ...flow,
      languages: ['eng', 'fra'],
      blocks: [
        {
          uuid: 'b-thanks',
          name: 'thanks',
          label: 'Thanks',
          type: 'MobilePrimitives.Message',
          config: { prompt: 'r-thanks', set_contact_property: { property_key: 'drink', property_value: '@drink' } },
          exits: [{ uuid: 'e-4', tag: 'done', label: 'Done', semantic_label: '', config: {} }],
        },
        {
          uuid: 'b-ask',
          name: 'drink',
          label: 'Drink',
          semantic_label: 'drink',
          type: 'MobilePrimitives.SelectOneResponse',
          config: { prompt: 'r-ask', choices: { tea: 'r-tea', coffee: 'r-coffee' } },
          exits: [
            ...byChoice({ tag: 'chosen', label: 'Chosen', config: {} }),
            { uuid: 'e-3', tag: 'other', label: 'Other', destination_block: 'b-ask', config: {} },
          ],
        },
      ],
    },
  ],
  resources,
};

/** The default exit is marked; choices are still an object. */
const second = {
  ...first,
  specification_version: '1.0.0-rc2',
  flows: first.flows.map((of) => ({
    ...of,
    blocks: of.blocks.map((block) => ({
      ...block,
      exits: block.exits.map((exit, i, all) => ({ ...exit, default: i === all.length - 1 })),
    })),
  })),
};

const languages = [
  { id: 'eng', label: 'English', iso_639_3: 'eng', variant: '', bcp_47: 'en' },
  { id: 'fra', label: 'Français', iso_639_3: 'fra', variant: '', bcp_47: 'fr' },
];
const last = (uuid: string, destination_block: string | null) => ({
  uuid,
  name: 'Default',
  default: true,
  destination_block,
  semantic_label: null,
  test: null,
});

/** Languages are objects, choices a list with one test each, blocks have canvas positions, and a missing exit block is "". */
const third = {
  ...first,
  specification_version: '1.0.0-rc3',
  flows: [
    {
      ...flow,
      languages,
      exit_block_id: '',
      blocks: [
        {
          uuid: 'b-thanks',
          name: 'thanks',
          label: null,
          tags: [],
          type: 'MobilePrimitives.Message',
          ui_metadata: { canvas_coordinates: { x: 1, y: 2 } },
          config: { prompt: 'r-thanks' },
          exits: [last('e-4', '')],
        },
        {
          uuid: 'b-ask',
          name: 'drink',
          label: null,
          tags: [],
          type: 'MobilePrimitives.SelectOneResponse',
          ui_metadata: { canvas_coordinates: { x: 3, y: 4 } },
          config: {
            prompt: 'r-ask',
            choices: [
              { name: 'tea', test: 'block.response = "infusion"', prompt: 'r-tea' },
              { name: 'coffee', test: 'block.response = "espresso"', prompt: 'r-coffee' },
            ],
          },
          exits: [...byChoice({ name: 'chosen', default: false, semantic_label: null, config: {} }), last('e-3', 'b-ask')],
        },
      ],
    },
  ],
};

/** Resources belong to the flow; choices have several tests; contact properties are a list. */
const { resources: _, ...fourthAbout } = third;
const fourth = {
  ...fourthAbout,
  specification_version: '1.0.0-rc4',
  flows: third.flows.map((of) => ({
    ...of,
    resources,
    blocks: of.blocks.map((block) => ({
      ...block,
      config: {
        ...block.config,
        ...('choices' in block.config && {
          choices: [
            {
              name: 'tea',
              prompt: 'r-tea',
              text_tests: [
                { language: 'fra', test_expression: 'block.response = "infusion"' },
                { test_expression: 'block.response = "chai"' },
              ],
            },
            { name: 'coffee', prompt: 'r-coffee', ivr_test: { test_expression: 'block.response = 2' }, text_tests: [] },
          ],
        }),
        set_contact_property: [{ property_key: 'seen', property_value: 'yes' }],
      },
    })),
  })),
};

const example = (container: unknown, said = talk): Example => ({ container: container as Container, talk: said, block: 'b-ask' });
const byTest: Example['talk'] = [talk[0]!, ['infusion', 'Vous avez choisi tea.']];

export const containers: Readonly<Record<string, Example>> = {
  '1.0.0-rc1': example(first, [talk[0]!, ['lait', 'Thé ou café, Bo ?'], talk[1]!]),
  '1.0.0-rc2': example(second),
  '1.0.0-rc3': example(third, byTest),
  '1.0.0-rc4': example(fourth, byTest),
  'rc4 with resources of the container': example({
    ...fourth,
    flows: fourth.flows.map(({ resources: mine, ...of }) => ({ ...of, resources: mine.slice(0, 2) })),
    resources: resources.slice(2),
  }),
};

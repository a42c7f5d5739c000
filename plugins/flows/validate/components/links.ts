import { action, array, boolean, type ComponentType, image, name, oneOf, required, staticArray, staticObject, string } from '../rule.js';

export const embeddedLink: ComponentType = {
  name: 'EmbeddedLink',
  properties: {
    text: required(string(25)),
    'on-click-action': required(action('data_exchange', 'navigate', 'open_url')),
  },
  inForm: true,
  inIf: true,
  inSwitch: true,
};

export const footer: ComponentType = {
  name: 'Footer',
  properties: {
    label: required(string(35)),
    'left-caption': string(15),
    'right-caption': string(15),
    'center-caption': string(15),
    enabled: boolean,
    'on-click-action': required(action('navigate', 'complete', 'data_exchange')),
  },
  hasVisible: false,
  needs: [
    { when: 'left-caption', also: 'right-caption' },
    { when: 'right-caption', also: 'left-caption' },
  ],
  excludes: [{ property: 'center-caption', others: ['left-caption', 'right-caption'] }],
  inForm: true,
  inIf: true,
  inSwitch: true,
};

const item = staticObject({
  id: required(string()),
  'main-content': required(staticObject({ title: required(string(30)), description: string(20), metadata: string(80) })),
  start: staticObject({ image: required(image(100)), 'alt-text': string() }),
  end: staticObject({ title: string(10), description: string(10), metadata: string(10) }),
  badge: string(15),
  tags: staticArray(string(15), { max: 3 }),
  'on-click-action': action('data_exchange', 'navigate'),
});

/** A list of rows with actions. A screen with it may contain nothing except a second one. */
export const navigationList: ComponentType = {
  name: 'NavigationList',
  properties: {
    name: required(name),
    'list-items': required(array(item, { min: 1, max: 20, declares: { id: 'string', 'main-content': 'object' } })),
    label: string(80),
    description: string(300),
    'media-size': oneOf('regular', 'large'),
    'on-click-action': action('data_exchange', 'navigate'),
  },
  hasVisible: false,
  inForm: false,
  inIf: false,
  inSwitch: false,
};

import { action, type ComponentType, flag, image, list, name, oneOf, required, staticList, staticRecord, text } from '../rule.js';

export const embeddedLink: ComponentType = {
  name: 'EmbeddedLink',
  properties: {
    text: required(text(25)),
    'on-click-action': required(action('data_exchange', 'navigate', 'open_url')),
  },
  inForm: true,
  inIf: true,
  inSwitch: true,
};

export const footer: ComponentType = {
  name: 'Footer',
  properties: {
    label: required(text(35)),
    'left-caption': text(15),
    'right-caption': text(15),
    'center-caption': text(15),
    enabled: flag,
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

const item = staticRecord({
  id: required(text()),
  'main-content': required(staticRecord({ title: required(text(30)), description: text(20), metadata: text(80) })),
  start: staticRecord({ image: required(image(100)), 'alt-text': text() }),
  end: staticRecord({ title: text(10), description: text(10), metadata: text(10) }),
  badge: text(15),
  tags: staticList(text(15), { max: 3 }),
  'on-click-action': action('data_exchange', 'navigate'),
});

/** Rows that lead somewhere. It stands alone on its screen, or with a second one. */
export const navigationList: ComponentType = {
  name: 'NavigationList',
  properties: {
    name: required(name),
    'list-items': required(list(item, { min: 1, max: 20, declares: { id: 'string', 'main-content': 'object' } })),
    label: text(80),
    description: text(300),
    'media-size': oneOf('regular', 'large'),
    'on-click-action': action('data_exchange', 'navigate'),
  },
  hasVisible: false,
  inForm: false,
  inIf: false,
  inSwitch: false,
};

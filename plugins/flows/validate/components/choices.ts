import {
  action,
  type ComponentType,
  flag,
  image,
  type ListRule,
  list,
  name,
  oneOf,
  outsideForm,
  type Properties,
  required,
  staticRecord,
  text,
  whole,
} from '../rule.js';

const anywhere = { inForm: true, inIf: true, inSwitch: true } as const;

const onSelect = { 'on-select-action': action('data_exchange', 'update_data'), 'on-unselect-action': action('update_data') };
const onOptionSelect = { 'on-select-action': action('update_data'), 'on-unselect-action': action('update_data') };

const option = staticRecord({
  id: required(text()),
  title: required(text(30)),
  description: text(300),
  metadata: text(20),
  enabled: flag,
  image: image(100),
  'alt-text': text(),
  color: { kind: 'color' },
  ...onOptionSelect,
});

const chip = staticRecord({ id: required(text()), title: required(text(30)), enabled: flag, ...onOptionSelect });

const options = (of: typeof option, min: number, max: number, maxWithImages?: number): ListRule =>
  list(of, { min, max, ...(maxWithImages !== undefined && { maxWithImages }), declares: { id: 'string', title: 'string' } });

const selectedCount = { 'min-selected-items': whole(), 'max-selected-items': whole() };
const bounds = [{ min: 'min-selected-items', max: 'max-selected-items' }];

export const checkboxGroup: ComponentType = {
  name: 'CheckboxGroup',
  properties: {
    name: required(name),
    label: required(text(30)),
    description: text(300),
    'data-source': required(options(option, 1, 20)),
    ...selectedCount,
    required: flag,
    enabled: flag,
    'media-size': oneOf('regular', 'large'),
    ...onSelect,
    'init-value': outsideForm(list(text())),
    'error-message': outsideForm(text()),
  } satisfies Properties,
  value: 'array',
  bounds,
  ...anywhere,
};

export const radioButtonsGroup: ComponentType = {
  name: 'RadioButtonsGroup',
  properties: {
    name: required(name),
    label: required(text(30)),
    description: text(300),
    'data-source': required(options(option, 1, 20)),
    required: flag,
    enabled: flag,
    'media-size': oneOf('regular', 'large'),
    ...onSelect,
    'init-value': outsideForm(text()),
    'error-message': outsideForm(text()),
  },
  value: 'string',
  ...anywhere,
};

export const dropdown: ComponentType = {
  name: 'Dropdown',
  properties: {
    name: required(name),
    label: required(text(20)),
    'data-source': required(options(option, 1, 200, 100)),
    required: flag,
    enabled: flag,
    ...onSelect,
    'init-value': outsideForm(text()),
    'error-message': outsideForm(text()),
  },
  value: 'string',
  ...anywhere,
};

export const chipsSelector: ComponentType = {
  name: 'ChipsSelector',
  properties: {
    name: required(name),
    label: required(text(80)),
    description: text(300),
    'data-source': required(options(chip, 2, 20)),
    ...selectedCount,
    required: flag,
    enabled: flag,
    ...onSelect,
    'init-value': outsideForm(list(text())),
    'error-message': outsideForm(text()),
  },
  value: 'array',
  bounds,
  ...anywhere,
};

export const optIn: ComponentType = {
  name: 'OptIn',
  properties: {
    name: required(name),
    label: required(text(120)),
    required: flag,
    'init-value': outsideForm(flag),
    /** The "Read more" link, which is there only with this. */
    'on-click-action': action('data_exchange', 'navigate', 'open_url'),
    'on-select-action': action('update_data'),
    'on-unselect-action': action('update_data'),
  },
  value: 'boolean',
  ...anywhere,
};

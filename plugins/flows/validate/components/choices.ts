import {
  type ArrayRule,
  action,
  array,
  boolean,
  type ComponentType,
  image,
  integer,
  name,
  oneOf,
  outsideForm,
  type Properties,
  required,
  staticObject,
  string,
} from '../rule.js';

const anywhere = { inForm: true, inIf: true, inSwitch: true } as const;

const onSelect = { 'on-select-action': action('data_exchange', 'update_data'), 'on-unselect-action': action('update_data') };
const onOptionSelect = { 'on-select-action': action('update_data'), 'on-unselect-action': action('update_data') };

const option = staticObject({
  id: required(string()),
  title: required(string(30)),
  description: string(300),
  metadata: string(20),
  enabled: boolean,
  image: image(100),
  'alt-text': string(),
  color: { kind: 'color' },
  ...onOptionSelect,
});

const chip = staticObject({ id: required(string()), title: required(string(30)), enabled: boolean, ...onOptionSelect });

const options = (of: typeof option, min: number, max: number, maxWithImages?: number): ArrayRule =>
  array(of, { min, max, ...(maxWithImages !== undefined && { maxWithImages }), declares: { id: 'string', title: 'string' } });

const selectedCount = { 'min-selected-items': integer(), 'max-selected-items': integer() };
const bounds = [{ min: 'min-selected-items', max: 'max-selected-items' }];

export const checkboxGroup: ComponentType = {
  name: 'CheckboxGroup',
  properties: {
    name: required(name),
    label: required(string(30)),
    description: string(300),
    'data-source': required(options(option, 1, 20)),
    ...selectedCount,
    required: boolean,
    enabled: boolean,
    'media-size': oneOf('regular', 'large'),
    ...onSelect,
    'init-value': outsideForm(array(string())),
    'error-message': outsideForm(string()),
  } satisfies Properties,
  value: 'array',
  bounds,
  ...anywhere,
};

export const radioButtonsGroup: ComponentType = {
  name: 'RadioButtonsGroup',
  properties: {
    name: required(name),
    label: required(string(30)),
    description: string(300),
    'data-source': required(options(option, 1, 20)),
    required: boolean,
    enabled: boolean,
    'media-size': oneOf('regular', 'large'),
    ...onSelect,
    'init-value': outsideForm(string()),
    'error-message': outsideForm(string()),
  },
  value: 'string',
  ...anywhere,
};

export const dropdown: ComponentType = {
  name: 'Dropdown',
  properties: {
    name: required(name),
    label: required(string(20)),
    'data-source': required(options(option, 1, 200, 100)),
    required: boolean,
    enabled: boolean,
    ...onSelect,
    'init-value': outsideForm(string()),
    'error-message': outsideForm(string()),
  },
  value: 'string',
  ...anywhere,
};

export const chipsSelector: ComponentType = {
  name: 'ChipsSelector',
  properties: {
    name: required(name),
    label: required(string(80)),
    description: string(300),
    'data-source': required(options(chip, 2, 20)),
    ...selectedCount,
    required: boolean,
    enabled: boolean,
    ...onSelect,
    'init-value': outsideForm(array(string())),
    'error-message': outsideForm(string()),
  },
  value: 'array',
  bounds,
  ...anywhere,
};

export const optIn: ComponentType = {
  name: 'OptIn',
  properties: {
    name: required(name),
    label: required(string(120)),
    required: boolean,
    'init-value': outsideForm(boolean),
    'on-click-action': action('data_exchange', 'navigate', 'open_url'),
    'on-select-action': action('update_data'),
    'on-unselect-action': action('update_data'),
  },
  value: 'boolean',
  ...anywhere,
};

import { boolean, type ComponentType, name, number, oneOf, outsideForm, required, string } from '../rule.js';

const anywhere = { inForm: true, inIf: true, inSwitch: true } as const;

export const textInput: ComponentType = {
  name: 'TextInput',
  properties: {
    name: required(name),
    label: required(string(20)),
    'label-variant': oneOf('large'),
    'input-type': oneOf('text', 'number', 'email', 'password', 'passcode', 'phone'),
    pattern: { kind: 'pattern' },
    required: boolean,
    'min-chars': number,
    'max-chars': number,
    'helper-text': string(80),
    enabled: boolean,
    'init-value': outsideForm(string()),
    'error-message': outsideForm(string(30)),
  },
  value: { property: 'input-type', types: { number: 'number' }, otherwise: 'string' },
  bounds: [{ min: 'min-chars', max: 'max-chars' }],
  needs: [{ when: 'pattern', also: 'helper-text' }],
  only: [{ properties: ['pattern'], property: 'input-type', values: ['text', 'number', 'password', 'passcode'], defaultValue: 'text' }],
  ...anywhere,
};

export const textArea: ComponentType = {
  name: 'TextArea',
  properties: {
    name: required(name),
    label: required(string(20)),
    'label-variant': oneOf('large'),
    required: boolean,
    'max-length': number,
    'helper-text': string(80),
    enabled: boolean,
    'init-value': outsideForm(string()),
    'error-message': outsideForm(string()),
  },
  value: 'string',
  ...anywhere,
};

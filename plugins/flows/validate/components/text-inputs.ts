import { type ComponentType, flag, name, number, oneOf, outsideForm, required, text } from '../rule.js';

const anywhere = { inForm: true, inIf: true, inSwitch: true } as const;

export const textInput: ComponentType = {
  name: 'TextInput',
  properties: {
    name: required(name),
    label: required(text(20)),
    'label-variant': oneOf('large'),
    'input-type': oneOf('text', 'number', 'email', 'password', 'passcode', 'phone'),
    pattern: { kind: 'pattern' },
    required: flag,
    'min-chars': number,
    'max-chars': number,
    'helper-text': text(80),
    enabled: flag,
    'init-value': outsideForm(text()),
    'error-message': outsideForm(text(30)),
  },
  value: { property: 'input-type', types: { number: 'number' }, otherwise: 'string' },
  bounds: [{ min: 'min-chars', max: 'max-chars' }],
  needs: [{ when: 'pattern', also: 'helper-text' }],
  only: [{ properties: ['pattern'], property: 'input-type', values: ['text', 'number', 'password', 'passcode'], standard: 'text' }],
  ...anywhere,
};

export const textArea: ComponentType = {
  name: 'TextArea',
  properties: {
    name: required(name),
    label: required(text(20)),
    'label-variant': oneOf('large'),
    required: flag,
    'max-length': number,
    'helper-text': text(80),
    enabled: flag,
    'init-value': outsideForm(text()),
    'error-message': outsideForm(text()),
  },
  value: 'string',
  ...anywhere,
};

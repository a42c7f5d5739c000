import { type ComponentType, name, required } from '../rule.js';

/** A group of inputs. References do not contain its name. */
export const form: ComponentType = {
  name: 'Form',
  properties: {
    name: required(name),
    children: required({ kind: 'components', place: 'form' }),
    'init-values': { kind: 'by input', holds: 'values' },
    'error-messages': { kind: 'by input', holds: 'texts' },
  },
  hasVisible: false,
  inForm: false,
  inIf: false,
  inSwitch: false,
};

/** Nested at most 3 levels deep; `check-component.ts` checks it. */
export const ifComponent: ComponentType = {
  name: 'If',
  properties: {
    condition: required({ kind: 'condition' }),
    // biome-ignore lint/suspicious/noThenProperty: the network calls it so
    then: required({ kind: 'components', place: 'then' }),
    else: { kind: 'components', place: 'else' },
  },
  hasVisible: false,
  inForm: true,
  inIf: true,
  inSwitch: false,
};

export const switchComponent: ComponentType = {
  name: 'Switch',
  properties: { value: required({ kind: 'reference' }), cases: required({ kind: 'cases' }) },
  hasVisible: false,
  inForm: true,
  inIf: true,
  inSwitch: false,
};

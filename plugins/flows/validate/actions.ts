import { type ActionName, name, type Properties, required, staticObject, staticOneOf } from './rule.js';

const jsonObject = { kind: 'json', holds: 'object' } as const;

/** The properties of each action. The component tables say which actions each component allows. */
export const actionProperties: Readonly<Record<ActionName, Properties>> = {
  navigate: {
    name: required(name),
    next: required(staticObject({ type: required(staticOneOf('screen')), name: required(name) })),
    payload: jsonObject,
  },
  complete: { name: required(name), payload: required(jsonObject) },
  data_exchange: { name: required(name), payload: required({ kind: 'json', holds: 'anything' }) },
  update_data: { name: required(name), payload: required(jsonObject) },
  open_url: { name: required(name), url: required({ kind: 'url' }) },
};

import { type ActionName, name, type Properties, required, staticOneOf, staticRecord } from './rule.js';

const object = { kind: 'json', holds: 'object' } as const;

/** What each action consists of. Where each is allowed, the components say. */
export const actionProperties: Readonly<Record<ActionName, Properties>> = {
  navigate: {
    name: required(name),
    next: required(staticRecord({ type: required(staticOneOf('screen')), name: required(name) })),
    payload: object,
  },
  complete: { name: required(name), payload: required(object) },
  data_exchange: { name: required(name), payload: required({ kind: 'json', holds: 'anything' }) },
  update_data: { name: required(name), payload: required(object) },
  open_url: { name: required(name), url: required({ kind: 'url' }) },
};

import { SecretMasker } from '../adapters/secrets/secret-masker.js';
import { dialectOf } from '../dialect.js';
import { tracedPorts } from '../kernel/observe/traced-ports.js';
import type { Recipes } from '../kernel/plugins/container.js';
import { defaultPorts } from './default-ports.js';
import type { Parts, PortParts } from './parts.js';

export const portRecipes: Omit<Recipes<PortParts, Parts>, 'settings'> = {
  dialect: ({ settings }) => dialectOf(settings.dialect),
  masker({ settings }) {
    const masker = new SecretMasker();
    const adminKey = typeof settings.admin?.key === 'string' ? settings.admin.key : undefined;
    for (const secret of [adminKey, settings.secretKey, ...settings.previousSecretKeys]) if (secret !== undefined) masker.add(secret);
    return masker;
  },
  chosen: (parts) => defaultPorts(parts.settings, { onBatch: (batch) => parts.meters?.batch(batch), masker: parts.masker }),
  rawStore: ({ chosen }) => chosen.store,
  queue: ({ chosen }) => (chosen.tracing ? tracedPorts(chosen, chosen.tracing) : chosen).queue,
  workers: ({ chosen }) => (chosen.tracing ? tracedPorts(chosen, chosen.tracing) : chosen).workers,
  bus: ({ chosen }) => chosen.bus,
  http: ({ chosen }) => chosen.http,
  sockets: ({ chosen }) => chosen.sockets,
  sender: ({ chosen }) => chosen.sender,
  models: ({ chosen }) => chosen.models,
  clock: ({ chosen }) => chosen.clock,
  ids: ({ chosen }) => chosen.ids,
  secrets: ({ chosen }) => chosen.secrets,
  blobs: ({ chosen }) => chosen.blobs,
  log: ({ chosen }) => chosen.log,
  heap: ({ chosen }) => chosen.heap,
  heapBytes: ({ heap }) => heap.limitBytes,
  tracing: ({ chosen }) => chosen.tracing,
  faults: ({ chosen }) => chosen.faults,
  signer: ({ chosen }) => chosen.signer,
};

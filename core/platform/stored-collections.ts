import { outboxEntries } from '../adapters/outbox/stored-outbox.js';
import { jobs } from '../adapters/queue/job-record.js';
import { sealedSecrets } from '../adapters/secrets/sealed-secrets.js';
import { earlierCollections } from '../delivery/earlier-records.js';
import { CORE } from '../kernel/load.js';
import type { TenantType } from '../ports/tenant.js';
import type { DeclaringPlugins } from './data-move.js';
import { coreCollections } from './services.js';

/** Everything that a platform with these plugins stores, by the name of its collection. */
export function storedCollections(plugins: DeclaringPlugins): Map<string, TenantType> {
  const own = { ...coreCollections, ...earlierCollections, jobs, secrets: sealedSecrets, outbox: outboxEntries };
  const all = new Map<string, TenantType>(Object.entries(own).map(([name, type]) => [`${CORE}.${name}`, type]));
  for (const { manifest } of plugins)
    for (const [name, type] of Object.entries(manifest.collections ?? {})) all.set(`${manifest.name}.${name}`, type);
  return all;
}

import { outboxEntries } from '../adapters/outbox/stored-outbox.js';
import { jobs } from '../adapters/queue/job-record.js';
import { sealedSecrets } from '../adapters/secrets/sealed-secrets.js';
import type { PluginManifest } from '../contract/plugin.js';
import { earlierCollections } from '../delivery/earlier-records.js';
import { CORE } from '../kernel/load.js';
import type { TenantType } from '../ports/tenant.js';
import { coreCollections } from './services.js';

/** Plugins, as far as their collections are concerned. */
export type DeclaringPlugins = readonly { readonly manifest: Pick<PluginManifest<never>, 'name' | 'collections'> }[];

/** Everything that a platform with these plugins stores, by the name of its collection. */
export function storedCollections(plugins: DeclaringPlugins): Map<string, TenantType> {
  const own = { ...coreCollections, ...earlierCollections, jobs, secrets: sealedSecrets, outbox: outboxEntries };
  const all = new Map<string, TenantType>(Object.entries(own).map(([name, type]) => [`${CORE}.${name}`, type]));
  for (const { manifest } of plugins)
    for (const [name, type] of Object.entries(manifest.collections ?? {})) all.set(`${manifest.name}.${name}`, type);
  return all;
}

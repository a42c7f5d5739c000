import { outboxEntries } from '../adapters/outbox/stored-outbox.js';
import { jobs } from '../adapters/queue/job-record.js';
import { sealedSecrets } from '../adapters/secrets/sealed-secrets.js';
import type { PluginManifest } from '../contract/plugin.js';
import { earlierCollections } from '../delivery/earlier-records.js';
import { CORE } from '../kernel/plugins/load.js';
import type { CollectionType } from '../ports/store.js';
import type { TenantType } from '../ports/tenant.js';
import { coreCollections } from './services.js';

// biome-ignore lint/suspicious/noExplicitAny: a manifest lists collections of any record type
type AnyCollection = CollectionType<any>;

/** Plugins, as far as their collections are concerned. */
export type DeclaringPlugins = readonly { readonly manifest: Pick<PluginManifest<never>, 'name' | 'collections'> }[];

/** The collections of a plugin, by the names under which they are stored. */
export const collectionsOf = ({ name: plugin, collections = {} }: DeclaringPlugins[number]['manifest']): [string, AnyCollection][] =>
  Object.entries(collections).map(([name, type]) => [type.storedAs ?? `${plugin}.${name}`, type]);

/** Everything that a platform with these plugins stores, by the name of its collection. */
export function storedCollections(plugins: DeclaringPlugins): Map<string, TenantType> {
  const own = { ...coreCollections, ...earlierCollections, jobs, secrets: sealedSecrets, outbox: outboxEntries };
  const all = new Map<string, TenantType>(Object.entries(own).map(([name, type]) => [`${CORE}.${name}`, type]));
  for (const { manifest } of plugins) for (const [name, type] of collectionsOf(manifest)) all.set(name, type);
  return all;
}

import { sealedSecrets } from '../adapters/secrets/sealed-secrets.js';
import { createAudit } from '../kernel/observe/audit.js';
import { auditRecords } from '../kernel/observe/audit-record.js';
import type { Recipes } from '../kernel/plugins/container.js';
import { CORE } from '../kernel/plugins/load.js';
import type { AuditParts, Parts } from './parts.js';
import { coreCollections } from './services.js';
import { collectionsOf } from './stored-collections.js';

/** The days of the option `audit.keptDays` without it. */
const MOST_DAYS = 36_500;

export const auditRecipes: Recipes<AuditParts, Parts> = {
  // The store of the platform runs its transactions with the audit, so it is read later.
  audit: (parts) =>
    createAudit({
      clock: parts.clock,
      log: parts.log,
      nameOf: namesOf(parts),
      store: () => parts.rawStore,
      history: () => parts.auditHistory,
      isWritable: () => parts.storeIsOpen(),
      clientAddress: parts.clientAddress,
    }),
  auditHistory: ({ histories, settings: { audit } }) =>
    histories.create({
      name: 'audit',
      type: auditRecords,
      index: 'at',
      at: ({ at }) => at,
      bytes: (one) => JSON.stringify(one).length,
      wholeBy: 'at',
      limits: { count: Number.MAX_SAFE_INTEGER, days: audit.keptDays ?? MOST_DAYS, bytes: audit.keptBytes ?? Number.MAX_SAFE_INTEGER },
      evict: async (tx, { id }) => tx.in(auditRecords).delete(id),
    }),
};

/** The names of collections, except those whose documents only follow from others. */
function namesOf(parts: Pick<Parts, 'loaded'>): (type: object) => string | undefined {
  let names: ReadonlyMap<object, string> | undefined;
  return (type) => {
    if (!names) {
      const {
        chunks: _,
        'chunk-uses': _uses,
        'message-counts': _counts,
        endpoints: _endpoints,
        marks: _marks,
        alerts: _alerts,
        audit: _audit,
        ...own
      } = coreCollections;
      const ofCore = Object.entries({ ...own, secrets: sealedSecrets }).map(([name, one]) => [one, `${CORE}.${name}`] as const);
      const ofPlugins = parts.loaded.flatMap(({ manifest }) => collectionsOf(manifest).map(([name, one]) => [one, name] as const));
      names = new Map<object, string>([...ofCore, ...ofPlugins]);
    }
    return names.get(type);
  };
}

import type { Store } from '../../../../core/ports/store.js';

/** A store with the required members of the port only, as a host application may bring it. */
export const plainStore = (store: Store): Store => ({
  define: (name, type) => store.define(name, type),
  start: () => store.start(),
  stop: (limitMs) => store.stop(limitMs),
  open: (type) => store.open(type),
  transaction: (work) =>
    store.transaction((tx) =>
      work({ in: (type) => tx.in(type), afterCommit: (run) => tx.afterCommit(run), beforeCommit: (run) => tx.beforeCommit(run) }),
    ),
});

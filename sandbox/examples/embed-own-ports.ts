/** A store, a clock and a logger of your own. What you do not bring is as usual. */
import { createPlatform, type Platform, type Plugin } from 'posthorn';
import type { Clock, Logger, Store } from 'posthorn/ports';

/** Lines as your own log has them. */
function loggerOver(write: (line: object) => void, fields: object = {}): Logger {
  const at = (level: string) => (message: string, more?: object) => write({ level, message, ...fields, ...more });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => loggerOver(write, { ...fields, ...more }),
  };
}

/** Any store, with a line about each transaction that took long. The `storeContract` of posthorn/testing says what a store must do. */
function measured(store: Store, clock: Clock, slowMs: number, log: Logger): Store {
  return {
    define: (name, type) => store.define(name, type),
    start: () => store.start(),
    stop: (limitMs) => store.stop(limitMs),
    // Whether its disk works: what is left out here nobody hears of.
    health: () => store.health?.() ?? { state: 'open' },
    onHealth: (listener) => store.onHealth?.(listener),
    reopen: async () => store.reopen?.(),
    open: (type) => store.open(type),
    async transaction(work) {
      const began = clock.monotonic();
      try {
        return await store.transaction(work);
      } finally {
        const ms = clock.monotonic() - began;
        if (ms >= slowMs) log.warn('a transaction took long', { ms });
      }
    },
  };
}

export interface Own {
  readonly store: Store;
  readonly clock: Clock;
  readonly write: (line: object) => void;
  /** 64 hexadecimal digits: a store of your own keeps secrets sealed with a key of your own. */
  readonly secretKey: string;
  readonly plugins: readonly Plugin[];
}

export function platformOver({ store, clock, write, secretKey, plugins }: Own): Platform {
  const log = loggerOver(write, { service: 'messaging' });
  return createPlatform({ plugins, secretKey, ports: { store: measured(store, clock, 100, log), clock, log } });
}

/** A platform with your own store, clock and logger. All other ports have their default adapters. */
import { createPlatform, type Platform, type Plugin } from 'posthorn';
import type { Clock, Logger, Store } from 'posthorn/ports';

/** A logger that passes entries to your own log. */
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

/** Logs slow transactions of any store. Test your own store with `storeContract` of posthorn/testing. */
function measured(store: Store, clock: Clock, slowMs: number, log: Logger): Store {
  return {
    define: (name, type) => store.define(name, type),
    start: () => store.start(),
    stop: (limitMs) => store.stop(limitMs),
    // Forward the health of the store: without it, /ready cannot report a failing disk.
    health: () => store.health?.() ?? { state: 'open' },
    onHealth: (listener) => store.onHealth?.(listener),
    reopen: async () => store.reopen?.(),
    open: (type) => store.open(type),
    async transaction(work) {
      const startedAt = clock.monotonic();
      try {
        return await store.transaction(work);
      } finally {
        const ms = clock.monotonic() - startedAt;
        if (ms >= slowMs) log.warn('slow transaction', { ms });
      }
    },
  };
}

export interface Own {
  readonly store: Store;
  readonly clock: Clock;
  readonly write: (line: object) => void;
  /** 64 hexadecimal digits. Your own store has no key file, so the platform encrypts secrets with this key. */
  readonly secretKey: string;
  readonly plugins: readonly Plugin[];
}

export function platformOver({ store, clock, write, secretKey, plugins }: Own): Platform {
  const log = loggerOver(write, { service: 'messaging' });
  return createPlatform({ plugins, secretKey, ports: { store: measured(store, clock, 100, log), clock, log } });
}

import type { Store } from '#core/ports';
import { postgresStore } from '../../plugins/cluster/postgres/index.js';
import type { SandboxOptions } from '../sandbox.js';
import { InvalidOptions } from './settings.js';

const URL_VARIABLE = 'POSTHORN_DATABASE_URL';

/**
 * Returns a function that creates the PostgreSQL store of the options, one for each start of a platform; undefined if the state is in
 * the data folder or in memory.
 * @throws InvalidOptions when an option or the variable is missing or invalid
 */
export function storeOf({ store, data }: Pick<SandboxOptions, 'store' | 'data'>): (() => Store) | undefined {
  if (store === undefined) return undefined;
  const url = store === 'postgres' ? process.env[URL_VARIABLE] : store;
  if (url === undefined || url === '')
    throw new InvalidOptions(`the store postgres needs the variable ${URL_VARIABLE}: postgres://user:password@host/database`);
  const refusal = urlRefusal(url);
  if (refusal !== undefined) throw new InvalidOptions(`the store must be 'postgres' or the URL of a database: ${refusal}`);
  if (data === undefined)
    throw new InvalidOptions(
      'the store postgres also needs a data folder: it keeps the key of the secrets, the tokens of the seed, and media files',
    );
  return () => postgresStore({ url });
}

/** Why the URL of a database cannot be used. */
export function urlRefusal(url: string): string | undefined {
  try {
    // Opens no connection.
    postgresStore({ url });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @throws Error when another process owns the data: a sandbox is never a standby, because its clock and its seed belong to one process */
export function assertOwned({ state }: { readonly state: string }): void {
  if (state === 'standby') throw new Error('another process owns the data in this database; stop it, or use another database');
}

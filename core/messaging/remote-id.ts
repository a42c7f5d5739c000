import { collection } from '../ports/store.js';

/** An id that the service of a channel gave a message to a contact. A message that is sent in parts, or twice, has several. */
export interface RemoteId {
  /** `<number>/<id>`. */
  readonly key: string;
  readonly number: string;
  readonly id: string;
  readonly message: string;
  /** Counts up per message. */
  readonly order: number;
}

export const remoteIds = collection<RemoteId>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { message: ['message', 'order'] },
  cold: { after: 0 },
});

export const remoteIdKey = (number: string, id: string): string => `${number}/${id}`;

import { NotFound, type PluginContext, type Transaction } from '#core';
import { readHandshake } from './answers/handshake.js';
import type { Exchange } from './client/exchange.js';
import { secretOf, tokenOf } from './client/secrets.js';
import { integrationHandshake } from './events.js';
import { clicks, type IntegrationRecord, integrations } from './records.js';
import type { Handshake } from './schemas.js';

const SECRET_BYTES = 32;
/** Clicks that are removed together with their integration, a transaction at a time. */
const CLICKS_AT_ONCE = 500;

export type NewIntegration = Pick<IntegrationRecord, 'number' | 'name' | 'url' | 'authorization' | 'enabled' | 'order'> & {
  readonly token?: string | undefined;
};
export type IntegrationChange = Partial<Omit<NewIntegration, 'number'>>;

/** Services of a customer that show something beside a conversation, and what we know of them. */
export type Integrations = ReturnType<typeof createIntegrations>;

export function createIntegrations(
  { store, secrets, ids, clock }: Pick<PluginContext, 'store' | 'secrets' | 'ids' | 'clock'>,
  exchange: Exchange,
) {
  const records = store.open(integrations);

  return {
    ofNumber: (number: string): Promise<IntegrationRecord[]> => records.find('number', { equals: [number] }),

    get: (uuid: string): Promise<IntegrationRecord | undefined> => records.get(uuid),

    /** @throws NotFound */
    async require(uuid: string): Promise<IntegrationRecord> {
      const integration = await records.get(uuid);
      if (!integration) throw new NotFound('integration', uuid);
      return integration;
    },

    /** Makes an integration with a secret of its own, which is returned here and nowhere else. It has not been greeted yet. */
    create({ token, ...about }: NewIntegration): Promise<{ integration: IntegrationRecord; secret: string }> {
      return store.transaction(async (tx) => {
        const integration: IntegrationRecord = {
          ...about,
          uuid: ids.uuid(),
          created_at: clock.now().toISOString(),
          revision: 1,
          handshake: { state: 'pending' },
        };
        const secret = ids.secret(SECRET_BYTES);
        tx.in(integrations).put(integration);
        secrets.put(tx, secretOf(integration.uuid), secret);
        if (token !== undefined) secrets.put(tx, tokenOf(integration.uuid), token);
        return { integration, secret };
      });
    },

    /** What it said in a handshake belongs to its address and credentials; with others it has to be greeted anew. @throws NotFound */
    change(uuid: string, { token, ...change }: IntegrationChange): Promise<IntegrationRecord> {
      return store.transaction(async (tx) => {
        const integration = await requireIn(tx, uuid);
        const isElsewhere =
          token !== undefined ||
          (change.url !== undefined && change.url !== integration.url) ||
          (change.authorization !== undefined && change.authorization !== integration.authorization);
        const changed: IntegrationRecord = {
          ...integration,
          ...change,
          ...(isElsewhere && { revision: integration.revision + 1, handshake: { state: 'pending' } }),
        };
        tx.in(integrations).put(changed);
        if (token !== undefined) secrets.put(tx, tokenOf(uuid), token);
        if (changed.authorization === null) secrets.delete(tx, tokenOf(uuid));
        return changed;
      });
    },

    /** @throws NotFound */
    async remove(uuid: string): Promise<void> {
      for (let left = true; left; ) {
        left = await store.transaction(async (tx) => {
          const some = await tx.in(clicks).find('integration', { equals: [uuid], limit: CLICKS_AT_ONCE });
          for (const click of some) tx.in(clicks).delete(click.uuid);
          return some.length === CLICKS_AT_ONCE;
        });
      }
      await store.transaction(async (tx) => {
        await requireIn(tx, uuid);
        tx.in(integrations).delete(uuid);
        secrets.delete(tx, secretOf(uuid));
        secrets.delete(tx, tokenOf(uuid));
      });
    },

    /**
     * Greets an integration (Integration context, "Handshake"): with the query parameter and, as all known integrations look
     * there, in the body. What comes of it is kept as a state. @throws NotFound
     */
    async shake(uuid: string): Promise<IntegrationRecord> {
      const integration = await this.require(uuid);
      const url = new URL(integration.url);
      url.searchParams.set('handshake', 'true');
      const answer = await exchange.post(integration, url.href, { handshake: true, name: integration.name });
      const handshake = handshakeOf(answer, clock.now().toISOString());
      return store.transaction(async (tx) => {
        const current = await requireIn(tx, uuid);
        // Its address or its credentials changed meanwhile: this answer is of somebody else.
        if (current.revision !== integration.revision) return current;
        const shaken = { ...current, handshake };
        tx.in(integrations).put(shaken);
        const { trouble } = handshake;
        tx.emit(integrationHandshake, {
          integration: uuid,
          number: current.number,
          state: trouble ? 'failed' : 'ready',
          ...(trouble && { trouble: trouble.kind }),
        });
        return shaken;
      });
    },
  };

  async function requireIn(tx: Transaction, uuid: string): Promise<IntegrationRecord> {
    const integration = await tx.in(integrations).get(uuid);
    if (!integration) throw new NotFound('integration', uuid);
    return integration;
  }
}

function handshakeOf(answer: Awaited<ReturnType<Exchange['post']>>, at: string): Handshake {
  if (answer.kind === 'trouble') return { state: 'failed', at, trouble: answer.trouble };
  const read = readHandshake(answer.body);
  return 'trouble' in read ? { state: 'failed', at, trouble: read.trouble } : { state: 'ready', at, ...read };
}

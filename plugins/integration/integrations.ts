import { NotFound, type PluginContext, type Transaction } from '#core';
import { readHandshake } from './answers/handshake.js';
import type { Exchange } from './client/exchange.js';
import { secretOf, tokenOf } from './client/secrets.js';
import { integrationHandshake } from './events.js';
import { clicks, type IntegrationRecord, integrations } from './records.js';
import type { Handshake } from './schemas.js';

const SECRET_BYTES = 32;
/** Maximum number of clicks of a removed integration that one transaction deletes. */
const CLICKS_PER_BATCH = 500;

export type NewIntegration = Pick<IntegrationRecord, 'number' | 'name' | 'url' | 'authorization' | 'enabled' | 'order'> & {
  readonly token?: string | undefined;
};
export type IntegrationChange = Partial<Omit<NewIntegration, 'number'>>;

/** The integrations of numbers: their settings, secrets and handshakes. */
export type Integrations = ReturnType<typeof createIntegrations>;

export function createIntegrations(
  { store, secrets, ids, clock }: Pick<PluginContext, 'store' | 'secrets' | 'ids' | 'clock'>,
  exchange: Exchange,
) {
  const records = store.open(integrations);

  return {
    /** By number, each in display order. */
    all: (): Promise<IntegrationRecord[]> => records.find('number'),

    ofNumber: (number: string): Promise<IntegrationRecord[]> => records.find('number', { equals: [number] }),

    get: (uuid: string): Promise<IntegrationRecord | undefined> => records.get(uuid),

    /** @throws NotFound */
    async require(uuid: string): Promise<IntegrationRecord> {
      const integration = await records.get(uuid);
      if (!integration) throw new NotFound('integration', uuid);
      return integration;
    },

    /** Creates an integration with a new secret, which only this call returns. Call `shake` for its first handshake. */
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

    /** Changes an integration. A new URL or new credentials invalidate its handshake. @throws NotFound */
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
      for (let hasMore = true; hasMore; ) {
        hasMore = await store.transaction(async (tx) => {
          const batch = await tx.in(clicks).find('integration', { equals: [uuid], limit: CLICKS_PER_BATCH });
          for (const click of batch) tx.in(clicks).delete(click.uuid);
          return batch.length === CLICKS_PER_BATCH;
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
     * Makes the handshake (Integration context, "Handshake"). The request has `handshake` in the query, as specified, and in the body, where
     * all known integrations look for it. A failure is stored as the state of the handshake. @throws NotFound
     */
    async shake(uuid: string): Promise<IntegrationRecord> {
      const integration = await this.require(uuid);
      const url = new URL(integration.url);
      url.searchParams.set('handshake', 'true');
      const answer = await exchange.post(integration, url.href, { handshake: true, name: integration.name }, { kind: 'handshake' });
      const handshake = handshakeOf(answer, clock.now().toISOString());
      return store.transaction(async (tx) => {
        const current = await requireIn(tx, uuid);
        // The URL or credentials have changed since the request, so the response no longer applies.
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

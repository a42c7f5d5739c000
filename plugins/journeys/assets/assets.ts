import { type CollectionType, Conflict, NotFound, type PluginContext, type Transaction } from '#core';
import type { AssetRecord } from '../records.js';

export type Assets<T extends AssetRecord> = ReturnType<typeof createAssets<T>>;

/** `noun` names one asset in errors: `content card`. */
export function createAssets<T extends AssetRecord>(
  { store, clock }: Pick<PluginContext, 'store' | 'clock'>,
  type: CollectionType<T>,
  noun: string,
) {
  return {
    type,
    list: (number: string): Promise<T[]> => store.open(type).find('name', { equals: [number] }),

    /** @throws NotFound */
    async require(uuid: string): Promise<T> {
      const asset = await store.open(type).get(uuid);
      if (!asset) throw new NotFound(noun, uuid);
      return asset;
    },

    /** Finds an asset of the number by its name or its uuid. */
    async find(number: string, id: string): Promise<T | undefined> {
      const named = await store.open(type).getBy('name', [number, id]);
      const asset = named ?? (id === '' ? undefined : await store.open(type).get(id));
      return asset?.number === number ? asset : undefined;
    },

    /** Creates or replaces an asset. @throws Conflict when the name is taken, or the uuid belongs to another number */
    async put(tx: Transaction, uuid: string, about: Omit<T, 'uuid' | 'created_at' | 'updated_at'>): Promise<T> {
      const now = clock.now().toISOString();
      const known = await tx.in(type).get(uuid);
      if (known && known.number !== about.number) throw new Conflict('belongs_to_other_number', `This ${noun} belongs to another number`);
      const namesake = await tx.in(type).getBy('name', [about.number, about.name]);
      if (namesake && namesake.uuid !== uuid) throw new Conflict('name_taken', `Another ${noun} already has this name: ${namesake.uuid}`);
      const asset = { ...about, uuid, created_at: known?.created_at ?? now, updated_at: now } as unknown as T;
      tx.in(type).put(asset);
      return asset;
    },

    /** @throws NotFound */
    async delete(tx: Transaction, uuid: string): Promise<void> {
      if (!(await tx.in(type).get(uuid))) throw new NotFound(noun, uuid);
      tx.in(type).delete(uuid);
    },
  };
}

import {
  array,
  boolean,
  object,
  owned,
  type PluginContext,
  type RequestSchemas,
  type Route,
  route,
  type Transaction,
  type TypeOf,
} from '#core';
import type { AssetRecord } from '../records.js';
import { assetParams, ofNumber as queryOfNumber } from '../schemas.js';
import type { Assets } from './assets.js';

/** The description of one kind of asset, from which its routes are made. `T` is the type of the record, `V` of an asset in responses. */
export interface AssetKindRoutes<T extends AssetRecord, P extends NonNullable<RequestSchemas['payload']>, V> {
  /** The last part of the path: `content-cards`. */
  readonly path: string;
  /** The keys in responses, for one asset and for a list: `content_card`, `content_cards`. */
  readonly one: string;
  readonly many: string;
  /** The name of one asset in summaries: `content card`. */
  readonly noun: string;
  /** The permission that changes need; `journeys.write` if not given. */
  readonly writePermission?: string;
  readonly assets: Assets<T>;
  readonly requestSchema: P;
  /** The schema of one asset in a response. */
  readonly responseSchema: Parameters<typeof array>[0];
  readonly view: (asset: T) => V;
  readonly put: (tx: Transaction, uuid: string, payload: TypeOf<P>) => Promise<T>;
  readonly deleted?: (tx: Transaction, uuid: string) => Promise<void>;
}

export function assetRoutes<T extends AssetRecord, P extends NonNullable<RequestSchemas['payload']>, V>(
  { store, numbers }: Pick<PluginContext, 'store' | 'numbers'>,
  {
    path,
    one,
    many,
    noun,
    assets,
    requestSchema,
    responseSchema,
    view,
    put,
    deleted,
    writePermission = 'journeys.write',
  }: AssetKindRoutes<T, P, V>,
): Route[] {
  const asset = owned.record(assets.type, noun);
  const oneResponse = object({ [one]: responseSchema });
  return [
    route({
      method: 'GET',
      path: `/${path}`,
      permission: 'journeys.read',
      accounts: { number: owned.number },
      summary: `Lists the ${noun}s of a number, in the order of their names.`,
      request: { query: queryOfNumber },
      responses: { 200: object({ [many]: array(responseSchema) }) },
      async handler({ query: { number } }) {
        await numbers.require(number);
        return { [many]: (await assets.list(number)).map(view) };
      },
    }),
    route({
      method: 'GET',
      path: `/${path}/{uuid}`,
      permission: 'journeys.read',
      accounts: { uuid: asset },
      summary: `Shows one ${noun}.`,
      request: { params: assetParams },
      responses: { 200: oneResponse },
      handler: async ({ params: { uuid } }) => ({ [one]: view(await assets.require(uuid)) }),
    }),
    route({
      method: 'PUT',
      path: `/${path}/{uuid}`,
      permission: writePermission,
      accounts: { uuid: asset, number: owned.number },
      summary: `Creates or replaces one ${noun}; journeys use the new version from their next turn.`,
      request: { params: assetParams, payload: requestSchema },
      responses: { 200: oneResponse },
      async handler({ params: { uuid }, payload }) {
        const asset = payload as TypeOf<P> & { readonly number: string };
        await numbers.require(asset.number);
        return { [one]: view(await store.transaction((tx) => put(tx, uuid, asset))) };
      },
    }),
    route({
      method: 'DELETE',
      path: `/${path}/{uuid}`,
      permission: writePermission,
      accounts: { uuid: asset },
      summary: `Deletes one ${noun}; blocks that use it fail with an error code.`,
      request: { params: assetParams },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await store.transaction(async (tx) => {
          await assets.delete(tx, uuid);
          await deleted?.(tx, uuid);
        });
        return { success: true };
      },
    }),
  ];
}

import { array, boolean, object, type PluginContext, type RequestSchemas, type Route, route, type Transaction, type TypeOf } from '#core';
import type { AssetRecord } from '../records.js';
import { assetParams, ofNumber } from '../schemas.js';
import type { Assets } from './assets.js';

/** The routes of one kind of assets. `T` is the record, `V` its view in responses. */
export interface AssetKindRoutes<T extends AssetRecord, P extends NonNullable<RequestSchemas['payload']>, V> {
  /** The last part of the path: `content-cards`. */
  readonly path: string;
  /** The keys of a response with one asset and with several: `content_card`, `content_cards`. */
  readonly one: string;
  readonly many: string;
  /** The name of one asset in summaries: `content card`. */
  readonly noun: string;
  readonly assets: Assets<T>;
  readonly payload: P;
  readonly shown: Parameters<typeof array>[0];
  readonly view: (asset: T) => V;
  readonly put: (tx: Transaction, uuid: string, payload: TypeOf<P>) => Promise<T>;
  readonly deleted?: (tx: Transaction, uuid: string) => Promise<void>;
}

export function assetRoutes<T extends AssetRecord, P extends NonNullable<RequestSchemas['payload']>, V>(
  { store, numbers }: Pick<PluginContext, 'store' | 'numbers'>,
  { path, one, many, noun, assets, payload, shown, view, put, deleted }: AssetKindRoutes<T, P, V>,
): Route[] {
  const oneShown = object({ [one]: shown });
  return [
    route({
      method: 'GET',
      path: `/${path}`,
      summary: `Lists the ${noun}s of a number, in the order of their names.`,
      request: { query: ofNumber },
      responses: { 200: object({ [many]: array(shown) }) },
      async handler({ query: { number } }) {
        await numbers.require(number);
        return { [many]: (await assets.list(number)).map(view) };
      },
    }),
    route({
      method: 'GET',
      path: `/${path}/{uuid}`,
      summary: `Shows one ${noun}.`,
      request: { params: assetParams },
      responses: { 200: oneShown },
      handler: async ({ params: { uuid } }) => ({ [one]: view(await assets.require(uuid)) }),
    }),
    route({
      method: 'PUT',
      path: `/${path}/{uuid}`,
      summary: `Creates or replaces one ${noun}; journeys use it from their next turn.`,
      request: { params: assetParams, payload },
      responses: { 200: oneShown },
      async handler({ params: { uuid }, payload: given }) {
        const about = given as TypeOf<P> & { readonly number: string };
        await numbers.require(about.number);
        return { [one]: view(await store.transaction((tx) => put(tx, uuid, about))) };
      },
    }),
    route({
      method: 'DELETE',
      path: `/${path}/{uuid}`,
      summary: `Deletes one ${noun}; journeys that use it fail there with an error code.`,
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

import { fields, flag, list, NotFound, type PluginContext, type Route, route, text, textUpTo } from '#core';
import { uuidInPath } from '#core/areas';
import { type JourneySecrets, SECRET_LENGTH, secretSchema, viewOf } from './secrets.js';

const uuid = uuidInPath();
const value = textUpTo(SECRET_LENGTH.max, SECRET_LENGTH.min);
const secretName = text().pattern(/^[A-Za-z_]\w{0,63}$/, 'a letter or _, then letters, digits and _');

/** Secrets that requests of journeys may carry, as `@secrets.NAME`. A value can be put, but never read. */
export function secretRoutes({ store, numbers }: PluginContext, secrets: JourneySecrets): Route[] {
  return [
    route({
      method: 'GET',
      path: '/numbers/{uuid}/secrets',
      summary: 'Lists the names of the secrets of a number’s journeys.',
      request: { params: fields({ uuid }) },
      responses: { 200: fields({ secrets: list(secretSchema) }) },
      async handler({ params: { uuid } }) {
        await numbers.require(uuid);
        return { secrets: (await secrets.list(uuid)).map(viewOf) };
      },
    }),
    route({
      method: 'PUT',
      path: '/numbers/{uuid}/secrets',
      summary: 'Keeps a secret for the requests of a number’s journeys, or replaces it.',
      request: { params: fields({ uuid }), payload: fields({ name: secretName, value }) },
      responses: { 200: fields({ secret: secretSchema }) },
      async handler({ params: { uuid }, payload: { name, value } }) {
        await numbers.require(uuid);
        return { secret: await store.transaction((tx) => secrets.put(tx, uuid, name, value)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/numbers/{uuid}/secrets/{name}',
      summary: 'Forgets a secret of a number’s journeys.',
      request: { params: fields({ uuid, name: textUpTo(64) }) },
      responses: { 200: fields({ success: flag() }) },
      async handler({ params: { uuid, name } }) {
        await numbers.require(uuid);
        if (!(await store.transaction((tx) => secrets.delete(tx, uuid, name)))) throw new NotFound('secret', name);
        return { success: true };
      },
    }),
  ];
}

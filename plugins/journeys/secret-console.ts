import { anyText, fields, flag, list, NotFound, type PluginContext, type Route, route, text } from '#core';
import { type JourneySecrets, SECRET_LENGTH, secretSchema, viewOf } from './secrets.js';

const number = text().guid();
const params = fields({ number, name: text().pattern(/^[A-Za-z_]\w{0,63}$/, 'a letter or _, then letters, digits and _') });

/** Secrets that requests of journeys may carry, as `@secrets.NAME`. A value can be put, but never read. */
export function secretConsole({ store, numbers }: PluginContext, secrets: JourneySecrets): Route[] {
  return [
    route({
      method: 'GET',
      path: '/numbers/{number}/secrets',
      summary: 'Lists the names of the secrets of a number’s journeys.',
      request: { params: fields({ number }) },
      responses: { 200: fields({ secrets: list(secretSchema) }) },
      async handler({ params: { number } }) {
        await numbers.require(number);
        return { secrets: (await secrets.list(number)).map(viewOf) };
      },
    }),
    route({
      method: 'PUT',
      path: '/numbers/{number}/secrets/{name}',
      summary: 'Keeps a secret for the requests of a number’s journeys, or replaces it.',
      request: { params, payload: fields({ value: anyText().min(SECRET_LENGTH.min).max(SECRET_LENGTH.max) }) },
      responses: { 200: fields({ secret: secretSchema }) },
      async handler({ params: { number, name }, payload: { value } }) {
        await numbers.require(number);
        return { secret: await store.transaction((tx) => secrets.put(tx, number, name, value)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/numbers/{number}/secrets/{name}',
      summary: 'Forgets a secret of a number’s journeys.',
      request: { params },
      responses: { 200: fields({ success: flag() }) },
      async handler({ params: { number, name } }) {
        await numbers.require(number);
        if (!(await store.transaction((tx) => secrets.delete(tx, number, name)))) throw new NotFound('secret', name);
        return { success: true };
      },
    }),
  ];
}

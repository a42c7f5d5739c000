import { type Route, route } from '../contract/route.js';
import { anyValue, record } from '../shape.js';

/** Which of the two APIs a document describes. */
export type ApiPart = 'api' | 'admin';

/** Routes that serve the OpenAPI documents of the API and, with the admin key, of the admin API. Each document is built once. */
export function openApiRoutes(describe: (part: ApiPart) => Promise<object>): { readonly routes: Route[]; readonly admin: Route[] } {
  const made = new Map<ApiPart, Promise<object>>();
  const describedOnce = (part: ApiPart): Promise<object> => {
    const document = made.get(part) ?? describe(part);
    made.set(part, document);
    return document;
  };
  const about = { method: 'GET', path: '/openapi.json', responses: { 200: record(anyValue()) } } as const;
  return {
    routes: [route({ ...about, auth: 'none', summary: 'Describes this API as OpenAPI 3.1.', handler: () => describedOnce('api') })],
    admin: [
      route({
        ...about,
        permission: 'platform.read',
        accounts: 'none',
        summary: 'Describes the admin API as OpenAPI 3.1.',
        handler: () => describedOnce('admin'),
      }),
    ],
  };
}

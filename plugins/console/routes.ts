import {
  Forbidden,
  NotFound,
  object,
  type PlatformError,
  type PluginContext,
  type Route,
  type RouteDefinition,
  route,
  string,
} from '#core';
import { placeOf, sessionCookie, sessionTokens } from './auth.js';
import { assetOf, errorPage, PAGE_HEADERS, type PageTexts, page } from './page.js';
import { pageParams, pageQuery } from './schemas.js';
import type { ConsoleSessions } from './sessions.js';

const YEAR_S = 31_536_000;
const html = { contentType: 'text/html' };

/** Serves the console. Its pages contain no data: they read everything from the admin API, with the session of the browser. */
export function consoleRoutes(sessions: ConsoleSessions, texts: PageTexts, { publicUrl }: Pick<PluginContext, 'publicUrl'>): Route[] {
  const shown: Pick<RouteDefinition<{ readonly query: typeof pageQuery }, 'none'>, 'handler'> = {
    handler({ query: { code }, headers, request }, h) {
      const [path = '', query] = (request.raw.req.url ?? '').split('?');
      // hapi may have stripped the slash from `request.path`; the relative URLs of the page need it.
      if (path.endsWith('/console')) return redirect(`console/${query === undefined ? '' : `?${query}`}`);
      const rest = new URLSearchParams(query);
      rest.delete('code');
      const here = `${path.endsWith('/') ? './' : path.split('/').at(-1)}${rest.size === 0 ? '' : `?${rest}`}`;
      // A check of the link with HEAD must not use up the code.
      if (code === undefined || request.method !== 'get') return pageResponse();
      const place = placeOf(request, publicUrl());
      if (sessionTokens(headers).some((token) => sessions.sessionOf(token)?.origin === place.origin)) {
        // It must not stay usable in the history of the browser.
        sessions.discardCode(code);
        return redirect(here);
      }
      const opened = sessions.redeem(code, place.origin);
      if (opened === undefined) throw new Forbidden('The code in this address was used before, or is older than 10 minutes');
      return redirect(here).header('set-cookie', sessionCookie(opened, place));

      function redirect(to: string) {
        return withHeaders(h.response('').code(303).type('text/html')).location(to);
      }

      function pageResponse() {
        return withHeaders(h.response(page(path, texts)).type('text/html'));
      }

      function withHeaders(response: ReturnType<typeof h.response>) {
        for (const [name, value] of Object.entries(PAGE_HEADERS)) response.header(name, value);
        return response;
      }
    },
  };
  const common = {
    method: 'GET',
    auth: 'none',
    bucket: 'none',
    request: { query: pageQuery },
    responses: { 200: html, 303: html },
    errorPage: (error: PlatformError, path: string) => errorPage(error, path, texts),
    ...shown,
  } as const;
  return [
    route({
      ...common,
      path: '/console/{page*}',
      request: { params: pageParams, query: pageQuery },
      summary: 'Shows a page of the console; `code` signs the browser in, once.',
    }),
    route({ ...common, path: '/console', summary: 'Redirects to the console.' }),
    route({
      method: 'GET',
      path: '/console/assets/{file}',
      summary: 'Serves a script or style sheet of the console, under a name that contains its hash.',
      auth: 'none',
      bucket: 'none',
      request: { params: object({ file: string() }) },
      responses: { 200: { contentType: 'application/octet-stream' } },
      handler({ params: { file } }, h) {
        const asset = assetOf(file);
        if (!asset) throw new NotFound('file', file);
        return h
          .response(asset.bytes)
          .type(asset.type)
          .header('cache-control', `public, max-age=${YEAR_S}, immutable`)
          .header('cross-origin-resource-policy', 'same-origin')
          .header('x-content-type-options', 'nosniff');
      },
    }),
  ];
}

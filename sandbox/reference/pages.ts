import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Call, type Route, route } from '#core';
import { escaped } from './html.js';
import { type PageName, pages } from './page.js';

/** The bundled style and script of the pages. */
export const assetsFolder = new URL('./assets/', import.meta.url);

/** Where the build writes a page, compressed: that is a seventh of its size. */
export const pageFile = (name: PageName): URL => new URL(`./built/${name}.html.gz`, import.meta.url);

/** A page as the build has written it. */
export const builtPage = (name: PageName): string => gunzipSync(readFileSync(pageFile(name))).toString();

/** The base URL in the built pages. Each response has that of its request instead. */
export const BASE = 'http://127.0.0.1:4100';
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

interface Served {
  readonly html: string;
  readonly etag: string;
  readonly policy: string;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');
const loaded = new Map<PageName, Served>();

function load(name: PageName): Served {
  const known = loaded.get(name);
  if (known) return known;
  const html = builtPage(name);
  const hashOf = (tag: string): string => `'sha256-${digest(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)![1]!)}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf('script')}`,
    `style-src ${hashOf('style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const served = { html, etag: digest(html).slice(0, 22), policy };
  loaded.set(name, served);
  return served;
}

/** The base URL of a request, and whether it is the public URL. Without one, it is the host that the client called. */
function baseOf({ headers, server }: Call['request'], publicUrl: string | undefined): { readonly url: string; readonly isPublic: boolean } {
  if (publicUrl !== undefined) return { url: publicUrl.replace(/\/+$/, ''), isPublic: true };
  const host = String(headers.host ?? '');
  const { protocol, uri = BASE } = server.info;
  return { url: HOST.test(host) ? `${protocol}://${host}${server.realm.modifiers.route.prefix ?? ''}` : uri, isPublic: false };
}

/**
 * The reference of the API and of the admin API, as the build has generated it, with the address of the server.
 * @param publicUrl the configured one
 */
export const referenceRoutes = (publicUrl: () => string | undefined): Route[] =>
  (Object.keys(pages) as PageName[]).map((name) =>
    route({
      method: 'GET',
      path: pages[name].path,
      auth: 'none',
      summary: `Shows the reference of the ${pages[name].title} as a page.`,
      responses: { 200: { contentType: 'text/html' } },
      handler({ request }, h) {
        const { html, etag, policy } = load(name);
        const { url, isPublic } = baseOf(request, publicUrl());
        const shown = html.replaceAll(BASE, () => escaped(url));
        return h
          .response(isPublic ? shown.replace('<html lang="en">', '<html lang="en" data-public>') : shown)
          .type('text/html')
          .etag(`${etag}-${digest(`${url} ${isPublic}`).slice(0, 11)}`)
          .vary('host')
          .header('cache-control', 'no-cache')
          .header('content-security-policy', policy)
          .header('referrer-policy', 'no-referrer')
          .header('x-content-type-options', 'nosniff');
      },
    }),
  );

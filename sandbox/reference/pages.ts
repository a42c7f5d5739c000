import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Route, route } from '#core';
import { type PageName, pages } from './page.js';

/** The bundled style and script of the pages. */
export const assetsFolder = new URL('./assets/', import.meta.url);

/** Where the build writes a page. */
export const pageFile = (name: PageName): URL => new URL(`./built/${name}.html`, import.meta.url);

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
  const html = readFileSync(pageFile(name), 'utf8');
  const hashOf = (tag: string): string => `'sha256-${digest(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)![1]!)}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf('script')}`,
    `style-src ${hashOf('style')}`,
    'img-src data:',
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

/** The reference of the API and of the admin API, as the build has generated it. */
export const referenceRoutes = (): Route[] =>
  (Object.keys(pages) as PageName[]).map((name) =>
    route({
      method: 'GET',
      path: pages[name].path,
      auth: 'none',
      summary: `Shows the reference of the ${pages[name].title} as a page.`,
      responses: { 200: { contentType: 'text/html' } },
      handler(_, h) {
        const { html, etag, policy } = load(name);
        return h
          .response(html)
          .type('text/html')
          .etag(etag)
          .header('cache-control', 'no-cache')
          .header('content-security-policy', policy)
          .header('referrer-policy', 'no-referrer')
          .header('x-content-type-options', 'nosniff');
      },
    }),
  );

import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { ErrorPage, PlatformError } from '#core';

/** `scripts/compile.mjs` bundles the console from `app` into this folder. */
const BUILT = new URL('./built/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

/** Nothing is loaded from other origins, no inline script runs, and no other page may frame the console. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "frame-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The headers of every page of the console. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  // A code in the address must not reach other sites.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

interface Asset {
  readonly bytes: Buffer;
  readonly type: string;
}

interface ConsoleFiles {
  readonly page: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

let built: ConsoleFiles | undefined;

/** Read on first use, so that platforms whose console is never opened read no files. */
function load(): ConsoleFiles {
  built ??= {
    page: readFileSync(new URL('index.html', BUILT), 'utf8'),
    assets: new Map(
      readdirSync(new URL('assets/', BUILT)).map((file) => {
        const name = file.slice(0, -'.gz'.length);
        const bytes = gunzipSync(readFileSync(new URL(`assets/${file}`, BUILT)));
        return [name, { bytes, type: TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream' }];
      }),
    ),
  };
  return built;
}

/** The relative URL of the Overview from another page: empty, or `../` for each further segment. */
const upFrom = (path: string): string => '../'.repeat(path.slice(path.indexOf('/console/') + '/console/'.length).split('/').length - 1);

/** Texts of the host application in a page of the console. */
export interface PageTexts {
  /** The command line of Posthorn. */
  readonly command: string;
  /** Where operators sign in; undefined if they do with a code. */
  readonly signInUrl?: string | undefined;
}

/** The page that loads the console, for any path of it: the URLs in it are relative, because a proxy may have removed a prefix. */
export function page(path: string, { command, signInUrl = '' }: PageTexts): string {
  return load()
    .page.replaceAll('{base}', upFrom(path))
    .replaceAll('{command}', () => escaped(command))
    .replaceAll('{sign-in}', () => escaped(signInUrl));
}

/** A file of the console by its name; undefined when the build has made no such file. */
export const assetOf = (name: string): Asset | undefined => load().assets.get(name);

/** The page for a code that cannot be used, and for other errors: no script, and no text of the request. */
export function errorPage({ status }: PlatformError, path: string, texts: PageTexts): ErrorPage {
  const overview = `<p><a href="${upFrom(path) || './'}">Overview</a></p>`;
  const text =
    status === 400
      ? `<h1>The console has no such page</h1><p>The address is malformed.</p>${overview}`
      : status < 500
        ? '<h1>This link cannot be used</h1><p>It was used before, it is older than 10 minutes, or it does not belong to this address.</p>'
        : '<h1>The console cannot be shown</h1><p>The server had a problem. Try again in a minute.</p>';
  const open = `<p>Run <code>${escaped(texts.command)} open</code> in the folder of the sandbox to open the console again.</p>`;
  const [head] = page(path, texts).split('</head>');
  const html = `${withoutScripts(head!)}</head>\n<body>\n<main class="notice">${text}${open}</main>\n</body>\n</html>\n`;
  return { html, headers: PAGE_HEADERS };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);

const withoutScripts = (html: string): string =>
  html.replace(/<script\b[^>]*>[\s\S]*?<\/script>\n?|<link rel="modulepreload"[^>]*>\n?/g, '');

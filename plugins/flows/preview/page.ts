import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ErrorPage, RouteDefinition } from '#core';
import type { PageContent } from './page-content.js';

/** The page's script and style; `scripts/build.mjs` bundles them from `preview/app`. */
interface Player {
  readonly script: string;
  readonly style: string;
}

let player: Player | undefined;

function load(): Player {
  const read = (name: string): string => readFileSync(new URL(`./player/${name}`, import.meta.url), 'utf8').trim();
  player ??= { script: read('player.js'), style: read('player.css') };
  return player;
}

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const playerStyle = (): string => load().style;

/**
 * The complete page in one response, so that it loads nothing else. The flow is embedded as JSON and rendered as text, never as HTML;
 * the content security policy allows no script except the player.
 */
function pageOf(content: PageContent): ErrorPage {
  const { script, style } = load();
  // Escaped, because `</script` would end the element.
  const json = JSON.stringify(content).replaceAll('<', '\\u003c');
  return styledPage({
    title: content.opened ? 'Form' : 'Flow preview',
    style,
    body: `<div id="app"></div>
<noscript>This page requires JavaScript.</noscript>
<script type="application/json" id="flow">${json}</script>
<script>${script}</script>`,
    script,
    sends: content.opened !== undefined,
  });
}

interface Parts {
  readonly title: string;
  readonly style: string;
  readonly body: string;
  /** The one script that may run. */
  readonly script?: string;
  /** Whether the page may post the response to its own origin. */
  readonly sends?: boolean;
}

/** A page that loads nothing from elsewhere, with the content security policy that enforces it. */
export function styledPage({ title, style, body, script, sends = false }: Parts): ErrorPage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${script === undefined ? "'none'" : hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data: blob:',
    `connect-src ${sends ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const headers = {
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  };
  return { html, headers };
}

type Toolkit = Parameters<RouteDefinition<Record<never, never>, 'none'>['handler']>[1];

export function pageResponse(h: Toolkit, content: PageContent) {
  const { html, headers } = pageOf(content);
  const response = h.response(html).type('text/html');
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  return response;
}

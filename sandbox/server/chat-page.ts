import { createHash } from 'node:crypto';
import { type PluginContext, type Route, route } from '#core';
import { Html, html } from '../reference/html.js';

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:34rem;margin:0;padding:3rem 1.25rem 8rem max(1.25rem,8vw);background:light-dark(#fbfaf7,#14161a);color:light-dark(#1c1a17,#e9e7e3)}
h1{font-size:2.25rem;line-height:1.2;margin:0}h2{margin:2rem 0 0;font-size:1.25rem}
pre{overflow:auto;padding:1rem;border-radius:8px;background:light-dark(#efece4,#23262c)}pre:focus-visible{outline:2px solid}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}dd{margin:0}a{color:inherit}`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "frame-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The page of a small library with the first web chat of the sandbox, as a website would embed it. */
export const chatPage = ({ numbers }: Pick<PluginContext, 'numbers'>, command: string): Route =>
  route({
    method: 'GET',
    path: '/chat',
    auth: 'none',
    summary: 'Shows a page with the web chat of the sandbox.',
    responses: { 200: { contentType: 'text/html' } },
    async handler(_, h) {
      const number = (await numbers.list()).find(({ type }) => type === 'webchat');
      // Relative, because a proxy may serve the sandbox below a path.
      const script = number && `webchat/${number.uuid}/widget.js`;
      const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Riverside Library</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>Riverside Library</h1>
<p>Books, quiet rooms, and a librarian who answers.</p>
<dl><dt>Monday to Friday</dt><dd>9:00 to 18:00</dd><dt>Saturday</dt><dd>10:00 to 14:00</dd></dl>
<h2>Chat with us</h2>
${
  script
    ? html`<p>Press the button in the corner, and write <em>hi</em>. The published journey answers here, and the <a href="console/inbox">inbox of the
console</a> shows the conversation.</p>
<h2>On your own page</h2>
<p>One tag embeds the chat. Add the origin of your page to the settings of the number.</p>
<pre tabindex="0"><code>${`<script src="…/${script}" async></script>`}</code></pre>`
    : html`<p>This sandbox has no web chat. Run <code>${command} channel add webchat</code>, and load the page again.</p>`
}
</main>
${script !== undefined && html`<script src="${script}" async></script>`}
</body>
</html>
`;
      return h
        .response(String(page))
        .type('text/html')
        .header('cache-control', 'no-store')
        .header('content-security-policy', POLICY)
        .header('referrer-policy', 'no-referrer')
        .header('x-content-type-options', 'nosniff');
    },
  });

import { readFileSync } from 'node:fs';
import { answeredWithin, type ContributedPage, type PluginContext } from '#core';

const BUILT = new URL('./built/', import.meta.url);
const PAGE_MS = 5_000;
const MAX_CHARACTERS = 1_000_000;

/**
 * The headers of a plugin's page. `sandbox` gives it an origin of its own: no cookie, no storage, no access to the console. It may load
 * nothing, so that it can send nothing to another server.
 */
export const FRAME_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'media-src data: blob:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
};

/** The document of a page, for a frame. A page that cannot be made gives a document that reports why. */
export async function frameOf({ plugin, name, html }: ContributedPage, log: PluginContext['log']): Promise<string> {
  const made = await madeBy(html);
  if ('problem' in made) log.error('a plugin could not make its page', { plugin, page: name, problem: made.problem });
  return documentOf(made);
}

type Made = { readonly html: string } | { readonly problem: string };

async function madeBy(html: () => string | Promise<string>): Promise<Made> {
  try {
    const made = await answeredWithin(PAGE_MS, Promise.resolve().then(html));
    if (made === undefined) return { problem: `html() of the page had no result after ${PAGE_MS / 1_000} seconds` };
    if (typeof made !== 'string') return { problem: 'html() of the page returned no text' };
    if (made.length > MAX_CHARACTERS)
      return { problem: `html() of the page returned ${made.length} characters; at most ${MAX_CHARACTERS} are shown` };
    return { html: made };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

let prologue: string | undefined;

/**
 * The document with the script and style sheet of frames before it. HTML parsers apply the attributes of its `<html>` to the document, and
 * accept its `<head>`. A page that was not made reports why through the same script.
 */
function documentOf(made: Made): string {
  prologue ??= `<!doctype html><meta charset="utf-8"><style>${builtFile('frame.css')}</style><script>${builtFile('frame.js')}</script>\n`;
  if ('problem' in made) return `${prologue}<script>throw new Error(${scriptText(made.problem)})</script>`;
  return prologue + made.html.replace(/^\s*<!doctype[^>]*>/i, '');
}

const builtFile = (name: string): string => readFileSync(new URL(name, BUILT), 'utf8').trim();

/** As a literal of a script in HTML: `</script>` would end it. */
const scriptText = (text: string): string => JSON.stringify(text).replaceAll('<', '\\u003c');

import { attribute, type Html, html } from './html.js';
import type { OpenApi, Response } from './open-api.js';
import { articlesOf, type Called, errorKey, isError, linkToError } from './operation.js';

/** The pages of the reference, by the part of the API that each shows. */
export const pages = {
  api: { path: '/docs', title: 'API', document: '/openapi.json' },
  admin: { path: '/docs/admin', title: 'Admin API', document: '/admin/v1/openapi.json' },
} as const;
export type PageName = keyof typeof pages;

/** The script and the styles of a page. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
}

/** A complete page of the reference. It loads nothing else; only its search needs the script. */
export function pageOf(name: PageName, document: OpenApi, { style, script }: PageAssets): string {
  const { info, servers, components, webhooks = {} } = document;
  const areas = areasOf(document);
  const sent = Object.entries(webhooks).map(([key, { post }]) => [key, post!] as const);
  const schemas = Object.keys(components.schemas);
  const errors = errorsOf(document);
  const common = commonErrors(document);
  const own = [...errors].filter(([key]) => !common.has(key));
  const articles = articlesOf(document, new Map(own.map(([key, { id }]) => [key, id])));
  const other = name === 'api' ? pages.admin : pages.api;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}: reference</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
<nav aria-label="Pages"><a href="${relativeTo(name, other.path)}">${other.title}</a> <a href="${relativeTo(name, pages[name].document)}">openapi.json</a>${name === 'admin' && html` <small>needs the admin key</small>`}</nav>
</header>
<nav id="index" aria-label="Contents">
<p id="search" hidden><label for="filter">Search</label><input id="filter" type="search" autocomplete="off" placeholder="path, word or schema  ( / )"><span id="found" role="status"></span></p>
<p id="samples" hidden><label for="language">Samples in</label><select id="language"><option value="curl">curl<option value="javascript">JavaScript<option value="python">Python</select>
<label for="key">${keys[name]}</label><input id="key" autocomplete="off" spellcheck="false" placeholder="fills in the samples">${name === 'api' && html`<button id="fill" type="button">Create a token</button>`}<span id="filled" aria-live="polite"></span></p>
<details open><summary>Contents</summary>
${areas.map(
  ([area, all]) => html`<h2><a href=${attribute(`#area-${area}`)}>${titleOf(area)}</a></h2>
<ul>${all.map(({ method, path, operation }) => html`<li><a href=${attribute(`#${operation.operationId}`)}><b class=${method}>${method.toUpperCase()}</b><span>${path}</span></a>`)}</ul>
`,
)}
${sent.length > 0 && html`<h2><a href="#webhooks">Webhooks</a></h2><ul>${sent.map(([key]) => html`<li><a href=${attribute(`#${key}`)}>${key}</a>`)}</ul>`}
<h2><a href="#schemas">Schemas</a></h2>
<ul>${schemas.map((key) => html`<li><a href=${attribute(`#schema-${key}`)}>${key}</a>`)}</ul>
<h2><a href="#errors">Errors</a></h2><ul></ul>
</details>
</nav>
<main id="main">
<section><p>Base URL: <code id="base">${servers[0].url}</code>. ${introductions[name]} Samples read variables of the environment: <code>eval "$(npx posthorn env)"</code> sets the keys.
Bodies are JSON, unless a request names another type. A field with <code>?</code> may be absent; in a request body null counts as absent, unless its notes say what null does.${common.size > 0 && html` Any call may also get one of the errors ${[...errors].flatMap(([key, { id, status }]) => (common.has(key) ? [linkToError(id, status)] : []))}`}</p></section>
${areas.map(
  ([area, all]) => html`<section id=${attribute(`area-${area}`)}><h2>${titleOf(area)}</h2>
${all.map((called) => articles.operation(called))}</section>
`,
)}${
  sent.length > 0 &&
  html`<section id="webhooks"><h2>Webhooks</h2>
<p>Requests that the platform sends to your endpoints. Check the signature over the bytes of the body before you parse it.</p>
${sent.map(([key, operation]) => articles.webhook(key, operation))}</section>
`
}<section id="schemas"><h2>Schemas</h2>
${schemas.map((key) => articles.schema(key))}</section>
<section id="errors"><h2>Errors</h2>
${[...errors.values()].map(
  ({
    id,
    status,
    areas,
    response,
  }) => html`<article id=${attribute(id)}><h3><a href=${attribute(`#${id}`)}>${status}</a> <small>${areas.join(', ')}</small></h3>
${articles.answer(response)}</article>
`,
)}</section>
<p id="none" hidden>Nothing matches.</p>
</main>
<script>${raw(script)}</script>
</body>
</html>
`);
}

const keys: Readonly<Record<PageName, string>> = { api: 'Token', admin: 'Admin key' };

/** A link that works below any prefix. */
const relativeTo = (name: PageName, path: string): string => (name === 'admin' ? `..${path}` : path.slice(1));

const introductions: Readonly<Record<PageName, string>> = {
  api: 'A call acts on the number of its bearer token. Keys that a request body does not name are ignored.',
  admin:
    'The admin key of the platform authenticates every call; the sandbox prints it when it starts. Keys that a request does not name are refused.',
};

/** Styles and scripts from the build, which must not be escaped. */
const raw = (text: string): Html => html([text] as unknown as TemplateStringsArray);

const titleOf = (area: string): string => (area === 'core' ? 'Platform' : area.charAt(0).toUpperCase() + area.slice(1));

/** The operations grouped by area (tag), in the order of the document; the platform's own operations come last. */
const areasOf = ({ tags, paths }: OpenApi): (readonly [area: string, all: readonly Called[]])[] =>
  [...tags.filter(({ name }) => name !== 'core'), ...tags.filter(({ name }) => name === 'core')].flatMap(({ name }) => {
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => (operation.tags[0] === name ? [{ method, path, operation }] : [])),
    );
    return all.length > 0 ? [[name, all] as const] : [];
  });

/** The keys of the errors that every operation has: the page lists them once, because they were a tenth of it. */
function commonErrors({ paths }: OpenApi): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ responses }) => new Set(Object.entries(responses).map(([status, response]) => errorKey(status, response))));
  return new Set([...first].filter((key) => isError(key.slice(0, 3)) && others.every((keys) => keys.has(key))));
}

interface ShownError {
  readonly id: string;
  readonly status: string;
  /** The titles of the areas whose operations have this error response. */
  readonly areas: readonly string[];
  readonly response: Response;
}

/** The distinct error responses by key, ordered by status. If a status has several schemas, the ids of its responses end with a number. */
function errorsOf(document: OpenApi): ReadonlyMap<string, ShownError> {
  const found = new Map<string, ShownError>();
  const counts = new Map<string, number>();
  const answers = areasOf(document).flatMap(([area, all]) =>
    all.flatMap(({ operation }) =>
      Object.entries(operation.responses).map(([status, response]) => ({ area: titleOf(area), status, response })),
    ),
  );
  for (const { area, status, response } of answers.filter(({ status }) => isError(status))) {
    const key = errorKey(status, response);
    const known = found.get(key);
    if (known) {
      found.set(key, { ...known, areas: [...new Set([...known.areas, area])] });
      continue;
    }
    const n = (counts.get(status) ?? 0) + 1;
    counts.set(status, n);
    found.set(key, { id: `e${status}${n > 1 ? `-${n}` : ''}`, status, areas: [area], response });
  }
  return new Map([...found].sort(([, a], [, b]) => Number(a.status) - Number(b.status)));
}

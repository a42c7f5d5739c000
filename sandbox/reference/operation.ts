import { attribute, type Html, html, jsonText, prose, text } from './html.js';
import {
  type Content,
  examplesOf,
  type MediaType,
  nameOf,
  type OpenApi,
  type Operation,
  type Parameter,
  type Response,
} from './open-api.js';
import { curlOf } from './samples.js';
import { schemaTable } from './schema-table.js';

/** An operation with its method and path. */
export interface Called {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** A part of the page to which other parts link. */
interface PageAnchor {
  readonly id: string;
  readonly title: string;
}

const JSON_TYPE = 'application/json';

/** Parts with the same text are shown once and linked. Shorter texts than this are repeated, because a link would not be shorter. */
const LEAST_SHARED = 300;

/** Error responses with the same status and schema are shown once on a page. */
export const errorKey = (status: string, { content }: Response): string => `${status} ${JSON.stringify(content?.[JSON_TYPE]?.schema)}`;

export const isError = (status: string): boolean => /^[45]\d\d$/.test(status);

/**
 * Renders the operations, webhooks and schemas of a document. Links to a body or schema that the page already contains.
 * @param errorIds by `errorKey`, the errors to link from their operations
 */
export function articlesOf(document: OpenApi, errorIds: ReadonlyMap<string, string>) {
  const { components } = document;
  const written = new Map<string, PageAnchor>();
  const schemas = new Map<string, PageAnchor>();
  /** Examples of responses that the page contains. Another response with the same example has only its table. */
  const shown = new Set<string>();

  return {
    /** Renders an operation: the call, its parameters and body, and every response. */
    operation(called: Called): Html {
      const { method, path, operation } = called;
      const { operationId: id, summary, parameters = [], requestBody, responses } = operation;
      const place = { id, title: `${method.toUpperCase()} ${path}` };
      const answers = Object.entries(responses);
      const failures = answers.flatMap(([status, response]) => {
        const error = isError(status) ? errorIds.get(errorKey(status, response)) : undefined;
        return error === undefined ? [] : [error === `e${status}` ? html`${status} ` : linkToError(error, status)];
      });
      const example = exampleCall(document, called);
      return html`<article id=${attribute(id)}>
<h3><a href=${attribute(`#${id}`)}><b class=${method}>${method.toUpperCase()}</b> <code>${path}</code></a></h3>
<p>${prose(summary)}${authOf(document, operation)}
${parameterTable(parameters)}${requestBody && request(place, requestBody.content, !requestBody.required, example)}${requestBody?.content[JSON_TYPE] ? undefined : exampleOf('Example call', example, false)}
${answers.filter(([status]) => !isError(status)).map(([status, response]) => once(`${status} ${JSON.stringify(response)}`, place, html`<h4>Response ${status}</h4>`, () => answer(response)))}
${failures.length > 0 && html`<p>Errors: ${failures}`}
</article>
`;
    },

    /** Renders a request that the platform sends. */
    webhook(name: string, { summary, description, parameters = [], requestBody, responses }: Operation): Html {
      const place = { id: name, title: name };
      return html`<article id=${attribute(name)}>
<h3><a href=${attribute(`#${name}`)}><b class=post>POST</b> ${name}</a></h3>
<p>${prose(summary)}${description && html` ${prose(description)}`}</p>
${parameterTable(parameters)}${requestBody && request(place, requestBody.content, false)}
${Object.entries(responses).map(([status, response]) => html`<h4>Response ${status}</h4>${answer(response)}`)}
</article>
`;
    },

    /** Renders a named schema, unless an operation already contains it. */
    schema(name: string): Html {
      const place = schemas.get(name);
      return html`<article id=${attribute(`schema-${name}`)}><h3><a href=${attribute(`#schema-${name}`)}>${name}</a></h3>${
        place ? html`<p>The body of ${linkTo(place)}.</p>` : schemaTable(components.schemas[name]!)
      }</article>
`;
    },

    answer,
  };

  function once(key: string, place: PageAnchor, title: Html, write: () => Html): Html {
    const first = written.get(key);
    if (!first) written.set(key, place);
    return first && key.length > LEAST_SHARED ? html`${title}<p>Same as ${linkTo(first)}.</p>` : html`${title}${write()}`;
  }

  function request(place: PageAnchor, content: Content, isOptional: boolean, call?: string): Html {
    return html`${Object.entries(content).map(([type, media]) => {
      const title = html`<h4>Request body${isOptional && ', optional'}${type !== JSON_TYPE && html` <small>${type === '*/*' ? 'bytes of any type' : type}</small>`}</h4>`;
      return once(JSON.stringify(media), place, title, () => {
        const name = media.schema && nameOf(media.schema);
        if (name === undefined || schemas.has(name)) return html`${media.schema && schemaTable(media.schema)}${examples(media, call)}`;
        schemas.set(name, place);
        return html`<p class=kind><a href=${attribute(`#schema-${name}`)}>${name}</a>${schemaTable(components.schemas[name]!)}${examples(media, call)}`;
      });
    })}`;
  }

  function answer({ description, headers = {}, content = {} }: Response): Html {
    const own = Object.entries(headers).filter(([name]) => !OF_ALL_RESPONSES.includes(name));
    const about =
      description === 'OK' && own.length === 0
        ? ''
        : html`<p>${prose(description)}${/[.!?]$/.test(description) ? '' : '.'}${own.map(([name, about]) => html` <code>${name}</code>: ${prose(about.description)}.`)}</p>`;
    return html`${about}
${Object.entries(content).map(([type, media]) => (media.schema ? html`${schemaTable(media.schema)}${newExamples(media)}` : html`<p class=kind>Content of type ${type}</p>`))}`;
  }

  function newExamples(media: MediaType): Html | undefined {
    const key = JSON.stringify(examplesOf(media));
    if (shown.has(key)) return undefined;
    shown.add(key);
    return examples(media);
  }
}

/** Headers that the page of the kernel describes once. */
const OF_ALL_RESPONSES = ['x-request-id', 'x-posthorn-cause'];

const linkTo = ({ id, title }: PageAnchor): Html => html`<a href=${attribute(`#${id}`)}>${title}</a>`;

export const linkToError = (id: string, status: string): Html => html`<a href=${attribute(`#${id}`)}>${status}</a> `;

/** The examples of a body. The first example is shown as a `curl` call if the operation has one. */
function examples(media: MediaType, call?: string): Html {
  const all = examplesOf(media);
  return html`${all.map(([name, value], i) =>
    exampleOf(
      `Example${i === 0 && call !== undefined ? ' call' : ''}${all.length > 1 ? `: ${name}` : ''}`,
      i === 0 && call !== undefined ? call : jsonText(value),
      i === 0,
    ),
  )}`;
}

const exampleOf = (title: string, example: string, isOpen: boolean): Html =>
  html`<details${isOpen && html` open`}><summary>${title}</summary><pre>${text(example)}</pre></details>`;

/** Undefined for the admin key, which the top of its page asks for. */
function authOf({ components }: OpenApi, { security }: Operation): Html | undefined {
  const [scheme] = security.flatMap((one) => Object.keys(one));
  const isOptional = security.some((one) => Object.keys(one).length === 0);
  const isAdmin = scheme === 'admin' && scheme in components.securitySchemes;
  if (isAdmin && !isOptional) return undefined;
  const needed = scheme === undefined ? 'No authentication' : `Bearer ${isAdmin ? 'admin key' : 'token'}${isOptional ? ', optional' : ''}`;
  return html` <span class=auth>${needed}.</span>`;
}

/** Whether a parameter is any text in the path, or a UUID that is called so: the path and the example call show it, and a table would say no more. */
const isPlain = ({ name, in: place, schema, description }: Parameter): boolean =>
  place === 'path' &&
  description === undefined &&
  schema.type === 'string' &&
  (schema.format === 'uuid' ? name.endsWith('uuid') : Object.keys(schema).every((key) => ['type', 'minLength'].includes(key)));

function parameterTable(parameters: readonly Parameter[]): Html | undefined {
  if (parameters.every(isPlain)) return undefined;
  const fields = parameters.map(({ name, in: place, schema, description }) => {
    const title = `${place.charAt(0).toUpperCase()}${place.slice(1)}.`;
    const about = description === undefined ? title : `${title} ${description}`;
    return [name, { ...schema, description: about }] as const;
  });
  const required = parameters.flatMap(({ name, required }) => (required ? [name] : []));
  return html`<h4>Parameters</h4>${schemaTable({ type: 'object', properties: Object.fromEntries(fields), required })}`;
}

/** The operation as a `curl` command. Parameters are shell variables, and tokens those of `posthorn env`. */
function exampleCall({ servers }: OpenApi, { method, path, operation: { parameters = [], requestBody, security } }: Called): string {
  const [scheme] = security.flatMap((one) => Object.keys(one));
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const query = needed.map(({ name }) => `${name}=$${name.toUpperCase()}`).join('&');
  const json = requestBody?.content[JSON_TYPE];
  return curlOf({
    method: method.toUpperCase(),
    url: `${servers[0].url}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query === '' ? '' : `?${query}`}`,
    key: scheme === undefined ? undefined : scheme === 'admin' ? 'POSTHORN_ADMIN_KEY' : 'POSTHORN_TOKEN',
    json: json && jsonText(examplesOf(json)[0]?.[1]),
    hasFile: requestBody !== undefined && !json,
  });
}

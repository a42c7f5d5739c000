import { join } from 'node:path';
import type { Schema } from '@cfworker/json-schema';
import type Joi from 'joi';
import t from 'tap';
import { ADMIN_KEY, ManualClock, ScriptedHttp, startPlatform } from '#core/testing';
import { everything } from '../../scripts/docs/everything.js';
import { plugins, writeScenario } from '../../scripts/release-data/scenario.js';
import type { Written } from '../../scripts/release-data/written.js';
import { freshFolder } from '../core/adapters/store/folders.js';
import { bothDocuments, faultBy, type OpenApi } from './documents.js';

interface Terms {
  readonly keys?: readonly { readonly key: string; readonly schema: Joi.Schema }[] | null;
  readonly items?: readonly Joi.Schema[] | null;
  readonly matches?: readonly { readonly schema?: Joi.Schema }[] | null;
}

/** The fields below a schema that are neither required nor optional by a word of their declaration, such as those of `append`. */
function* undecided(schema: Joi.Schema, at: string): Generator<string> {
  const { keys, items, matches } = schema.$_terms as Terms;
  for (const { key, schema: field } of keys ?? []) {
    if (field.$_getFlag('presence') === undefined) yield `${at}.${key}`;
    yield* undecided(field, `${at}.${key}`);
  }
  for (const item of items ?? []) yield* undecided(item, `${at}[]`);
  for (const { schema: one } of matches ?? []) if (one) yield* undecided(one, at);
}

t.test('every field of a response is declared to be required or optional', async (t) => {
  const found = (await everything()).routes.flatMap(({ path, route: { method, responses } }) =>
    Object.entries(responses).flatMap(([status, schema]) =>
      '$_terms' in schema ? [...undecided(schema as Joi.Schema, `${method} ${path} ${status} `)] : [],
    ),
  );
  t.strictSame(found, []);
});

/** Optional fields that every response of the test has, and why other responses lack them. */
const SOMETIMES_ABSENT: Readonly<Record<string, string>> = {
  '/contacts 200 .contacts[].conversation': 'a contact without messages',
  '/contacts 200 .contacts[].message': 'a contact without messages, or an operator who may not read them',
  '/conversations 200 .conversations[].message': 'a conversation without messages',
  '/deliveries/{uuid} 200 .retry_policy': 'a sender whose plugin is not loaded',
  'AdminFlow.json_version': 'Flow JSON that is no JSON, or names no version',
  'AdminFlow.refusals.deprecate': 'a published flow can be deprecated',
  'Advice.about': 'advice on a number as a whole',
  'Advice.number': 'advice on the platform',
  'AuditRecord.user_agent': 'a client that sends no User-Agent',
  'AiCall.recording': 'a connection that records nothing',
  'Conversation.first_inbound_at': 'a contact that never wrote',
  'Conversation.last_inbound_at': 'a contact that never wrote',
  'Flow.categories': '`fields` selects others',
  'Flow.validation_errors': '`fields` selects others',
  'IntegrationHandshake.at': 'a pending handshake',
  'JourneyRevision.published_at': 'a revision of an earlier release',
  'ShownDelivery.body_bytes': 'a record of an earlier release',
  'ShownDelivery.kept_bytes': 'a record of an earlier release',
  'ShownDelivery.lane': 'a record of an earlier release',
  'ShownDelivery.number_address': 'a sender of a plugin that delivers for no number of the platform',
};
/** Fewer objects say nothing. */
const ENOUGH = 3;

type Count = { has: number; lacks: number };

/** Counts, for each optional field of the schemas, the objects that have it and those that lack it. */
function counting(document: OpenApi) {
  const counts = new Map<string, Count>();
  const checks = new Map<Schema, ReturnType<typeof faultBy>>();
  const fits = (value: unknown, schema: Schema): boolean => {
    const faultOf = checks.get(schema) ?? faultBy(document, schema);
    checks.set(schema, faultOf);
    return faultOf(value) === undefined;
  };
  function look(schema: Schema, value: unknown, at: string): void {
    const { $ref, anyOf, oneOf, items, properties = {}, required = [] } = schema;
    if ($ref !== undefined) {
      const name = $ref.split('/').at(-1)!;
      look(document.components.schemas[name]!, value, name);
      return;
    }
    for (const one of [...(anyOf ?? []), ...(oneOf ?? [])]) if (fits(value, one)) look(one, value, at);
    if (Array.isArray(value)) {
      if (typeof items === 'object') for (const item of value) look(items as Schema, item, `${at}[]`);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, field] of Object.entries(properties)) {
      const has = Object.hasOwn(value, key);
      if (!required.includes(key)) {
        const count = counts.get(`${at}.${key}`) ?? { has: 0, lacks: 0 };
        count[has ? 'has' : 'lacks']++;
        counts.set(`${at}.${key}`, count);
      }
      if (has && typeof field === 'object') look(field, (value as Record<string, unknown>)[key], `${at}.${key}`);
    }
  }
  return { look, counts };
}

/** The paths of the GET operations of a document, with ids of records in place of their parameters, found in the responses so far. */
function pathsOf(paths: OpenApi['paths'], known: ReadonlyMap<string, ReadonlySet<string>>) {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const required = (get.parameters ?? []).filter((one) => one.in === 'query' && one.required).map(({ name }) => name);
    let filled = [path];
    for (const [place, before, name] of path.matchAll(/([\w-]+)\/\{(\w+)\}/g)) {
      const ids = [...(known.get(before!) ?? known.get(name!) ?? [])].slice(0, 3);
      filled = filled.flatMap((one) => ids.map((id) => one.replace(place, `${before}/${encodeURIComponent(id)}`)));
    }
    for (const name of required) filled = filled.flatMap((one) => [...(known.get(`${name}s`) ?? [])].map((id) => `${one}?${name}=${id}`));
    return filled.map((url) => ({ path, url, get }));
  });
}

t.test('an optional field that every response has is listed with the reason', async (t) => {
  const folder = join(freshFolder(t), 'copy');
  const written: Written = await writeScenario(join(freshFolder(t), 'data'), folder);
  const clock = new ManualClock({ start: new Date(written.at) });
  const http = new ScriptedHttp({ clock }).answer('*', { body: {} });
  const { call } = await startPlatform(t, { plugins: plugins(), dataDir: folder, ports: { clock, http } });
  const { api, admin } = await bothDocuments(t);
  const { numbers, tokens } = written;
  const known = new Map<string, Set<string>>([['numbers', new Set([numbers.library, numbers.desk])]]);
  const found = new Map<string, Count>();
  let answered = 0;
  for (const [document, token] of [
    [admin, ADMIN_KEY],
    [api, tokens.library],
  ] as const) {
    const { look, counts } = counting(document);
    const asked = new Set<string>();
    // The second round asks for the records that the lists of the first have named.
    for (let round = 0; round < 2; round++)
      for (const { path, url, get } of pathsOf(document.paths, known)) {
        if (asked.has(url) || /events|stream/.test(url)) continue;
        asked.add(url);
        const { status, body } = await call('GET', url, { token });
        const schema = get.responses[status]?.content?.['application/json']?.schema;
        if (!schema || typeof body !== 'object') continue;
        answered += status === 200 ? 1 : 0;
        look(schema, body, `${path.replace('/admin/v1', '')} ${status} `);
        for (const [list, items] of Object.entries(body as object))
          if (Array.isArray(items))
            for (const { uuid, id = uuid } of items.filter((one) => typeof one === 'object'))
              if (typeof id === 'string') known.set(list, (known.get(list) ?? new Set()).add(id));
      }
    for (const [place, count] of counts) found.set(place, count);
  }
  t.ok(answered > 100, `${answered} responses`);
  const always = [...found].filter(([, { has, lacks }]) => lacks === 0 && has >= ENOUGH).map(([place]) => place);
  t.strictSame(always.sort(), Object.keys(SOMETIMES_ABSENT).sort(), 'make other fields required, or say when they are absent');
});

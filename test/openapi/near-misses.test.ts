import type { Request } from '@hapi/hapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { routesOf } from '../../scripts/docs/everything.js';
import { startWorld } from '../../scripts/fuzz/world.js';
import { sampled } from '../forms.js';
import { atLimits, type Json, nearMissesOf } from './near-misses.js';
import { publicBodies } from './public-bodies.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
}

const UUID = '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90';
/** Routes whose handler checks a part of the body itself, with the messages of the interface. */
const CHECKED_BY_HANDLER = /\/simulation$/;
/** The response instead of a handler's; every route declares 409. */
const STOPPED = { errors: [{ code: 409, title: 'Conflict', details: 'the request has reached its handler', cause: 'conflict' }] };
const MAX_SHOWN = 25;
/** A visitor of a web chat can send 5 files in this time. */
const FILES_MS = 10 * 60 * 1000;

const formats = {
  uuid: /^(\{[0-9a-f-]{36}\}|\[[0-9a-f-]{36}\]|\([0-9a-f-]{36}\)|[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12})$/i,
  uri: (text: string) => !/[^\x21-\x7e]/.test(text) && URL.canParse(text),
};

/** Starts a platform with every area and returns functions that say whether a route accepts a request; most handlers do not run. */
async function startAsking(t: Parameters<typeof startWorld>[0]) {
  const world = await startWorld(t);
  const { server, tokens, known } = world;
  const document = JSON.parse((await server.inject('/openapi.json')).payload) as Document;
  const reached = new WeakSet<Request>();
  server.ext('onPreHandler', (request, h) => {
    reached.add(request);
    return CHECKED_BY_HANDLER.test(request.route.path) ? h.continue : h.response(STOPPED).code(409).takeover();
  });
  const tokenOf = new Map(routesOf(server).map(({ route, path }) => [`${route.method} ${path}`, tokens[route.numbers?.[0] ?? 'network']]));
  const ask = async (operation: string, { payload, search = '' }: { payload?: string; search?: string } = {}): Promise<boolean> => {
    const [method, path] = operation.split(' ') as [string, string];
    const isWebchat = path.startsWith('/webchat/');
    const ids: Readonly<Record<string, string | undefined>> = { number_uuid: known('number').at(-1), number: known('webchat')[0] };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => (path.includes('simulation') ? known('journey')[0] : ids[name]) ?? UUID);
    if (isWebchat && path.endsWith('/files')) await world.settle(FILES_MS);
    const headers = { authorization: `Bearer ${isWebchat ? tokens.webchat : tokenOf.get(operation)}`, 'content-type': 'application/json' };
    const {
      statusCode,
      request,
      payload: answer,
    } = await server.inject({ method, url: `${filled}${search}`, headers, ...(payload !== undefined && { payload }) });
    if (![200, 400, 409].includes(statusCode)) throw new Error(`${operation} ${payload}: ${statusCode} ${answer}`);
    return reached.has(request) && statusCode !== 400;
  };
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats });
  ajv.addSchema(document, 'api');
  const schemaAt = (...place: string[]) =>
    ajv.getSchema(`api#/${place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`)!;
  return { world, document, schemaAt, ask };
}

const VALUES = [
  '',
  ' ',
  'x',
  'true',
  '0',
  '1',
  '-1',
  '1.5',
  '500',
  '501',
  '1000',
  '1001',
  '9007199254740991',
  '9007199254740992',
  '1e400',
  'NaN',
  'null',
  'x'.repeat(5_000),
];

t.test('the OpenAPI document and the routes accept and refuse the same requests', async (t) => {
  const { document, schemaAt, ask } = await startAsking(t);
  await t.test('bodies', async (t) => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        requestBody?.content['application/json'] ? [`${method.toUpperCase()} ${path}`] : [],
      ),
    );
    t.strictSame(described.sort(), Object.keys(publicBodies).sort(), 'every route that takes JSON has a body here');
    let simulations = 0;
    /** Gives each simulation a new id: a second request with the same id continues the first simulation. */
    const named = (body: Json): Json =>
      typeof body === 'object' && body !== null && (body as { simulation_id?: Json }).simulation_id === 'simulation-1'
        ? { ...body, simulation_id: `simulation-${++simulations}` }
        : body;
    for (const [operation, bodies] of Object.entries(publicBodies)) {
      const [method, path] = operation.split(' ') as [string, string];
      const isDescribed = schemaAt('paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema');
      const fits = (body: Json): boolean => isDescribed(body) === true;
      const disagreements: string[] = [];
      let asked = 0;
      let taken = 0;
      for (const [i, body] of bodies.entries()) {
        for (const { what, body: miss } of [{ what: 'as it is', body }, ...sampled(atLimits(nearMissesOf(body), fits), 15)]) {
          const isTaken = await ask(operation, {
            payload: JSON.stringify(named(miss)),
            ...(path === '/flow-messages/{uuid}' && { search: '?token=a' }),
          });
          asked++;
          if (isTaken) taken++;
          if (what === 'as it is' && !isTaken) disagreements.push(`body ${i} is valid, and refused`);
          if (fits(miss) !== isTaken)
            disagreements.push(`body ${i}, ${what}: the route ${isTaken ? 'takes' : 'refuses'} it, the description does not`);
        }
      }
      t.strictSame(disagreements.slice(0, MAX_SHOWN), [], `${operation}: ${disagreements.length} of ${asked}, ${taken} taken`);
      t.ok(taken > 0 && taken < asked, `${operation}: ${taken} of ${asked} taken`);
    }
  });

  await t.test('queries', async (t) => {
    let asked = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters = [] }] of Object.entries(methods)) {
        const inQuery = parameters.map((parameter, i) => ({ ...parameter, i })).filter((parameter) => parameter.in === 'query');
        const needed = inQuery.filter(({ required }) => required).map(({ name, schema }) => [name, fitting(schema)] as const);
        for (const { name, i, required, schema } of inQuery) {
          const fits = schemaAt('paths', path, method, 'parameters', String(i), 'schema');
          const others = needed.filter(([other]) => other !== name);
          const search = (value?: string) =>
            `?${new URLSearchParams([...others, ...(value === undefined ? [] : [[name, value]])] as [string, string][])}`;
          const operation = `${method.toUpperCase()} ${path}`;
          const payload = path in { '/flow-messages/{uuid}': 0 } && method === 'post' ? { payload: '{"response":{}}' } : {};
          t.equal(await ask(operation, { search: search(), ...payload }), !required, `${operation} without ${name}`);
          for (const value of sampled(VALUES, 4)) {
            asked++;
            const read = numeric(schema) && value.trim() !== '' && !Number.isNaN(Number(value)) ? Number(value) : value;
            t.equal(await ask(operation, { search: search(value), ...payload }), fits(read), `${operation} ${name}=${value.slice(0, 20)}`);
          }
        }
      }
    }
    t.ok(asked > 50);
  });
});

/** A value that the schema of a query parameter allows. */
const fitting = (schema: { readonly enum?: readonly unknown[] }): string => String(schema.enum?.[0] ?? (numeric(schema) ? '1' : 'x'));

const numeric = (schema: object): boolean => ['integer', 'number'].includes((schema as { type?: string }).type ?? '');

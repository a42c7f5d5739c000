import type { Answer, Json } from './connector-subject.js';

export interface Given {
  readonly method: string;
  readonly path: string;
  readonly json: Json;
  readonly raw: string;
  readonly isChannel: boolean;
  readonly hasToken: boolean;
  /** The response of the sandbox. */
  readonly good: { readonly status: number; readonly body: Json };
}

/** Changes a response, or leaves it. */
export type Flaw = (given: Given) => Partial<Answer> | undefined;

const when =
  (fits: (given: Given) => unknown, bad: (good: Given['good']) => Partial<Answer>): Flaw =>
  (given) =>
    fits(given) ? bad(given.good) : undefined;
const status = (code: number) => (): Partial<Answer> => ({ status: code });
const body =
  (change: (body: Json) => Json) =>
  ({ body }: Given['good']): Partial<Answer> => ({ body: change(body) });

const is = (method: string, path: RegExp) => (given: Given) => given.method === method && path.test(given.path);
const list = is('GET', /^\/v1\/flows$/);
const creation = is('POST', /^\/v1\/flows$/);
const isInvalid = ({ json }: Given): boolean => json.flow_json?.screens?.length === 0;
const update = is('POST', /^\/v1\/flows\/\d+$/);
const upload = is('POST', /^\/v1\/flows\/\d+\/assets$/);
const preview = is('GET', /^\/v1\/flows\/\d+\/preview/);
const publish = is('POST', /^\/v1\/flows\/\d+\/publish$/);
const deprecate = is('POST', /\/deprecate$/);
const remove = is('DELETE', /^\/v1\/flows\/\d+$/);
const sending = is('POST', /^\/v1\/messages$/);
const inbound = is('POST', /^\/v1\/numbers\/[^/]+\/messages$/);
const statuses = is('POST', /^\/v1\/numbers\/[^/]+\/statuses$/);
const newNumber = is('POST', /^\/v1\/numbers$/);
const simulation = is('POST', /\/simulation$/);

const ok = (given: Given): boolean => given.good.status < 300;
const refused = (given: Given): boolean => given.good.status >= 400;
const listWith = (change: (flow: Json) => Json): Flaw =>
  when(
    (given) => list(given) && ok(given),
    body((all) => ({ ...all, data: all.data.map(change) })),
  );
const typed = (type: string): Flaw => when((given) => inbound(given) && given.json.message?.type === type && ok(given), status(500));
const hidden = (text: string): Flaw =>
  when(
    (given) => simulation(given) && JSON.stringify(given.good.body).includes(text),
    () => ({ body: { errors: ['No'] } }),
  );
/** The first turn that checks look at has this contact. */
const firstTurn = (change: (body: Json) => Json): Flaw =>
  when((given) => simulation(given) && given.json.contact && ok(given), body(change));
const errorOf = (object: string, field: string) => (given: Given) => given.good.body?.errors?.[object]?.[field] !== undefined;
const noErrors = body(() => ({ message: 'Bad Request', errors: {} }));
let counted = 0;

/** Changes responses of a simulation, depending on whether its id was used before. */
function repeated(fits: (isRepeated: boolean, given: Given) => boolean, bad: (good: Given['good']) => Partial<Answer>): Flaw {
  const seen = new Set<unknown>();
  return (given) => {
    if (!simulation(given)) return undefined;
    const isRepeated = seen.size === seen.add(given.json.simulation_id).size;
    return fits(isRepeated, given) ? bad(given.good) : undefined;
  };
}

/** For each check the change of a response that fails it. */
export const apiFlaws: Readonly<Record<string, Flaw>> = {
  'A-01': when((given) => list(given) && ok(given), status(500)),
  'A-02': when(
    (given) => list(given) && !given.hasToken,
    () => ({ status: 200 }),
  ),
  'A-03': when((given) => list(given) && given.hasToken && given.good.status === 401, status(200)),
  'A-04': when(
    (given) => given.good.status === 401,
    () => ({ body: '' }),
  ),
  'A-05': when(
    (given) => given.path === '/v1/posthorn-conformance',
    () => ({ body: 'Not found' }),
  ),
  'A-06': when((given) => sending(given) && given.raw === '{"to": ', status(500)),
  'A-07': when(
    (given) => list(given) && ok(given),
    body(({ data }) => ({ data })),
  ),
  'A-08': when(
    creation,
    body(({ id, ...rest }) => ({ ...rest, id: id && Number(id) })),
  ),
  'A-09': when(
    (given) => creation(given) && ok(given),
    body((all) => ({ ...all, meta: { ...all.meta, http_code: 200 } })),
  ),
  'A-10': when((given) => creation(given) && typeof given.json.flow_json === 'string', status(400)),
  'A-11': when((given) => creation(given) && refused(given), status(500)),
  'A-12': when(
    (given) => creation(given) && isInvalid(given),
    body((all) => ({ ...all, validation_errors: [] })),
  ),
  'A-13': when(
    (given) => creation(given) && isInvalid(given),
    body((all) => ({ ...all, validation_errors: ['screens is empty'] })),
  ),
  'A-14': listWith((flow) =>
    flow.status === 'DRAFT' ? { ...flow, categories: flow.categories.filter((name: string) => name !== 'OTHER') } : flow,
  ),
  'A-15': listWith(({ validation_errors: _, categories: __, ...flow }) => flow),
  'A-16': when(
    (given) => update(given) && ok(given),
    body(({ meta }) => ({ meta })),
  ),
  'A-17': listWith((flow) => ({ ...flow, name: flow.name.replace('-kept', '') })),
  'A-18': when(
    (given) => upload(given) && !given.raw.includes('"screens":[]'),
    body(({ success: _, ...rest }) => rest),
  ),
  'A-19': when((given) => upload(given) && given.raw.includes('"screens":[]'), status(400)),
  'A-20': when(
    is('GET', /\/assets$/),
    body((all) => ({ ...all, data: all.data?.map((asset: Json) => ({ ...asset, asset_type: 'JSON' })) })),
  ),
  'A-21': when(
    is('GET', /\/assets$/),
    body((all) => ({
      ...all,
      data: all.data?.map((asset: Json) => ({ ...asset, download_url: asset.download_url.replace('signature=', 'signature=x') })),
    })),
  ),
  'A-22': when(
    preview,
    body((all) => ({ ...all, expires_at: '2020-01-01T00:00:00+00:00' })),
  ),
  'A-23': when(
    preview,
    body((all) => ({ ...all, preview_url: all.preview_url && `${all.preview_url}&n=${++counted}` })),
  ),
  'A-24': when(
    (given) => publish(given) && ok(given),
    body(({ meta }) => ({ meta })),
  ),
  'A-25': listWith((flow) => (flow.status === 'PUBLISHED' ? { ...flow, status: 'LIVE' } : flow)),
  'A-26': ((known) => (given) => {
    if (creation(given) && given.json.publish) known.add(given.good.body.id);
    if (!list(given)) return undefined;
    return {
      body: {
        ...given.good.body,
        data: given.good.body.data?.map((flow: Json) =>
          known.has(flow.id) && flow.status === 'PUBLISHED' ? { ...flow, status: 'DRAFT' } : flow,
        ),
      },
    };
  })(new Set<string>()),
  'A-27': when((given) => publish(given) && given.good.body?.error?.error_user_title === 'Invalid Flow Status', status(200)),
  'A-28': when((given) => remove(given) && refused(given), status(500)),
  'A-29': when((given) => update(given) && refused(given), status(200)),
  'A-30': when((given) => deprecate(given) && refused(given), status(200)),
  'A-31': when((given) => given.good.body?.error?.error_user_title === 'Validation Failed', status(200)),
  'A-32': when((given) => given.good.body?.errors?.[0]?.title === 'Flow not found', status(404)),
  'A-33': listWith((flow) => (flow.status === 'DEPRECATED' ? { ...flow, status: 'PUBLISHED' } : flow)),
  'A-34': ((removed) => (given) => {
    if (remove(given) && ok(given))
      removed.push({ id: given.path.split('/').at(-1), name: 'n', status: 'DRAFT', categories: [], validation_errors: [] });
    return list(given) && ok(given) ? { body: { ...given.good.body, data: [...given.good.body.data, ...removed] } } : undefined;
  })([] as Json[]),
  'A-35': when(
    (given) => sending(given) && given.json.text?.body === 'Conformance' && given.json.type && ok(given),
    body(() => ({ sent: true })),
  ),
  'A-36': when((given) => sending(given) && given.json.text && !given.json.type, status(400)),
  'A-37': when((given) => sending(given) && given.json.interactive?.type === 'button', status(400)),
  'A-38': when((given) => sending(given) && given.json.interactive?.type === 'list', status(400)),
  'A-39': when((given) => sending(given) && given.json.text && !given.json.to, status(200)),
  'A-40': when(
    (given) => sending(given) && given.json.text && !given.json.to,
    body(() => ({ error: 'to' })),
  ),
  'A-41': when((given) => given.method === 'PUT' && refused(given), status(200)),
  'A-42': when(
    (given) => newNumber(given) && ok(given),
    body(({ number }) => ({ number })),
  ),
  'A-43': when((given) => newNumber(given) && refused(given), status(500)),
  'A-44': when(is('POST', /notify\/finish$/), status(201)),
  'A-45': when(
    (given) => inbound(given) && given.json.message?.text?.body === 'Conformance',
    body(() => ({})),
  ),
  'A-46': typed('image'),
  'A-47': typed('audio'),
  'A-48': typed('video'),
  'A-49': typed('document'),
  'A-50': typed('sticker'),
  'A-51': typed('button'),
  'A-52': when((given) => inbound(given) && given.json.message?.interactive?.type === 'list_reply', status(400)),
  'A-53': when((given) => inbound(given) && given.json.message?.context, status(400)),
  'A-54': ((seen) => when((given) => inbound(given) && ok(given) && seen.size === seen.add(given.json.message.id).size, status(409)))(
    new Set(),
  ),
  'A-55': when(
    (given) => given.method === 'PUT' && ok(given),
    body(() => ({ success: true })),
  ),
  'A-56': when(errorOf('contact', 'id'), noErrors),
  'A-57': when(errorOf('message', 'type'), noErrors),
  'A-58': when(errorOf('message', 'text.body'), status(200)),
  'A-59': when(errorOf('status', 'recipient_id'), noErrors),
  'A-60': when(errorOf('status', 'status'), noErrors),
  'A-61': when((given) => statuses(given) && errorOf('status', 'id')(given), status(200)),
  'A-62': when((given) => given.isChannel && given.path.startsWith('/v1/flows'), status(404)),
  'A-63': when((given) => inbound(given) && given.good.status === 404, status(200)),
  'A-64': firstTurn(({ state: _, ...rest }) => rest),
  'A-65': firstTurn(({ simulation_id: _, ...rest }) => rest),
  'A-66': firstTurn(({ message: _, ...rest }) => rest),
  'A-67': firstTurn(({ context: _, ...rest }) => rest),
  'A-68': firstTurn((all) => ({ ...all, options: 'none' })),
  'A-69': firstTurn((all) => ({ ...all, http_calls: null })),
  'A-70': repeated((isRepeated, given) => isRepeated && given.json.input === 'hi', status(500)),
  'A-71': repeated(
    (isRepeated, given) => !isRepeated && given.json.input === 'hi',
    body((all) => ({ ...all, state: 'running' })),
  ),
  'A-72': when((given) => simulation(given) && given.json.simulation_id?.length === 6, status(400)),
  'A-73': when((given) => simulation(given) && given.json.simulation_id?.length === 64, status(400)),
  'A-74': hidden('simulation_id is required'),
  'A-75': when((given) => simulation(given) && given.json.simulation_id?.length === 5, status(200)),
  'A-76': when((given) => simulation(given) && given.json.simulation_id?.length === 65, status(200)),
  'A-77': hidden('Invalid Journey UUID'),
  'A-78': hidden('Journey not found'),
  'A-79': hidden('Invalid revision'),
  'A-80': hidden('Invalid parent'),
  'A-81': hidden('Invalid child'),
  'A-82': when((given) => simulation(given) && given.json.input === '', status(200)),
  'A-83': hidden('Invalid http_mocks'),
  'A-84': when(
    (given) => simulation(given) && given.json.input === undefined && JSON.stringify(given.good.body).includes('Invalid input'),
    status(200),
  ),
};

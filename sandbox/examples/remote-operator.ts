/** An operator that stores flows on a remote server: `flows({ operator: remoteOperator(...) })` forwards to any server with the Flows API. */
import { Unavailable } from 'posthorn';
import { type Flow, type FlowAsset, type FlowOperator, type FlowRefusal, FlowRefused } from 'posthorn/plugins/flows';

/** Maps the server's error titles to refusals. Any other error counts as an outage of the server. */
const refusals: Readonly<Record<string, FlowRefusal>> = {
  'Flow not found': 'not_found',
  'Invalid Flow Status': 'invalid_status',
  'Validation Failed': 'has_errors',
  'Flow Name Not Unique': 'name_taken',
  'Application Missing': 'no_application',
  'Unknown Cursor': 'unknown_cursor',
};
type Created = Awaited<ReturnType<FlowOperator['create']>>;
type Listed = { data: (Omit<Flow, 'updated_at'> & { application?: { id: string }; updated_at: string })[]; paging?: { cursors: object } };
type Refusal = { errors?: { title?: string; details?: string }[]; error?: { error_user_title: string; error_user_msg: string } };
const FIELDS = 'id,name,status,categories,validation_errors,endpoint_uri,application,json_version,data_api_version,updated_at';

/** `tokenOf` returns the server's token for a business account. */
export function remoteOperator(api: string, tokenOf: (account: string) => string): FlowOperator {
  async function ask<T = unknown>(account: string, method: string, path: string, body?: object): Promise<T> {
    const sent = body && !(body instanceof FormData) ? new Blob([JSON.stringify(body)], { type: 'application/json' }) : body;
    const headers = { authorization: `Bearer ${tokenOf(account)}` };
    const init = { method, headers, body: sent ?? null, signal: AbortSignal.timeout(10_000) };
    const response = await fetch(`${api}/v1/flows${path}`, init).catch((error: Error) => error);
    if (response instanceof Error) throw new Unavailable(`The flow operator does not respond: ${response.message}`);
    const answer = (await response.json().catch(() => undefined)) as (T & Refusal) | undefined;
    if (response.ok && answer) return answer;
    const { title = answer?.error?.error_user_title ?? '', details = answer?.error?.error_user_msg ?? '' } = answer?.errors?.[0] ?? {};
    throw refusals[title] ? new FlowRefused(refusals[title], details) : new Unavailable(`The flow operator responded ${response.status}`);
  }
  const at = (id: string, what = '') => `/${encodeURIComponent(id)}${what}`;
  return {
    create: (account, { definition, ...flow }) => ask<Created>(account, 'POST', '', { ...flow, flow_json: definition }),
    update: async (account, id, change) => void (await ask(account, 'POST', at(id), change)),
    async upload(account, id, definition) {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(definition)], { type: 'application/json' }), 'flow.json');
      return (await ask<Created>(account, 'POST', at(id, '/assets'), form)).validation_errors;
    },
    publish: async (account, id) => void (await ask(account, 'POST', at(id, '/publish'))),
    delete: async (account, id) => void (await ask(account, 'DELETE', at(id))),
    deprecate: async (account, id) => void (await ask(account, 'POST', at(id, '/deprecate'))),
    async list(account, page = {}) {
      const query = new URLSearchParams({ fields: FIELDS, ...JSON.parse(JSON.stringify(page)) });
      const { data, paging } = await ask<Listed>(account, 'GET', `?${query}`);
      return { flows: data.map(flowOf), ...paging?.cursors };
    },
    assets: async (account, id) => (await ask<{ data: FlowAsset[] }>(account, 'GET', at(id, '/assets'))).data,
    async preview(account, id, { invalidate }) {
      const made = await ask<{ preview_url: string; expires_at: string }>(account, 'GET', at(id, `/preview?invalidate=${invalidate}`));
      return { ...made, expires_at: new Date(made.expires_at) };
    },
  };
}

function flowOf({ application, updated_at, ...flow }: Listed['data'][number]): Flow {
  return { ...flow, application_id: application?.id, updated_at: new Date(updated_at) };
}

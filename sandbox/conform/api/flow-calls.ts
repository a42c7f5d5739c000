import { type Api, answer, type Call, type Json } from './api.js';

const BOUNDARY = 'posthorn-conformance';

/** The smallest valid form. */
export const form = {
  version: '7.2',
  screens: [
    {
      id: 'HELLO',
      title: 'Hello',
      terminal: true,
      data: {},
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextHeading', text: 'Hello' },
          { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } },
        ],
      },
    },
  ],
};
export const invalidForm = { version: '7.2', screens: [] };

export const created = (api: Api, more: object = {}): Call => ({
  path: '/v1/flows',
  payload: { name: api.name(), flow_json: form, ...more },
});
export const create = async (api: Api, more: object = {}): Promise<Json> => answer(await api.call(created(api, more)), 201);
/** A draft that checks share. */
export const draft = (api: Api): Promise<Json> => api.once('draft', async () => (await create(api)).id);
/** A published flow that checks share. */
export const published = (api: Api): Promise<Json> =>
  api.once('published', async () => {
    const { id } = await create(api);
    answer(await api.call({ path: `/v1/flows/${id}/publish` }), 2);
    return id;
  });
export const listed = async (api: Api, id: string): Promise<Json> => {
  const { data = [] } = answer(await api.call({ method: 'GET', path: '/v1/flows' }), 2) ?? {};
  return (Array.isArray(data) ? data : []).find((flow: Json) => flow?.id === id);
};
export const upload = async (api: Api, json: object): Promise<Call> => ({
  path: `/v1/flows/${await draft(api)}/assets`,
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  body: [
    `--${BOUNDARY}`,
    'Content-Disposition: form-data; name="file"; filename="flow.json"',
    'Content-Type: application/json',
    '',
    JSON.stringify(json),
    `--${BOUNDARY}--`,
    '',
  ].join('\r\n'),
});

export const hasMeta = (code: number) => (json: Json) =>
  json.meta?.version === 'v1' && json.meta?.api_status === 'stable' && json.meta?.http_code === code;
export const isInvalidStatus = ({ error }: Json): boolean =>
  error?.code === 100 && error?.error_user_title === 'Invalid Flow Status' && error?.type === 'OAuthException';
export const INVALID_STATUS = 'error with code 100, error_user_title Invalid Flow Status and type OAuthException';

import { type Check, expect } from '../check.js';
import { type Api, answer, calls, type Json, shown } from './api.js';
import {
  create,
  created,
  draft,
  form,
  hasMeta,
  INVALID_STATUS,
  invalidForm,
  isInvalidStatus,
  listed,
  published,
  upload,
} from './flow-calls.js';

const FLOWS = 'Endpoints, flows';
const STATES = 'States, flow status';
const ERRORS = 'Errors, Flows API';
const DAY_MS = 24 * 3_600_000;
const FIELDS = ['id', 'name', 'status', 'categories', 'validation_errors'];

/** A check that changes a flow, and looks at it in the list. */
const changes = (
  about: Omit<Check<Api>, 'run' | 'level' | 'sends' | 'section'> & {
    readonly section?: string;
    readonly expected: string;
    change(api: Api): Promise<string>;
    is(flow: Json, api: Api): boolean;
  },
): Check<Api> => ({
  level: 'MUST',
  section: STATES,
  sends: 'calls that create and change a flow, and the list of flows',
  ...about,
  async run(api) {
    const flow = await listed(api, await about.change(api));
    expect(about.is(flow, api), about.expected, () => `${shown(flow)} in the list`);
  },
});

export const flowChecks: readonly Check<Api>[] = [
  calls({
    id: 'A-07',
    section: 'Resources, response envelope',
    title: 'has meta in responses about flows',
    needs: ['A-01'],
    fix: 'Add meta with version v1, api_status stable and http_code to every response of the Flows API.',
    call: () => ({ method: 'GET', path: '/v1/flows' }),
    status: [200],
    body: 'meta with version v1, api_status stable and http_code 200',
    is: hasMeta(200),
  }),
  calls({
    id: 'A-08',
    section: FLOWS,
    title: 'creates a flow with 201, id and validation_errors',
    needs: ['A-07'],
    fix: 'Respond 201 with the id as a text and validation_errors as an array, empty without errors.',
    call: (api) => created(api),
    status: [201],
    body: 'a text id and an empty array validation_errors',
    is: ({ id, validation_errors: errors }) => typeof id === 'string' && Array.isArray(errors) && errors.length === 0,
  }),
  calls({
    id: 'A-09',
    section: 'Resources, response envelope',
    title: 'has the status of the response in meta.http_code',
    needs: ['A-08'],
    fix: 'Set meta.http_code to the status of the response: 201 when a flow was created.',
    call: (api) => created(api),
    status: [201],
    body: 'meta.http_code 201',
    is: hasMeta(201),
  }),
  calls({
    id: 'A-10',
    section: FLOWS,
    title: 'takes flow_json as a text',
    needs: ['A-08'],
    fix: 'Accept flow_json as an object and as JSON in a text.',
    call: (api) => created(api, { flow_json: JSON.stringify(form) }),
    status: [201],
    body: 'an empty array validation_errors',
    is: ({ validation_errors: errors }) => Array.isArray(errors) && errors.length === 0,
  }),
  calls({
    id: 'A-11',
    section: FLOWS,
    title: 'refuses a flow without a name',
    needs: ['A-08'],
    fix: 'Respond 400 when name is missing.',
    call: () => ({ path: '/v1/flows', payload: { flow_json: form } }),
    status: [400],
  }),
  calls({
    id: 'A-12',
    section: 'States, flow status',
    title: 'creates a flow that has validation errors, and lists them',
    needs: ['A-08'],
    fix: 'Respond 201 and list the problems of the definition in validation_errors.',
    call: (api) => created(api, { flow_json: invalidForm }),
    status: [201],
    body: 'an array validation_errors with errors',
    is: ({ validation_errors: errors }) => Array.isArray(errors) && errors.length > 0,
  }),
  calls({
    id: 'A-13',
    section: 'Resources, validation error object',
    title: 'describes validation errors with their positions',
    needs: ['A-12'],
    fix: 'Give each validation error error, error_type, message, line and column numbers, and pointers.',
    call: (api) => created(api, { flow_json: invalidForm }),
    status: [201],
    body: 'errors with error, error_type, message, line_start, column_start and pointers',
    is: ({ validation_errors: errors = [] }) =>
      errors.every(
        (one: Json) =>
          ['error', 'error_type', 'message'].every((key) => typeof one[key] === 'string') &&
          ['line_start', 'line_end', 'column_start', 'column_end'].every((key) => Number.isInteger(one[key])) &&
          Array.isArray(one.pointers),
      ),
  }),
  changes({
    id: 'A-14',
    title: 'lists a new flow as a draft of the category OTHER',
    needs: ['A-08'],
    fix: 'Create flows with status DRAFT, and categories ["OTHER"] unless others are given.',
    expected: 'a flow with status DRAFT and categories ["OTHER"]',
    change: draft,
    is: (flow) => flow?.status === 'DRAFT' && shown(flow.categories) === '["OTHER"]',
  }),
  changes({
    id: 'A-15',
    section: 'Resources, flow',
    title: 'lists id, name, status, categories and validation_errors of flows',
    needs: ['A-08'],
    implies: ['A-14'],
    fix: 'Return the five fields for every flow of GET /v1/flows.',
    expected: `a flow with ${FIELDS.join(', ')}`,
    change: draft,
    is: (flow) => FIELDS.every((field) => flow?.[field] !== undefined),
  }),
  calls({
    id: 'A-16',
    section: FLOWS,
    title: 'updates a flow with success true',
    needs: ['A-14'],
    fix: 'Respond 200 with success true to POST /v1/flows/<id>.',
    call: async (api) => ({ path: `/v1/flows/${await draft(api)}`, payload: { name: api.name() } }),
    status: [200],
    body: 'success true',
    is: ({ success }) => success === true,
  }),
  changes({
    id: 'A-17',
    section: FLOWS,
    title: 'changes only the fields that an update has',
    needs: ['A-16'],
    fix: 'Leave fields unchanged that the request does not have.',
    expected: 'the new categories, and the same name',
    async change(api) {
      const id = await draft(api);
      answer(await api.call({ path: `/v1/flows/${id}`, payload: { name: `${api.name()}-kept` } }), 2);
      answer(await api.call({ path: `/v1/flows/${id}`, payload: { categories: ['SURVEY'] } }), 2);
      return id;
    },
    is: (flow) => flow?.name.endsWith('-kept') && shown(flow.categories) === '["SURVEY"]',
  }),
  calls({
    id: 'A-18',
    section: FLOWS,
    title: 'takes an upload of the definition',
    needs: ['A-14'],
    fix: 'Respond 200 with success true to a multipart upload of the part file.',
    call: (api) => upload(api, form),
    status: [200],
    body: 'success true and validation_errors []',
    is: ({ success, validation_errors: errors }) => success === true && Array.isArray(errors) && errors.length === 0,
  }),
  calls({
    id: 'A-19',
    section: ERRORS,
    title: 'takes an upload with validation errors, and lists them',
    needs: ['A-18'],
    fix: 'Respond 200 to a definition with validation errors, with the errors listed: it is not an error of the request.',
    call: (api) => upload(api, invalidForm),
    status: [200],
    body: 'an array validation_errors with errors',
    is: ({ validation_errors: errors }) => Array.isArray(errors) && errors.length > 0,
  }),
  calls({
    id: 'A-20',
    section: 'Resources, flow asset',
    title: 'lists the definition as an asset',
    needs: ['A-14'],
    fix: 'Return an asset with name flow.json, asset_type FLOW_JSON and download_url.',
    call: async (api) => ({ method: 'GET', path: `/v1/flows/${await draft(api)}/assets` }),
    status: [200],
    body: 'an asset flow.json of type FLOW_JSON with a download_url',
    is: ({ data }) => data?.[0]?.name === 'flow.json' && data[0].asset_type === 'FLOW_JSON' && URL.canParse(data[0].download_url),
  }),
  calls({
    id: 'A-21',
    section: 'Resources, flow asset',
    title: 'serves the definition without a token',
    needs: ['A-20'],
    fix: 'Serve download_url to a plain GET: the URL itself is the credential.',
    async call(api) {
      const { data } = answer(await api.call({ method: 'GET', path: `/v1/flows/${await draft(api)}/assets` }), 2);
      return { method: 'GET', path: data[0].download_url, token: null };
    },
    status: [200],
    body: 'the definition, with its screens',
    is: ({ screens }) => Array.isArray(screens),
  }),
  calls({
    id: 'A-22',
    section: 'Resources, flow preview',
    title: 'returns a preview that expires in 30 days',
    needs: ['A-14'],
    fix: 'Return preview_url and expires_at, an ISO 8601 time 30 days after the creation of the URL.',
    call: async (api) => ({ method: 'GET', path: `/v1/flows/${await draft(api)}/preview` }),
    status: [200],
    body: 'a preview_url, and expires_at in about 30 days',
    is({ preview_url: url, expires_at: at }) {
      const days = (Date.parse(at) - Date.now()) / DAY_MS;
      return URL.canParse(url) && days > 28 && days < 31;
    },
  }),
  {
    id: 'A-23',
    level: 'MUST',
    section: FLOWS,
    title: 'returns the same preview until it is invalidated',
    sends: 'three calls for the preview of a draft, the last with invalidate=true',
    needs: ['A-22'],
    fix: 'Return the URL of the previous call while it is valid, and a new one with invalidate=true.',
    async run(api) {
      const path = `/v1/flows/${await draft(api)}/preview`;
      const urls: string[] = [];
      for (const query of ['', '', '?invalidate=true'])
        urls.push(answer(await api.call({ method: 'GET', path: path + query }), 2)?.preview_url);
      expect(urls[0] === urls[1] && urls[1] !== urls[2], 'the same URL twice, then another one', urls.join(', '));
    },
  },
  calls({
    id: 'A-24',
    section: FLOWS,
    title: 'publishes a draft with success true',
    needs: ['A-14'],
    fix: 'Respond 200 with success true to POST /v1/flows/<id>/publish of a draft.',
    call: async (api) => ({ path: `/v1/flows/${(await create(api)).id}/publish` }),
    status: [200],
    body: 'success true',
    is: ({ success }) => success === true,
  }),
  changes({
    id: 'A-25',
    title: 'lists a published flow as PUBLISHED',
    needs: ['A-24'],
    fix: 'Set the status PUBLISHED immediately: the flow can be sent from then on.',
    expected: 'a flow with status PUBLISHED',
    change: published,
    is: (flow) => flow?.status === 'PUBLISHED',
  }),
  changes({
    id: 'A-26',
    title: 'publishes a flow that is created with publish true',
    needs: ['A-25'],
    fix: 'Publish a flow immediately after its creation if publish is true.',
    expected: 'a flow with status PUBLISHED',
    change: async (api) => (await create(api, { publish: true })).id,
    is: (flow) => flow?.status === 'PUBLISHED',
  }),
  ...(
    [
      ['A-27', 'publish', 'POST', '/publish'],
      ['A-28', 'delete', 'DELETE', ''],
    ] as const
  ).map(([id, verb, method, end]) =>
    calls({
      id,
      section: STATES,
      title: `refuses to ${verb} a published flow`,
      needs: ['A-25'],
      fix: `Respond 400 with ${INVALID_STATUS}.`,
      call: async (api) => ({ method, path: `/v1/flows/${await published(api)}${end}` }),
      status: [400],
      body: INVALID_STATUS,
      is: isInvalidStatus,
    }),
  ),
  calls({
    id: 'A-29',
    section: STATES,
    title: 'refuses to edit a published flow',
    needs: ['A-25'],
    fix: 'Respond 400 to updates of published flows, which can only be deprecated.',
    call: async (api) => ({ path: `/v1/flows/${await published(api)}`, payload: { name: api.name() } }),
    status: [400],
  }),
  calls({
    id: 'A-30',
    section: STATES,
    title: 'refuses to deprecate a draft',
    needs: ['A-14'],
    fix: `Respond 400 with ${INVALID_STATUS}.`,
    call: async (api) => ({ path: `/v1/flows/${await draft(api)}/deprecate` }),
    status: [400],
    body: INVALID_STATUS,
    is: isInvalidStatus,
  }),
  calls({
    id: 'A-31',
    section: ERRORS,
    title: 'refuses to publish a flow with validation errors',
    needs: ['A-12'],
    fix: 'Respond 400 with error.code 100, error_user_title Validation Failed and type OAuthException.',
    call: async (api) => ({ path: `/v1/flows/${(await create(api, { flow_json: invalidForm })).id}/publish` }),
    status: [400],
    body: 'error with code 100, error_user_title Validation Failed and type OAuthException',
    is: ({ error }) => error?.code === 100 && error?.error_user_title === 'Validation Failed' && error?.type === 'OAuthException',
  }),
  calls({
    id: 'A-32',
    section: ERRORS,
    title: 'says that a flow was not found',
    needs: ['A-01'],
    fix: 'Respond 400 with an errors array whose objects have title Flow not found and details.',
    call: () => ({ method: 'GET', path: '/v1/flows/posthorn-conformance/preview' }),
    status: [400],
    body: 'errors[0] with title Flow not found and details',
    is: ({ errors }) => errors?.[0]?.title === 'Flow not found' && typeof errors[0].details === 'string',
  }),
  changes({
    id: 'A-33',
    title: 'deprecates a published flow',
    needs: ['A-25'],
    fix: 'Respond 200 with success true to POST /v1/flows/<id>/deprecate, and keep the flow in the list as DEPRECATED.',
    expected: 'a flow with status DEPRECATED',
    async change(api) {
      const { id } = await create(api, { publish: true });
      answer(await api.call({ path: `/v1/flows/${id}/deprecate` }), 2);
      return id;
    },
    is: (flow) => flow?.status === 'DEPRECATED',
  }),
  changes({
    id: 'A-34',
    title: 'deletes a draft',
    needs: ['A-14'],
    fix: 'Respond 200 with success true to DELETE /v1/flows/<id>, and remove the flow from the list.',
    expected: 'no such flow',
    async change(api) {
      const { id } = await create(api);
      answer(await api.call({ method: 'DELETE', path: `/v1/flows/${id}` }), 2);
      return id;
    },
    is: (flow) => flow === undefined,
  }),
];

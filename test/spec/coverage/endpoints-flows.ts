import type { Row } from './row.js';

/** Endpoints: the Flows API. */
export const endpointsFlows: readonly Row[] = [
  {
    id: 'endpoints.flows.create',
    rule: 'POST /v1/flows makes a flow and answers 201 with meta, id and validation_errors.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
      'test/plugins/flows/api.test.ts > what is missing or unknown at creation is named, with meta',
    ],
    route: 'POST /v1/flows',
  },
  {
    id: 'endpoints.flows.create.name',
    rule: 'name is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
      'test/plugins/flows/api.test.ts > what is missing or unknown at creation is named, with meta',
    ],
  },
  {
    id: 'endpoints.flows.create.flow_json',
    rule: 'flow_json is needed.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > what is missing or unknown at creation is named, with meta'],
  },
  {
    id: 'endpoints.flows.create.flow_json.object',
    rule: 'flow_json may be an object.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written'],
  },
  {
    id: 'endpoints.flows.create.flow_json.string',
    rule: 'flow_json may be JSON as text.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written'],
  },
  {
    id: 'endpoints.flows.create.categories',
    rule: 'categories is a list of texts, ["OTHER"] if not given.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > categories are OTHER if not given, and any of the eight',
      'test/plugins/flows/api.test.ts > what is missing or unknown at creation is named, with meta',
    ],
  },
  {
    id: 'endpoints.flows.create.publish',
    rule: 'publish is false if not given.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > publish is false if not given; with it a sound flow is published at once'],
  },
  {
    id: 'endpoints.flows.update',
    rule: 'POST /v1/flows/:flow_id changes a flow and answers 200 with meta and success.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > an update changes what is sent and nothing else, and leaves the flow JSON alone'],
    route: 'POST /v1/flows/:flow_id',
  },
  {
    id: 'endpoints.flows.update.fields',
    rule: 'name, categories, endpoint_uri and application_id may each be given or not.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > an update changes what is sent and nothing else, and leaves the flow JSON alone'],
  },
  {
    id: 'endpoints.flows.update.sent-only',
    rule: 'Only what is sent changes.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > an update changes what is sent and nothing else, and leaves the flow JSON alone'],
  },
  {
    id: 'endpoints.flows.update.json-untouched',
    rule: 'The flow JSON stays as it is.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an update changes what is sent and nothing else, and leaves the flow JSON alone',
      'test/plugins/flows/api.test.ts > an update with flow_json is answered as any other, and advice says that the flow JSON was ignored',
    ],
    note: 'A flow_json in the body is ignored, with the advice flow_json_ignored.',
  },
  {
    id: 'endpoints.flows.upload',
    rule: 'POST /v1/flows/:flow_id/assets takes a definition and answers 200 with meta, success and validation_errors.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
    route: 'POST /v1/flows/:flow_id/assets',
  },
  {
    id: 'endpoints.flows.upload.multipart',
    rule: 'The body is multipart/form-data.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
      'test/plugins/flows/api.test.ts > a body that is not multipart, is cut off, or has no file is refused with what is missing',
    ],
  },
  {
    id: 'endpoints.flows.upload.file',
    rule: 'The part file, a JSON file, is needed.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
      'test/plugins/flows/api.test.ts > a body that is not multipart, is cut off, or has no file is refused with what is missing',
    ],
  },
  {
    id: 'endpoints.flows.upload.size',
    rule: 'A file has at most 10 MB.',
    status: 'done',
    tests: ['test/plugins/flows/sizes.test.ts > a file has at most 10 MB'],
  },
  {
    id: 'endpoints.flows.upload.name',
    rule: 'name is set to flow.json by itself.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'endpoints.flows.upload.asset_type',
    rule: 'asset_type is set to FLOW_JSON by itself.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'endpoints.flows.upload.invalid-accepted',
    rule: 'A file with validation errors is taken: 200 with the errors.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'endpoints.flows.publish',
    rule: 'POST /v1/flows/:flow_id/publish answers 200 with meta and success.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
    route: 'POST /v1/flows/:flow_id/publish',
  },
  {
    id: 'endpoints.flows.delete',
    rule: 'DELETE /v1/flows/:flow_id answers 200 with meta and success.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
    route: 'DELETE /v1/flows/:flow_id',
  },
  {
    id: 'endpoints.flows.deprecate',
    rule: 'POST /v1/flows/:flow_id/deprecate answers 200 with meta and success.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
    route: 'POST /v1/flows/:flow_id/deprecate',
  },
  {
    id: 'endpoints.flows.list',
    rule: 'GET /v1/flows answers 200 with meta and data, the flows.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
    route: 'GET /v1/flows',
  },
  {
    id: 'endpoints.flows.assets',
    rule: 'GET /v1/flows/:flow_id/assets answers 200 with meta and data, the assets.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
      'test/plugins/flows/api.test.ts > the definition is downloaded without a token, with its type and tag, until the address dies',
    ],
    route: 'GET /v1/flows/:flow_id/assets',
  },
  {
    id: 'endpoints.flows.preview',
    rule: 'GET /v1/flows/:flow_id/preview answers 200 with meta, preview_url and expires_at.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for'],
    route: 'GET /v1/flows/:flow_id/preview',
  },
  {
    id: 'endpoints.flows.preview.invalidate',
    rule: 'invalidate is text, false if not given.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for'],
  },
  {
    id: 'endpoints.flows.preview.invalidate.true',
    rule: 'invalidate=true makes a new URL.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for'],
  },
  {
    id: 'endpoints.flows.preview.cached',
    rule: 'Otherwise the URL of before is returned while it is good.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for'],
  },
  {
    id: 'endpoints.flows.rule-1',
    rule: 'Rule 1: after a preview URL has expired the endpoint makes a new one.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for',
      'test/plugins/flows/preview-page.test.ts > the address is good for 30 days, or until there is another, and for its flow alone',
    ],
  },
  {
    id: 'endpoints.flows.rule-2.not-shown',
    rule: 'Rule 2, not shown: pages, filters and order of the list.',
    status: 'done',
    tests: ['test/plugins/flows/list.test.ts > flows are listed in the order of their creation, in pages when a limit is given'],
    note: 'All flows in the order of their creation; `limit`, `after` and `before` are honoured, `paging` is there when there is more, unknown keys are ignored.',
  },
];

import type { Row } from './row.js';

/** Resources: flows. */
export const resourcesFlows: readonly Row[] = [
  {
    id: 'flows.envelope.meta',
    rule: 'Every answer of the Flows API carries the object meta.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > meta is in every answer, also in those of the kernel',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.envelope.meta.version',
    rule: 'meta.version is v1.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > meta is in every answer, also in those of the kernel',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.envelope.meta.api_status',
    rule: 'meta.api_status is stable.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > meta is in every answer, also in those of the kernel',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.envelope.meta.http_code',
    rule: 'meta.http_code is a whole number equal to the HTTP status.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > meta is in every answer, also in those of the kernel',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.envelope.success',
    rule: 'Update, asset upload, publish, delete and deprecate say success, true when done.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'flows.flow.id',
    rule: 'A flow has an id as text, given by the network operator when it is made.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors'],
  },
  {
    id: 'flows.flow.name',
    rule: 'A flow has a name, shown in the business manager of the network.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
  },
  {
    id: 'flows.flow.status',
    rule: 'status is one of DRAFT, PUBLISHED, DEPRECATED, THROTTLED, BLOCKED.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'flows.flow.categories',
    rule: 'Each category is one of SIGN_UP, SIGN_IN, APPOINTMENT_BOOKING, LEAD_GENERATION, CONTACT_US, CUSTOMER_SUPPORT, SURVEY, OTHER.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > categories are OTHER if not given, and any of the eight'],
  },
  {
    id: 'flows.flow.categories.default',
    rule: 'A flow made without categories gets ["OTHER"].',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > categories are OTHER if not given, and any of the eight'],
  },
  {
    id: 'flows.flow.validation_errors',
    rule: "validation_errors lists what the operator's validation found.",
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'flows.flow.validation_errors.empty',
    rule: 'Without findings validation_errors is an empty list.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors'],
  },
  {
    id: 'flows.flow.endpoint_uri',
    rule: 'endpoint_uri, the address of a flow endpoint, can be set by update.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
  },
  {
    id: 'flows.flow.endpoint_uri.update-only',
    rule: 'endpoint_uri cannot be set at creation.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
  },
  {
    id: 'flows.flow.application_id',
    rule: "application_id, the operator's application behind the flow, can be set by update.",
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
  },
  {
    id: 'flows.flow.application_id.update-only',
    rule: 'application_id cannot be set at creation.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
  },
  {
    id: 'flows.flow.application_id.with-endpoint',
    rule: 'A flow with an endpoint needs an application_id.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow with an endpoint is published when it has an application'],
    note: 'It is asked for when a flow with an endpoint is published.',
  },
  {
    id: 'flows.flow.listed-fields',
    rule: 'A listed flow shows id, name, status, categories and validation_errors.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
  },
  {
    id: 'flows.flow.not-shown.endpoint-fields',
    rule: 'Not shown: whether endpoint_uri and application_id are ever returned.',
    status: 'done',
    tests: [
      'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for',
    ],
    note: '`endpoint_uri` and `application: { id }` are returned when `?fields=` names them.',
  },
  {
    id: 'flows.asset.name',
    rule: 'The asset that holds the definition is named flow.json.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'flows.asset.asset_type',
    rule: 'The asset_type of the definition is FLOW_JSON.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'flows.asset.download_url',
    rule: 'download_url gives the content to a plain GET, at the download host.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the definition is downloaded without a token, with its type and tag, until the address dies'],
  },
  {
    id: 'flows.asset.download_url.temporary',
    rule: 'download_url is good for a time only.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the definition is downloaded without a token, with its type and tag, until the address dies'],
  },
  {
    id: 'flows.preview.preview_url',
    rule: 'preview_url stands at the preview host.',
    status: 'done',
    tests: [
      'test/plugins/flows/preview-page.test.ts > the page needs no login, and nothing but itself',
      'test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for',
    ],
  },
  {
    id: 'flows.preview.preview_url.public',
    rule: 'A preview needs no login.',
    status: 'done',
    tests: [
      'test/plugins/flows/preview-page.test.ts > the page needs no login, and nothing but itself',
      'test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for',
    ],
  },
  {
    id: 'flows.preview.preview_url.embeddable',
    rule: 'A preview can be shown in an iframe, for example 430 wide and 800 high.',
    status: 'done',
    tests: [
      'test/plugins/flows/preview-page.test.ts > it can be framed by anybody, and its policy lets only the player run',
      'test/browser/flow-preview.test.ts > it can be tried in a frame of 430 by 800 on another origin, and on a phone',
    ],
  },
  {
    id: 'flows.preview.expires_at',
    rule: 'expires_at is a moment in ISO 8601.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for'],
  },
  {
    id: 'flows.preview.expires_at.days',
    rule: 'A preview expires 30 days after its URL was made.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for'],
  },
];

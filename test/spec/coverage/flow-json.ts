import type { Row } from './row.js';

/** Resources: the definition of a flow, and what is said of it. */
export const flowJson: readonly Row[] = [
  {
    id: 'flows.json.version',
    rule: 'A definition follows version 7.2 of Flow JSON or a higher one.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-cases.test.ts > flows that are sound have no errors',
    ],
    note: 'A lower version is the one error of the flow: it is taken and cannot be published. A version above 7.3 is checked by the rules of 7.3, with a hint.',
  },
  {
    id: 'flows.json.version-part',
    rule: 'A definition names its version as text.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.screens',
    rule: 'A definition has a list of screens, which make up the user interface.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.data-model',
    rule: 'A definition may have a data model, the state of the flow.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.routing',
    rule: 'A definition may say how its screens follow each other.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.data-declared',
    rule: 'A payload is taken only where the definition declares data.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > data that the screen does not declare, and a screen that is not the first, raise named hints when sent',
    ],
    note: 'A message whose data the screen does not declare is sent, with the hint flow_data_not_declared.',
  },
  {
    id: 'flows.json.init-value',
    rule: 'A payload is taken only where each input field has an init-value.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > data that the screen does not declare, and a screen that is not the first, raise named hints when sent',
    ],
    note: 'A message whose data the screen does not declare is sent, with the hint flow_data_not_declared.',
  },
  {
    id: 'flows.json.screen.id',
    rule: 'A screen has an id.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.screen.title',
    rule: 'A screen has a title.',
    status: 'done',
    tests: ['test/plugins/flows/validate-cases.test.ts > flows that are sound have no errors'],
    note: 'It may be left out, as on the network.',
  },
  {
    id: 'flows.json.screen.terminal',
    rule: 'A screen may say terminal, true or false.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.screen.layout',
    rule: 'A screen has a layout of type SingleColumnLayout with children.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-rules.test.ts > each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer',
    ],
  },
  {
    id: 'flows.json.component.text-heading',
    rule: 'TextHeading has text.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.json.component.radio-buttons-group',
    rule: 'RadioButtonsGroup has name, label, a data-source of objects with id and title, and required.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.json.component.footer',
    rule: 'Footer has a label and an on-click-action.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.json.action.complete',
    rule: 'An on-click-action of name complete carries a payload object.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors',
    ],
  },
  {
    id: 'flows.json.not-shown.catalogue',
    rule: "Not restated: all other components, which are the network operator's to define.",
    status: 'done',
    tests: [
      'test/plugins/flows/validate-components.test.ts > all 24 components are here',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
    note: 'All 24 components of the network’s versions 7.2 and 7.3.',
  },
  {
    id: 'flows.validation-error.error',
    rule: 'A validation error has a code in error, such as INVALID_PROPERTY_VALUE.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.error_type',
    rule: 'A validation error has error_type, such as FLOW_JSON_ERROR.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.message',
    rule: 'A validation error has a message.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.lines',
    rule: 'A validation error has line_start and line_end as whole numbers.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.columns',
    rule: 'A validation error has column_start and column_end as whole numbers.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.pointers',
    rule: 'A validation error has a list of pointers.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.pointers.range',
    rule: 'A pointer has line_start, line_end, column_start and column_end as whole numbers.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
  {
    id: 'flows.validation-error.pointers.path',
    rule: 'A pointer has the path of the place in the flow JSON.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written',
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
    ],
  },
];

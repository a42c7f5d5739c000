/** The sources of rules; printed in the table of rules in README.md. */
export const ruleSources = {
  interface: 'The interface that Posthorn implements.',
  documented: "The network's documentation lists the case with its code.",
  uncoded: "The network's documentation states the rule without a code; Posthorn defines the code.",
  disputed: 'The documentation forbids it, but a published sample or another page of the documentation uses it.',
  inferred: 'It follows from the documentation or from published samples; the code is the closest documented one.',
  chosen: 'No public source states it; Posthorn defines the rule.',
} as const;
export type RuleSource = keyof typeof ruleSources;

/** How likely the network returns the same result for the same flow. */
export type Confidence = 'high' | 'medium' | 'low';

/** A case that reports a code. A code has several rows if its cases differ in source or confidence. */
export interface RuleRow {
  readonly when: string;
  readonly source: RuleSource;
  readonly confidence: Confidence;
}

const row =
  (source: RuleSource, defaultConfidence: Confidence) =>
  (when: string, confidence = defaultConfidence): RuleRow => ({ when, source, confidence });
const fromInterface = row('interface', 'medium');
const documented = row('documented', 'high');
const uncoded = row('uncoded', 'medium');
const disputed = row('disputed', 'low');
const inferred = row('inferred', 'medium');
const chosen = row('chosen', 'low');

/** The codes of validation errors. A flow with an error cannot be published. */
export const errorRules = {
  INVALID_FLOW_JSON: [
    documented('the text is not JSON'),
    inferred('the document is not an object'),
    fromInterface('the text is larger than 10 MiB'),
    chosen('more than 64 levels or two million values; bytes that are not UTF-8; unescaped lone surrogates'),
  ],
  MISSING_FLOW_JSON_VERSION: [documented('`version` is missing')],
  INVALID_FLOW_JSON_VERSION: [documented('`version` does not have the form `7.3`, or the version does not exist')],
  UNSUPPORTED_FLOW_JSON_VERSION: [documented('`version` is not a string'), fromInterface('the version is below 7.2')],
  NO_SUPPORTED_DATA_API_VERSION: [documented('the `data_api_version` does not exist', 'medium')],
  INVALID_PROPERTY_KEY: [
    documented('a property is unknown'),
    inferred('`init-value` or `error-message` of an input inside a Form'),
    chosen('an object has a duplicate key'),
  ],
  INVALID_PROPERTY_VALUE: [
    documented('the type of a component or layout is unknown; `layout` is not an object'),
    documented('all terminal screens have `success` false; `refresh_on_back` without an endpoint; an empty `then`'),
    documented('a condition is invalid, or does not yield a boolean'),
    inferred('a component where it is not allowed; an If nested more than 3 deep; a Footer below the first level of branches'),
    inferred('a Switch without cases; an invalid expression in backticks'),
  ],
  INVALID_PROPERTY_TYPE: [
    documented('a value has the wrong JSON type'),
    inferred('null; a range where one day is expected, or the reverse; an init-value of the wrong type for its input'),
  ],
  INVALID_PROPERTY_VALUE_FORMAT: [documented('a URL is not valid'), inferred('a date is not an existing day as `YYYY-MM-DD`')],
  MIN_ITEMS_REQUIRED: [documented('`screens` is empty'), inferred('a list has fewer items than it needs')],
  MIN_CHARS_REQUIRED: [documented('the `id` of a screen is empty')],
  MISSING_REQUIRED_TYPE_PROPERTY: [documented('`type` is missing')],
  MISSING_REQUIRED_PROPERTY: [
    documented('`data_exchange` without `data_api_version`; `data_api_version` without `routing_model`'),
    inferred('another required property is missing'),
  ],
  PATTERN_MISMATCH: [
    documented('a screen id with characters other than letters and underscores; blank text; text for a number'),
    inferred('text for an array or object; a malformed reference; a dynamic `name`; a color that is not six hexadecimal digits'),
  ],
  INVALID_ENUM_VALUE: [documented('a value is not in its list; an action is not allowed on this component')],
  INVALID_DEPENDENCIES: [documented('`left-caption` without `right-caption`, or the reverse'), inferred('`pattern` without `helper-text`')],
  NOT_KEYWORD_SCHEMA_VALIDATION_FAILED: [
    documented('`center-caption` beside another caption; `success` on a screen that is not terminal'),
    inferred('range properties of a CalendarPicker in single mode; `pattern` with another `input-type`'),
    inferred('an action on a NavigationList and on its items; `end` beside large images'),
  ],
  INVALID_ROUTING_MODEL: [
    documented('a route to or from an unknown screen, a backward route, a loop; more than 10 routes from a screen'),
    documented('a screen is not connected, or with an endpoint not in the model; no entry screen; an unlisted route'),
  ],
  INVALID_ON_CLICK_ACTION_PAYLOAD: [
    documented('a payload refers to a missing input or field, or to the Form itself'),
    documented('files in `navigate`, nested in a payload, or of two pickers in one `complete`'),
    documented('files in `complete` of a picker that accepts more than 10', 'medium'),
  ],
  INVALID_COMPLETE_ACTION: [documented('`complete` on a screen that is not terminal')],
  INVALID_NAVIGATE_ACTION_PAYLOAD: [
    documented('without an endpoint: the fields of the payload and of the next screen, or their types, differ'),
    inferred('without an endpoint: no payload for a screen that declares fields'),
  ],
  INVALID_NAVIGATE_ACTION_NEXT_SCREEN_NAME: [documented('`navigate` to an unknown screen, or to the same screen')],
  INVALID_ACTION_PAYLOAD_PROPERTY: [
    documented('a value of `update_data` refers to a field that is not declared'),
    inferred('`update_data` sets a field that is not declared'),
  ],
  INVALID_SCREEN_DYNAMIC_DATA: [
    documented('a property refers to an undeclared field, to items of an array, or to a value of the wrong type'),
    documented('the data model does not declare the properties that the items of a list need'),
  ],
  INVALID_SCREEN_DATA: [
    documented('a data entry without a known `type`, an array without `items`, a nested `__example__`'),
    documented('an `__example__` does not have the type of its entry'),
    documented('a global reference names an unknown screen, field or input, or the screen that contains it'),
    inferred('`__example__` is missing, contains null, or has a part that does not match the schema of the entry'),
  ],
  MAX_SCREENS_NUMBER: [documented('more than 100 screens')],
  MAX_FOOTER_PER_SCREEN: [documented('more than one Footer on a screen')],
  MAX_EMBEDDED_LINK_PER_SCREEN: [documented('more than 2 on a screen')],
  MAX_IMAGE_PER_SCREEN: [documented('more than 3 on a screen')],
  MAX_OPT_IN_PER_SCREEN: [documented('more than 5 on a screen')],
  MORE_THAN_ONE_FOOTER: [documented('a combination of branches shows more than one Footer')],
  MIN_VALUE_GREATER_THAN_MAX: [documented('a minimum is above its maximum')],
  MINIMUM_VALUE_REQUIRED: [documented('a number is below its range')],
  MAXIMUM_VALUE_REQUIRED: [documented('a number is above its range')],
  DUPLICATE_FORM_COMPONENT_NAMES: [documented('two inputs of a screen share a name')],
  DUPLICATE_SCREEN_IDS: [documented('two screens share an id')],
  SCREEN_ID_IS_RESERVED_KEYWORD: [documented('a screen id is `success`, in upper or lower case')],
  MISSING_FOOTER_ON_TERMINAL_SCREEN: [documented('a terminal screen has no Footer')],
  MISSING_TERMINAL_SCREEN: [documented('no screen is terminal')],
  COMPONENTS_OUTSIDE_FORM: [documented('a screen has a Form, and an input outside it')],
  MISSING_FOOTER_IN_IF_ELSE_BRANCHES: [documented('a Footer in only one branch of an If')],
  MISSING_FOOTER_IN_SWITCH_BRANCHES: [documented('a Footer in only some cases of a Switch')],
  NATIVE_COMPONENT_IN_FORM_INIT_VALUES: [documented('`init-values` contain a value for a picker')],
  MAX_COMPONENTS_PER_SCREEN: [uncoded('more than 50 components on a screen, at any depth')],
  RICH_TEXT_NOT_ALONE: [uncoded('RichText beside anything but a Footer')],
  MAX_PHOTO_PICKER_PER_SCREEN: [uncoded('more than one on a screen')],
  MAX_DOCUMENT_PICKER_PER_SCREEN: [uncoded('more than one on a screen')],
  MAX_NAVIGATION_LIST_PER_SCREEN: [uncoded('more than 2 on a screen')],
  MAX_IMAGE_CAROUSEL_PER_SCREEN: [uncoded('more than 2 on a screen')],
  MAX_IMAGE_CAROUSEL_PER_FLOW: [uncoded('more than 3 in a flow')],
  NATIVE_COMPONENTS_TOGETHER: [uncoded('PhotoPicker and DocumentPicker on one screen')],
  NAVIGATION_LIST_NOT_ALONE: [uncoded('a NavigationList beside anything but a second one')],
  NAVIGATION_LIST_ON_TERMINAL: [uncoded('a NavigationList on a terminal screen')],
  MAX_ITEMS_EXCEEDED: [uncoded('a list has more items than its maximum; a second `badge` in a NavigationList')],
} as const satisfies Readonly<Record<string, readonly RuleRow[]>>;

/** The codes of hints, which never block publishing. Posthorn defines these codes. */
export const hintRules = {
  NEWER_FLOW_JSON_VERSION: [
    fromInterface('the version is above the newest known version; the rules of the newest known version are checked'),
  ],
  NEWER_DATA_API_VERSION: [disputed('the `data_api_version` was introduced with a later version of Flow JSON')],
  MISSING_NAVIGATE_PAYLOAD: [disputed('`navigate` without `payload`; it counts as an empty payload')],
  MIXED_TEXT_AND_REFERENCE: [disputed('text beside a reference without backticks; the preview shows it literally')],
  UNCLOSED_REFERENCE: [chosen('text with a `${` that is never closed')],
  SEVERAL_FILES_IN_COMPLETE: [disputed('files in `complete` of a picker that accepts 2 to 10')],
  MAX_CHARS_EXCEEDED: [uncoded('text is longer than its documented limit')],
  MAX_IMAGE_SIZE_EXCEEDED: [uncoded('an image is larger than its documented limit')],
  INVALID_IMAGE_SOURCE: [uncoded('an image is not base64')],
  MISSING_ALT_TEXT: [chosen('an image has no alternative text')],
  INVALID_REGULAR_EXPRESSION: [chosen('JavaScript cannot compile a `pattern`')],
  UNKNOWN_INPUT: [chosen('`sensitive`, `init-values` or `error-messages` name no input of the screen')],
  DUPLICATE_OPTION_ID: [chosen('two options of a list share an id')],
  UNKNOWN_INIT_VALUE: [chosen('an init-value is not among the options')],
  UNAVAILABLE_INIT_VALUE: [
    chosen('an init-value is a day outside of `min-date` to `max-date`, or one that the component does not offer'),
    chosen('a range of days as init-value starts after its end'),
  ],
  NAME_WITH_DOT: [chosen('the name of a field or of an input has a dot, which references read as the step into an object')],
  INSECURE_URL: [chosen('`open_url` with an address that does not start with `https://`')],
  MIN_SELECTED_EXCEEDS_OPTIONS: [chosen('`min-selected-items` is above the number of options')],
} as const satisfies Readonly<Record<string, readonly RuleRow[]>>;

export type ErrorCode = keyof typeof errorRules;
export type HintCode = keyof typeof hintRules;
export type Code = ErrorCode | HintCode;

export const errorCodes = Object.keys(errorRules) as readonly ErrorCode[];
export const hintCodes = Object.keys(hintRules) as readonly HintCode[];

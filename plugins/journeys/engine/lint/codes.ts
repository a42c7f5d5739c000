import { NETWORK_LIMITS } from '#core/basics';

/** The fix of `too_many_choices`, also in notebooks. */
export const FEWER_CHOICES = `Offer fewer choices: a message shows ${NETWORK_LIMITS.buttons} buttons or a list of ${NETWORK_LIMITS.rows} rows.`;

/**
 * The problems that lint reports, each with its fix. Errors prevent publishing; warnings never do. For an error that is only a
 * warning in some places, `warns` names these places.
 */
export const codes = {
  invalid_shape: {
    severity: 'error',
    fix: 'Correct the value so that it matches the flow interoperability specification (FLOIP 1.0.0-rc1 to rc4).',
  },
  unknown_version: { severity: 'error', fix: 'Export the container as specification version 1.0.0-rc1, rc2, rc3 or rc4.' },
  too_large: { severity: 'error', fix: 'Split the journey: move parts of it into other flows or journeys.' },
  duplicate_uuid: { severity: 'error', fix: 'Give each item its own uuid, and update the references to it.' },
  unknown_block: { severity: 'error', fix: 'Use the uuid of a block in this flow.' },
  dangling_exit: { severity: 'error', fix: 'Set destination_block to the uuid of a block in this flow, or to null to end the flow there.' },
  reserved_name: {
    severity: 'error',
    warns: 'for `chat`, `event`, `global`, `number` and `organisation`',
    fix: 'Choose another name for the block or the variable.',
  },
  odd_name: { severity: 'warning', fix: 'Rename the block: a letter, then letters, digits and underscores.' },
  unknown_block_type: { severity: 'warning', fix: 'Use one of the supported block types, or remove the block.' },
  several_defaults: { severity: 'error', fix: 'Keep one default exit, and give the other exits tests.' },
  no_default_exit: { severity: 'error', warns: 'in a `Core.Case`', fix: 'Add an exit with "default": true as the last exit.' },
  default_not_last: { severity: 'warning', fix: 'Make the default exit the last exit.' },
  exit_never_taken: { severity: 'warning', fix: 'Give the exit a test, make it the default exit, or remove it.' },
  half_a_timeout: {
    severity: 'warning',
    fix: 'Set both config.timeout.seconds and an exit with "semantic_label": "timeout", or neither.',
  },
  missing_resource: { severity: 'error', fix: 'Add the resource to the flow or the container, or use the uuid of an existing one.' },
  missing_translation: { severity: 'warning', fix: 'Add a value in this language to the resource.' },
  label_too_long: { severity: 'warning', fix: 'Shorten the label, or expect that phones show its beginning.' },
  over_network_limit: {
    severity: 'error',
    warns: 'for channels of others, and with the option `journeys.overNetworkLimit`',
    fix: 'Change what the message says; the network refuses it as it is. Or set the option journeys.overNetworkLimit to "warn".',
  },
  too_many_choices: { severity: 'error', fix: FEWER_CHOICES },
  duplicate_label: { severity: 'warning', fix: 'Give the choices different labels in every language.' },
  nothing_to_choose: { severity: 'error', fix: 'Add at least one choice.' },
  duplicate_choice: { severity: 'warning', fix: 'Give the choices different names, unless they lead to the same exit.' },
  invalid_expression: { severity: 'error', warns: 'in a text', fix: 'Correct the expression. Expressions are written without @.' },
  template_too_long: { severity: 'error', fix: 'Shorten the text, or send it in several messages.' },
  unknown_function: { severity: 'error', fix: 'Use one of the functions of the expression language, or correct the spelling.' },
  missing_function: {
    severity: 'warning',
    fix: 'Replace the function: an expression that calls it has no value, and a text prints it as written.',
  },
  wrong_arity: { severity: 'error', warns: 'in a text', fix: 'Pass the number of arguments that the signature shows.' },
  invalid_pattern: {
    severity: 'error',
    warns: 'in a text',
    fix: 'Correct the pattern. The syntax is RE2: no look-ahead, no look-behind, no back references.',
  },
  printed_at: { severity: 'warning', fix: 'Write @@ for a literal @, or correct the expression after it.' },
  unknown_name: { severity: 'warning', fix: 'Correct the spelling, or use the name of a block in this flow or of the context.' },
  constant_test: { severity: 'warning', fix: 'Use a value that differs between conversations, such as a variable, in the test.' },
  overlapping_tests: {
    severity: 'warning',
    fix: 'Test with isnumber only, and let the default exit (in a notebook, the card without when) take everything else.',
  },
  invalid_setting: {
    severity: 'error',
    warns: 'where the block works without it',
    fix: 'Correct the setting as the documentation of the block type describes.',
  },
  block_check_failed: {
    severity: 'error',
    fix: 'Report the message to the author of the plugin, whose check of this block threw an exception.',
  },
  contact_chooses_host: {
    severity: 'warning',
    fix: 'Write scheme and host yourself, or pass the whole address to whole_address().',
  },
  contact_outside_string: { severity: 'warning', fix: 'Print the value with json(), or put it between quotes.' },
  unknown_setting: { severity: 'warning', fix: 'Correct the spelling of the setting, or remove it.' },
  ignored_key: { severity: 'warning', fix: 'Correct the spelling of the key, or remove it: the engine does not read it.' },
  shadowed_trigger: {
    severity: 'warning',
    fix: 'Limit the trigger of the other journey to certain words, change it to catch_all, or disable that journey.',
  },
  unreachable_block: { severity: 'warning', fix: 'Connect an exit to the block, or remove the block.' },
  endless_cycle: { severity: 'error', fix: 'Add an exit that leaves the cycle, or a block in it that waits for the contact.' },
  cycle_without_wait: { severity: 'warning', fix: 'Make sure that the cycle ends, or add a block to it that waits for the contact.' },
  missing_content_card: { severity: 'error', fix: 'Create the content card, or use an existing one.' },
  missing_code_skill: { severity: 'error', fix: 'Create the code skill, or use an existing one.' },
  missing_ai_connection: { severity: 'error', fix: 'Create the AI connection, or use an existing one.' },
  missing_template: { severity: 'error', warns: 'in a notebook', fix: 'Create the template in this language, or use an existing one.' },
  template_parameters_wrong: {
    severity: 'error',
    warns: 'with the option `journeys.overNetworkLimit`',
    fix: 'Pass as many parameters as the text of the template has placeholders; a header with a file or a place needs one.',
  },
  missing_form: { severity: 'warning', fix: 'Create the flow with the Flows API, or use an existing one.' },
  missing_journey: { severity: 'warning', fix: 'Create and publish the journey, or use an existing flow or journey.' },
} as const satisfies Readonly<
  Record<
    string,
    { readonly severity: 'error'; readonly warns?: string; readonly fix: string } | { readonly severity: 'warning'; readonly fix: string }
  >
>;

export type ProblemCode = keyof typeof codes;

export type Severity = 'error' | 'warning';

/** The codes that a problem of this severity can have. */
export type CodeOf<S extends Severity> = {
  [C in ProblemCode]: (typeof codes)[C] extends { readonly severity: S } | ('warning' extends S ? { readonly warns: string } : never)
    ? C
    : never;
}[ProblemCode];

/**
 * The problems that lint can find in a journey, each with its fix. Errors keep the journey from being published; warnings never do. An
 * error that is only a warning in some places names them in `warns`.
 */
export const codes = {
  invalid_shape: { severity: 'error', fix: 'Give the value the shape of a flow interoperability container (FLOIP 1.0.0-rc1 to rc4).' },
  unknown_version: { severity: 'error', fix: 'Export the container as specification version 1.0.0-rc1, rc2, rc3 or rc4.' },
  too_large: { severity: 'error', fix: 'Split the journey: move parts of it into other flows or journeys.' },
  duplicate_uuid: { severity: 'error', fix: 'Give each of them a uuid of its own, and let references follow.' },
  unknown_block: { severity: 'error', fix: 'Name a block of this flow.' },
  dangling_exit: { severity: 'error', fix: 'Let the exit lead to a block of this flow, or to null to end the flow there.' },
  reserved_name: {
    severity: 'error',
    warns: 'for `chat`, `event`, `global`, `number` and `organisation`',
    fix: 'Choose another name for the block or the variable.',
  },
  odd_name: { severity: 'warning', fix: 'Use a letter, then letters, digits and underscores.' },
  unknown_block_type: { severity: 'warning', fix: 'Use a type of block that is known here, or take the block out.' },
  several_defaults: { severity: 'error', fix: 'Keep one default exit, and give the others tests.' },
  no_default_exit: { severity: 'error', warns: 'in a `Core.Case`', fix: 'Add an exit with "default": true at the end.' },
  default_not_last: { severity: 'warning', fix: 'Move the default exit to the end.' },
  exit_never_taken: { severity: 'warning', fix: 'Give the exit a test, make it the default, or take it out.' },
  half_a_timeout: {
    severity: 'warning',
    fix: 'Give the block both config.timeout.seconds and an exit with "semantic_label": "timeout", or neither.',
  },
  missing_resource: { severity: 'error', fix: 'Add the resource to the flow or to the container, or name one that is there.' },
  missing_translation: { severity: 'warning', fix: 'Add a value in this language to the resource.' },
  label_too_long: { severity: 'error', fix: 'Shorten the label.' },
  too_many_choices: { severity: 'error', fix: 'Offer fewer choices: a message shows 3 buttons or a list of 10 rows.' },
  duplicate_label: { severity: 'warning', fix: 'Give each choice a label of its own in every language.' },
  nothing_to_choose: { severity: 'error', fix: 'Add choices.' },
  duplicate_choice: { severity: 'warning', fix: 'Give each choice a name of its own, unless they lead to the same place.' },
  invalid_expression: { severity: 'error', warns: 'in a text', fix: 'Correct the expression; it is written without @.' },
  template_too_long: { severity: 'error', fix: 'Shorten the text, or send it in several messages.' },
  unknown_function: { severity: 'error', fix: 'Use a function of the expression language.' },
  missing_function: {
    severity: 'warning',
    fix: 'Use functions of the expression language: what calls this one is printed as it is written.',
  },
  wrong_arity: { severity: 'error', warns: 'in a text', fix: 'Give the function as many arguments as its signature says.' },
  invalid_pattern: {
    severity: 'error',
    warns: 'in a text',
    fix: 'Correct the pattern: it is matched by RE2, which has no look-ahead, no look-behind and no back references.',
  },
  printed_at: { severity: 'warning', fix: 'Write @@ for a plain @, or correct what follows it.' },
  unknown_name: { severity: 'warning', fix: 'Use the name of a block of this flow or of the context, or correct its spelling.' },
  constant_test: { severity: 'warning', fix: 'Let the test ask something that differs between conversations.' },
  invalid_setting: {
    severity: 'error',
    warns: 'where the block does without',
    fix: 'Correct the setting; the page of the block says what it takes.',
  },
  unknown_setting: { severity: 'warning', fix: 'Correct the spelling of the setting, or take it out.' },
  ignored_key: { severity: 'warning', fix: 'Correct the spelling of the key, or take it out: nothing here reads it.' },
  shadowed_trigger: {
    severity: 'warning',
    fix: 'Give the other journey words, let it catch what starts no other journey (catch_all), or disable it.',
  },
  unreachable_block: { severity: 'warning', fix: 'Let an exit lead to the block, or take it out.' },
  endless_cycle: { severity: 'error', fix: 'Let an exit lead out of the cycle, or put a block into it that waits for the contact.' },
  cycle_without_wait: { severity: 'warning', fix: 'Make sure that the cycle ends, or put a block into it that waits for the contact.' },
  missing_content_card: { severity: 'error', fix: 'Create the content card, or name one that is there.' },
  missing_code_skill: { severity: 'error', fix: 'Create the code skill, or name one that is there.' },
  missing_ai_connection: { severity: 'error', fix: 'Create the AI connection, or name one that is there.' },
  missing_template: { severity: 'error', fix: 'Create the template, or name one that is there.' },
  missing_form: { severity: 'warning', fix: 'Create the flow with the Flows API, or name one that is there.' },
  missing_journey: { severity: 'warning', fix: 'Create the journey and publish it, or name a flow or journey that is there.' },
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

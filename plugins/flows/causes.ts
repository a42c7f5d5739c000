import { type Causes, missing, mistake, setting } from '#core';

/** The causes of refusals by the Flows API and the operator of flows. */
export const causes: Causes = {
  form_expired: mistake('The link to the form has expired.', 'Send the message with the form again.'),
  form_used: mistake('The form was sent already; a link accepts one response.', 'Send the message with the form again.'),
  flow_blocked: setting('The flow is blocked.', 'Remove the reason for the block at the network.'),
  flow_changed: mistake(
    'The flow was changed after you read it.',
    'Read it again, and send the change with the `sha256` of that definition.',
  ),
  flow_has_errors: mistake('The flow has validation errors.', 'Correct them, then publish.'),
  flow_has_no_application: mistake('The flow has an endpoint and no application.', 'Set `application_id`.'),
  flow_name_taken: mistake('Another flow of the account has this name.', 'Use another name.'),
  invalid_flow_status: mistake(
    'The status of the flow does not allow the action.',
    'Read the status; only drafts change, and published flows are deprecated.',
  ),
  no_business_account: mistake('The number belongs to no business account.', 'Use the token of a number with an account.'),
  preview_expired: mistake('The link of the preview has expired.', 'Get a new link with `fields=preview`.'),
  unknown_cursor: mistake('The list has no such cursor.', 'Use a cursor of the previous page.'),
  ...missing('flow', 'opened flow', 'preview'),
};

import { type Causes, mistake, outage, setting } from '#core';

/** The causes of refusals by the routes of the Cloud API. */
export const causes: Causes = {
  flow_operator_missing: setting('The operator of flows is not passed to the plugin.', 'Pass it as `cloudApi({ flowOperator })`.'),
  network_refused: outage(
    'The network refuses calls of the platform.',
    'Check token and permissions of the app: the response has the error of the network.',
  ),
  network_unreachable: outage('The network does not respond.', 'Check the connection to the network, and its status page.'),
  not_a_network_number: mistake('Only numbers of kind `network` can be connected.', 'Create a number of that kind.'),
  phone_number_id_taken: mistake('Another number has this `phone_number_id`.', 'Disconnect that number first.'),
  signature_missing: mistake(
    'The call to the webhook is not signed.',
    'Send calls of the network only; a proxy must keep `X-Hub-Signature-256`.',
  ),
  signature_wrong: mistake(
    'The signature is not that of the body by the secret of the app.',
    'Set the secret of the app; a proxy must not change bodies.',
  ),
  too_many_parts: mistake(
    'The call has more messages and statuses than the network sends.',
    'Split it; the network itself sends far fewer.',
  ),
  verify_token_wrong: mistake(
    'The verify token is not that of the number.',
    'Register the webhook with the verify token that the connection shows.',
  ),
};

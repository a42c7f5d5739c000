import { type Causes, conflict, missing, setting } from '#core';

/** The causes of refusals by the routes of integrations. */
export const causes: Causes = {
  integration_off: setting('The integration is disabled.', 'Enable the integration.'),
  no_message: conflict('The action needs a message of the contact, who has written none.', 'Wait for a message.'),
  ...missing('action', 'integration'),
};

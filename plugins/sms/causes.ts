import { type Causes, mistake } from '#core';

/** The causes of refusals by this plugin. */
export const causes: Causes = {
  sms_signature_wrong: mistake(
    'The call of a gateway does not have its signature or secret.',
    'Set the addresses of the callbacks as the connection of the number shows them, and `publicUrl` as the gateway calls it.',
  ),
};

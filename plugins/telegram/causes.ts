import { type Causes, mistake } from '#core';

/** The causes of refusals by this plugin. */
export const causes: Causes = {
  telegram_secret_wrong: mistake(
    'The call to the webhook does not have the secret of the bot.',
    'Send calls of Telegram only; a proxy must keep `X-Telegram-Bot-Api-Secret-Token`.',
  ),
};

import { type Causes, setting } from '#core';

/** The causes of refusals by this plugin. */
export const causes: Causes = {
  email_library_missing: setting(
    'A package is not installed that numbers with an e-mail address need.',
    'Install the packages that the message names, and start the platform again.',
  ),
};

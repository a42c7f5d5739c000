import { issuedAdvice } from '#core/areas';

/** What has been said of webhooks and numbers. */
export const said = issuedAdvice();

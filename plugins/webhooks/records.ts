import { issuedAdviceCollection } from '#core/areas';

/** The webhooks and numbers for which advice was issued. */
export const issuedAdvice = issuedAdviceCollection();

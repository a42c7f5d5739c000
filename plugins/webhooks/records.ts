import { issuedAdviceCollection } from '#core/areas';

/** Webhooks and numbers for which advice was issued. */
export const issuedAdvice = issuedAdviceCollection();

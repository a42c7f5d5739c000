import { issuedAdviceCollection } from '#core/areas';

/** The channels for which advice was issued. */
export const issuedAdvice = issuedAdviceCollection();

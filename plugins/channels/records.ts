import { issuedAdviceCollection } from '#core/areas';

/** Channels for which advice was issued. */
export const issuedAdvice = issuedAdviceCollection();

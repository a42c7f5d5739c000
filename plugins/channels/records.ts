import { issuedAdviceCollection } from '#core/areas';

export const issuedAdvice = issuedAdviceCollection();

import { issuedAdviceCollection } from '#core/messaging';

export const issuedAdvice = issuedAdviceCollection();

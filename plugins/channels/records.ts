import { issuedAdvice } from '#core/areas';

/** The channels that have been told. */
export const said = issuedAdvice();

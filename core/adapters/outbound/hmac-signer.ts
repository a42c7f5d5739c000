import sign from '../../delivery/sign.task.js';
import type { Signer } from '../../ports/outbound.js';
import { secretOf } from './secret-of.js';

/** The signatures of a platform without the port `signer`: base64 of the HMAC-SHA256 of the body. For signers that add another one. */
export const hmacSigner: Signer = {
  sign: async ({ header, key }, body) => ({ [header]: sign({ secret: await secretOf(key), body }) }),
};

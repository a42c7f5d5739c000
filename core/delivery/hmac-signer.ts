import { RequestNotSent, type Signer } from '../ports/outbound.js';
import sign from '../sign.task.js';

/** The signatures of a platform without the port `signer`: base64 of the HMAC-SHA256 of the body. For signers that add another one. */
export const hmacSigner: Signer = {
  async sign({ header, key }, body) {
    const secret = await key.read();
    if (secret === undefined) throw new RequestNotSent(`the secret of the signing key ${key.id} is missing in the store`);
    return { [header]: sign({ secret, body }) };
  },
};

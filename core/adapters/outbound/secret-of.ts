import { messageOf } from '../../errors.js';
import { RequestNotSent, type SigningKey } from '../../ports/outbound.js';

/** Reads the secret of a key. @throws RequestNotSent if it does not exist, or cannot be read */
export async function secretOf({ id, read }: SigningKey): Promise<string> {
  const secret = await read().catch((cause: unknown) => {
    throw new RequestNotSent(`the secret of the signing key ${id} cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (secret === undefined) throw new RequestNotSent(`the secret of the signing key ${id} is missing in the store`);
  return secret;
}

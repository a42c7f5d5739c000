import type { ParsedMail } from './mail.js';

/** Reads a mail. Never throws on bad input; what is over the limits is left out, and `cut` says so. */
export default function parseMail(_raw: Uint8Array): Promise<ParsedMail> {
  throw new Error('is being written');
}

import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { isSameSecret } from '#core';

/** Octets of an address (RFC 5321). */
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const MAC_CHARACTERS = 8;

/** The local part and the domain, in A-labels, of an address; undefined if it is none that mail can be sent to. */
function partsOf(written: string): { readonly local: string; readonly domain: string } | undefined {
  const address = written.trim();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = domainToASCII(address.slice(at + 1).replace(/\.$/, '')).toLowerCase();
  if (local === '' || /[\s\p{Cc}<>(),:;@"[\]\\]/u.test(local) || !/^[a-z\d-]+(\.[a-z\d-]+)+$/.test(domain)) return undefined;
  return Buffer.byteLength(local) > MAX_LOCAL_PART || local.length + domain.length >= MAX_ADDRESS ? undefined : { local, domain };
}

/** An address to compare: in lower case, the domain in A-labels. undefined if mail cannot be sent to it. */
export function normalAddress(written: string): string | undefined {
  const parts = partsOf(written);
  return parts && `${parts.local.toLowerCase()}@${parts.domain}`;
}

/**
 * An address of a mailbox that names a key, such as a conversation: `support+<key>.<mac>@shop.example`.
 * @param key of lower-case letters and digits, because servers may change the case
 * @returns undefined if the address would be too long
 */
export function plusAddress(mailbox: string, key: string, secret: string): string | undefined {
  const [local, domain] = (normalAddress(mailbox) ?? '').split('@');
  if (domain === undefined || !/^[a-z\d]+$/.test(key)) return undefined;
  return normalAddress(`${local}+${key}.${macOf(mailbox, key, secret)}@${domain}`);
}

/** The key of an address that `plusAddress` made for the mailbox; undefined for any other. */
export function plusKey(address: string, mailbox: string, secret: string): string | undefined {
  const [local, domain] = (normalAddress(mailbox) ?? '').split('@');
  const [own, given] = (normalAddress(address) ?? '').split('@');
  if (given === undefined || given !== domain || !own!.startsWith(`${local}+`)) return undefined;
  const [, key, mac] = /^([a-z\d]+)\.([a-z\d]+)$/.exec(own!.slice(local!.length + 1)) ?? [];
  return key !== undefined && isSameSecret(mac!, macOf(mailbox, key, secret)) ? key : undefined;
}

const macOf = (mailbox: string, key: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(`${normalAddress(mailbox)}\n${key}`)
    .digest('hex')
    .slice(0, MAC_CHARACTERS);

import { BlockList, isIP } from 'node:net';

/** Loopback and link-local: local services of a machine, and cloud metadata services. */
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10'];
const LOCAL = ['0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128', ...LINK_LOCAL];

/**
 * All addresses that are not public unicast addresses: IANA's special-purpose registries (IPv4 and IPv6), multicast, and ranges
 * that embed an IPv4 address which a gateway may translate back. IPv4-mapped addresses (`::ffff:0:0/96`) are checked as IPv4.
 */
const BLOCKED = [
  ...LOCAL,
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fec0::/10',
  'ff00::/8',
];

/**
 * Decides which addresses may be called. Private, loopback, link-local and reserved addresses are blocked unless allowed by
 * range (`10.1.0.0/16`, `127.0.0.1`) or host name (`connector.internal`). A larger range that includes loopback or link-local
 * addresses does not allow those; list their range itself. A host name never allows link-local addresses.
 */
export class AddressGuard {
  readonly #blocked = listOf(BLOCKED.map(range));
  readonly #local = listOf(LOCAL.map(range));
  readonly #linkLocal = listOf(LINK_LOCAL.map(range));
  readonly #allowed: BlockList;
  readonly #allowedLocal: BlockList;
  readonly #hosts: ReadonlySet<string>;

  constructor(allow: readonly string[] = []) {
    const isRange = (entry: string) => entry.includes('/') || isIP(entry) !== 0;
    const ranges = allow.filter(isRange).map(range);
    this.#hosts = new Set(allow.filter((entry) => !isRange(entry)).map(hostName));
    this.#allowed = listOf(ranges);
    this.#allowedLocal = listOf(ranges.filter((allowed) => LOCAL.map(range).some((local) => isInRange(allowed, local))));
  }

  /** Whether a host may be called at this IP address. In a URL with an IP address, the host is that address. */
  permits(host: string, zoned: string): boolean {
    const address = zoned.replace(/%.*$/, '');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) return false;
    if (!this.#blocked.check(address, family)) return true;
    if (this.#hosts.has(plainHost(host))) return !this.#linkLocal.check(address, family);
    return (this.#local.check(address, family) ? this.#allowedLocal : this.#allowed).check(address, family);
  }
}

interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

function range(text: string): Range {
  const [address = '', length] = text.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const bits = family === 'ipv6' ? 128 : 32;
  const prefix = length === undefined ? bits : Number(length);
  if (isIP(address) === 0 || length === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > bits) {
    throw unclear(text);
  }
  return { address, prefix, family };
}

/** A list of addresses and ranges, which tells whether it has an address. @throws Error for another text */
export const addressList = (entries: readonly string[]): BlockList => listOf(entries.map(range));

function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of ranges) list.addSubnet(address, prefix, family);
  return list;
}

function isInRange(inner: Range, outer: Range): boolean {
  return inner.family === outer.family && inner.prefix >= outer.prefix && listOf([outer]).check(inner.address, inner.family);
}

function hostName(text: string): string {
  if (!/^[\w-]+(\.[\w-]+)*\.?$/.test(text)) throw unclear(text);
  return plainHost(text);
}

const unclear = (text: string): Error =>
  new Error(`${JSON.stringify(text)} is not an IP address, a range such as 10.1.0.0/16, or a host name`);

const plainHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');

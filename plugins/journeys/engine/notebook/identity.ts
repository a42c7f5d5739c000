import { hash } from 'node:crypto';

/** Namespace for journeys without a uuid. */
const NOTEBOOKS = 'b9f7d7c2-5f0e-5a36-9a0c-3c1f5c4e7d61';

/** UUID version 5 (RFC 9562) of a name in a namespace. */
export function namedUuid(namespace: string, name: string): string {
  const bytes = Buffer.allocUnsafe(16 + name.length * 3);
  bytes.write(namespace.replaceAll('-', ''), 'hex');
  const length = 16 + bytes.write(name, 16);
  const hex = hash('sha1', bytes.subarray(0, length), 'hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const journeyUuid = (name: string): string => namedUuid(NOTEBOOKS, name);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The namespace for a journey's parts. Journey uuids are arbitrary texts; namespaces are not. */
export const namespaceOf = (uuid: string): string => (UUID.test(uuid) ? uuid : journeyUuid(uuid));

const FIRST_HALF = 24;
/** Numbers as three hexadecimal digits; four of these are the second half of a uuid. */
const digits = Array.from({ length: 4096 }, (_, n) => n.toString(16).padStart(3, '0'));

/**
 * Derives uuids by adding a number to the last 48 bits of one. One hash per clause instead of one per block, exit and resource:
 * those took 40% of the compile time.
 */
export class UuidRange {
  private readonly first: string;
  private readonly high: number;
  private readonly low: number;

  constructor(uuid: string) {
    this.first = uuid.slice(0, FIRST_HALF);
    this.high = Number.parseInt(uuid.slice(FIRST_HALF, FIRST_HALF + 6), 16);
    this.low = Number.parseInt(uuid.slice(FIRST_HALF + 6), 16);
  }

  /** The uuid for a number, from 0. */
  at(n: number): string {
    const sum = this.low + (n % 0x1000000);
    const low = sum & 0xffffff;
    const high = (this.high + Math.floor(n / 0x1000000) + (sum > 0xffffff ? 1 : 0)) & 0xffffff;
    // The inner concatenation stays below V8's limit for flat strings, so only one rope is built.
    return this.first + (digits[high >> 12]! + digits[high & 0xfff]! + digits[low >> 12]! + digits[low & 0xfff]!);
  }
}

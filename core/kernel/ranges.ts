import type { Request, ResponseObject } from '@hapi/hapi';
import { RangeNotSatisfiable } from '../errors.js';

const ONE_RANGE = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * hapi refuses a range that a file does not have after everybody's last look, in a shape of its own: so it is refused before.
 * A range that cannot be read is one that was not asked for (RFC 9110, 14.2).
 */
export function missingRange({ method, headers }: Request, response: ResponseObject): RangeNotSatisfiable | undefined {
  const { range, 'if-range': unless } = headers as Readonly<Record<string, string | undefined>>;
  const source: unknown = response.source;
  if (range === undefined || method !== 'get' || response.statusCode !== 200) return undefined;
  if (typeof source !== 'string' && !Buffer.isBuffer(source)) return undefined;
  const size = Buffer.byteLength(source);
  if (unless !== undefined && unless !== response.headers.etag) return undefined;
  const isThere = rangesIn(range)?.map(({ first, last, suffix }) => {
    if (suffix !== undefined) return suffix > 0;
    return first < size && first <= last;
  });
  if (isThere) return isThere.includes(true) ? undefined : new RangeNotSatisfiable(size);
  delete headers.range;
  return undefined;
}

/** Undefined: nothing that says ranges of bytes. */
function rangesIn(header: string): { first: number; last: number; suffix: number | undefined }[] | undefined {
  const [unit, list, ...more] = header.split('=');
  if (unit!.trim().toLowerCase() !== 'bytes' || list === undefined || more.length > 0) return undefined;
  const found = list.split(',').map((part) => ONE_RANGE.exec(part.trim()));
  if (found.includes(null)) return undefined;
  return found.map((one) => ({
    first: Number(one![1] ?? 0),
    last: one![2] ? Number(one![2]) : Number.POSITIVE_INFINITY,
    suffix: one![3] === undefined ? undefined : Number(one![3]),
  }));
}

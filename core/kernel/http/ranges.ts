import type { Request, ResponseObject } from '@hapi/hapi';
import { RangeNotSatisfiable } from '../../errors.js';

const ONE_RANGE = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * Returns a 416 for a range that the file does not have. hapi would refuse the range in its own error shape, after the last hook. Removes a
 * `Range` header that cannot be parsed, as RFC 9110, 14.2 says to ignore it.
 */
export function unsatisfiableRange({ method, headers }: Request, response: ResponseObject): RangeNotSatisfiable | undefined {
  const { range, 'if-range': ifRange } = headers as Readonly<Record<string, string | undefined>>;
  const source: unknown = response.source;
  if (range === undefined || method !== 'get' || response.statusCode !== 200) return undefined;
  if (typeof source !== 'string' && !Buffer.isBuffer(source)) return undefined;
  const size = Buffer.byteLength(source);
  if (ifRange !== undefined && ifRange !== response.headers.etag) return undefined;
  const satisfiable = rangesIn(range)?.map(({ first, last, suffix }) => {
    if (suffix !== undefined) return suffix > 0;
    return first < size && first <= last;
  });
  if (satisfiable) return satisfiable.includes(true) ? undefined : new RangeNotSatisfiable(size);
  delete headers.range;
  return undefined;
}

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

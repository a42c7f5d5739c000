// The superseded rows of a part, one byte per row. In the list of parts they are ranges such as "0-3,7", which people can read.

export function rangesOf(flags: Uint8Array): string {
  const ranges: string[] = [];
  for (let from = flags.indexOf(1); from >= 0; ) {
    const end = flags.indexOf(0, from);
    const last = (end < 0 ? flags.length : end) - 1;
    ranges.push(last === from ? `${from}` : `${from}-${last}`);
    from = end < 0 ? -1 : flags.indexOf(1, end);
  }
  return ranges.join(',');
}

/** @returns undefined if the ranges are not those of `rows` rows */
export function flagsOf(ranges: string, rows: number): Uint8Array | undefined {
  const flags = new Uint8Array(rows);
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(to) >= rows) return undefined;
    flags.fill(1, Number(from), Number(to) + 1);
  }
  return flags;
}

export function countOf(flags: Uint8Array): number {
  let count = 0;
  for (const flag of flags) count += flag;
  return count;
}

/** Longer names are not compared: the cost is the product of both lengths. */
const MAX_LENGTH = 40;
/** At most this many candidates are compared, if not given. */
const MOST_COMPARED = 500;

/** The known name within a small edit distance, ignoring case; undefined when none is close. */
export function nearest(name: string, known: Iterable<string>, mostCompared = MOST_COMPARED): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const given = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  let compared = 0;
  for (const candidate of known) {
    if (compared++ === mostCompared) break;
    if (candidate.length > MAX_LENGTH) continue;
    const distance = editDistance(given, candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** The Damerau-Levenshtein distance (insert, delete, replace, swap neighbours); any value from `limit` on means "too far". */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let secondLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1);
    let smallest = i;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, secondLast[j - 2]! + 1);
      row[j] = cost;
      if (cost < smallest) smallest = cost;
    }
    // The minimum of a row is at most one above the previous row's, so a swap, which reaches back two rows, cannot lower it again.
    if (smallest > limit) return limit;
    secondLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** Returns `; did you mean 'label'?`, or an empty text. */
export function didYouMean(name: string, known: Iterable<string>, mostCompared = MOST_COMPARED): string {
  const similar = nearest(name, known, mostCompared);
  return similar === undefined ? '' : `; did you mean '${similar}'?`;
}

/** Longer names get no suggestion. With `MAX_KNOWN` and the 500 errors that are listed, this bounds the work of all suggestions of a flow. */
const MAX_LENGTH = 40;
/** Only so many known names are compared. */
const MAX_KNOWN = 200;

/** The known name that was probably meant, or nothing. DeliveryRequest case counts least. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const given = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  let compared = 0;
  for (const candidate of known) {
    if (compared++ === MAX_KNOWN) break;
    if (candidate.length > MAX_LENGTH) continue;
    const distance = editDistance(given, candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** `; did you mean 'label'?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}

/** How many letters must be put in, left out, replaced or swapped with their neighbour; `limit` or more when it takes so many. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1);
    let smallest = i;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      if (cost < smallest) smallest = cost;
    }
    // The least of a row is at most one above that of the row before, so a swap, which reaches back two rows, saves nothing here.
    if (smallest > limit) return limit;
    before = last;
    last = row;
  }
  return last[b.length]!;
}

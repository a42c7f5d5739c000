const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const NAMES: readonly (readonly [name: RegExp, unit: string])[] = [
  [/^(ms|millis(econds?)?|milliseconds?)$/, 'ms'],
  [/^(s|secs?|seconds?)$/, 's'],
  [/^(m|mins?|minutes?)$/, 'm'],
  [/^(h|hours?|hrs?)$/, 'h'],
  [/^(d|days?)$/, 'd'],
  [/^(w|weeks?)$/, 'w'],
];
const MAX_MS = 100 * 366 * 86_400_000;

/** Milliseconds of `5 minutes`, `6m`, `1 day 2 h` or a number of seconds; undefined for any other value. */
export function durationOf(given: unknown): number | undefined {
  const text = String(given).trim().toLowerCase();
  if (typeof given === 'number' || /^\d+(\.\d+)?$/.test(text)) return within(Number(text) * 1000);
  if (typeof given !== 'string' || !/^(\d+(\.\d+)?\s*[a-z]+[\s,]*)+$/.test(text) || text.length > 100) return undefined;
  let ms = 0;
  for (const [, count, name] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = NAMES.find(([pattern]) => pattern.test(name!))?.[1];
    if (unit === undefined) return undefined;
    ms += Number(count) * UNITS[unit]!;
  }
  return within(ms);
}

const within = (ms: number): number | undefined => (ms > 0 && ms <= MAX_MS ? Math.round(ms) : undefined);

/** A duration as `wait` reads it: `5 minutes`. */
export function durationText(ms: number): string {
  const [unit, name] = (
    [
      ['d', 'day'],
      ['h', 'hour'],
      ['m', 'minute'],
      ['s', 'second'],
    ] as const
  ).find(([unit]) => ms % UNITS[unit]! === 0) ?? ['ms', 'ms'];
  const count = ms / UNITS[unit]!;
  return name === 'ms' ? `${count} ms` : `${count} ${name}${count === 1 ? '' : 's'}`;
}

export type CsvColumns<T> = Readonly<Record<string, (item: T) => string | number | boolean | null | undefined>>;

/** A table as RFC 4180 defines it, or rows of it. Texts that a spreadsheet would run as a formula begin with an apostrophe. */
export function csvOf<T>(items: readonly T[], columns: CsvColumns<T>, hasHead = true): string {
  const rows = items.map((item) => Object.values(columns).map((read) => cellOf(read(item))));
  return [...(hasHead ? [Object.keys(columns).map(cellOf)] : []), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** Also after white space, which spreadsheets skip. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

function cellOf(value: string | number | boolean | null | undefined): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

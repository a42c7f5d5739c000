import type { CsvColumns } from './csv.js';
import { saveCsv, savedText } from './files.js';
import { texts } from './texts.js';

const NAMES: Readonly<Record<string, string>> = {
  audit: texts.records,
  channels: texts.channels,
  flows: texts.flows,
  integrations: texts.integrations,
  numbers: texts.numbers,
};

type Value = string | number | boolean | null | undefined;

/** Saves records as a table with a column for each field; fields in fields have names such as `number.address`, and lists are JSON. */
export async function saveRecords(what: string, records: readonly unknown[]): Promise<string> {
  const rows = records.map((record) => new Map(fieldsOf(record)));
  const names = new Set(rows.flatMap((row) => [...row.keys()]));
  const columns: CsvColumns<ReadonlyMap<string, Value>> = Object.fromEntries(
    [...names].map((name) => [name, (row: ReadonlyMap<string, Value>) => row.get(name)]),
  );
  saveCsv(what, rows, columns);
  return savedText(rows.length, NAMES[what] ?? what, false);
}

function* fieldsOf(value: unknown, name = ''): Generator<[string, Value]> {
  if (typeof value !== 'object' || value === null) yield [name, value as Value];
  else if (Array.isArray(value)) yield [name, value.every((one) => typeof one !== 'object') ? value.join(' ') : JSON.stringify(value)];
  else for (const [key, field] of Object.entries(value)) yield* fieldsOf(field, name === '' ? key : `${name}.${key}`);
}

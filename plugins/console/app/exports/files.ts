import { number } from '../../../../core/web/language.js';
import { admin, CallFailed } from '../data/admin.js';
import { listOf, type Page, pagePath, type Source } from '../data/pages.js';
import { saveFile } from '../data/save-file.js';
import { type CsvColumns, csvOf } from './csv.js';
import { texts } from './texts.js';

/** The limit of records in an export: the browser keeps them in memory. */
export const MOST = 5_000;
const PAGE = 500;
/** Lines per block, so that the page stays responsive. */
const BLOCK = 5_000;
/** Calls that run at the same time. */
const LANES = 4;

type Progress = (text: string) => void;

/** Reads all records that a list has, also those that it has not loaded, up to a limit. `isCut`: whether there are more. */
export async function everything<T>(
  source: Source<T>,
  progress: Progress,
  limit = MOST,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items = new Map<string, T>();
  let next: string | null | undefined;
  do {
    const page: Page = await admin<Page>('GET', pagePath(source, PAGE, next ?? undefined));
    for (const item of listOf<T>(page, source.path)) if (items.size < limit) items.set(source.keyOf(item), item);
    next = page.next;
    progress(texts.readSoFar(number(items.size), page.looked_back_to));
  } while (next !== null && items.size < limit);
  return { items: [...items.values()], isCut: next !== null };
}

/** Reads one record after another, a few at a time, in their order; without those that are gone. */
export async function eachOf<T, R>(items: readonly T[], read: (item: T) => Promise<R | undefined>, progress: Progress): Promise<R[]> {
  const found: (R | undefined)[] = [];
  let next = 0;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      found[at] = await read(items[at]!);
      progress(texts.readOf(number(++done), number(items.length)));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return found.filter((one) => one !== undefined);
}

/** A record; undefined if it was evicted meanwhile. @throws CallFailed */
export async function ifKept<T>(path: string): Promise<T | undefined> {
  try {
    return await admin<T>('GET', path);
  } catch (error) {
    if (error instanceof CallFailed && error.status === 404) return undefined;
    throw error;
  }
}

/** A sentence that says how much was saved. @param what the name of many records, such as `texts.calls` */
export const savedText = (count: number, what: string, isCut: boolean): string =>
  isCut ? texts.savedNewest(number(count), what) : texts.saved(number(count), what);

const nameOf = (what: string, ending: string): string => `${what}-${new Date().toISOString().replace(/[:.]/g, '-')}.${ending}`;

export const saveText = (what: string, ending: string, type: string, text: string): void =>
  saveFile(nameOf(what, ending), new Blob([text], { type: `${type};charset=utf-8` }));

/** Saves texts as lines; for JSON lines, each is the JSON of a record. */
export async function saveLines(what: string, count: number, lineOf: (at: number) => string): Promise<void> {
  const parts: Blob[] = [];
  for (let at = 0; at < count; at += BLOCK) {
    parts.push(new Blob([Array.from({ length: Math.min(BLOCK, count - at) }, (_, i) => `${lineOf(at + i)}\n`).join('')]));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  saveFile(nameOf(what, 'jsonl'), new Blob(parts, { type: 'application/jsonl' }));
}

/** Saves a table. The mark at its beginning lets spreadsheets read it as UTF-8. */
export const saveCsv = <T>(what: string, items: readonly T[], columns: CsvColumns<T>): void =>
  saveText(what, 'csv', 'text/csv', `\uFEFF${csvOf(items, columns)}`);

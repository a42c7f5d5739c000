import { locale, number } from '../../../../core/web/language.js';
import { admin, CallFailed } from '../data/admin.js';
import { listOf, type Page, pagePath, type Source } from '../data/pages.js';
import { saveFile } from '../data/save-file.js';
import { type CsvColumns, csvOf } from './csv.js';
import { texts } from './texts.js';

const PAGE = 500;
/** Lines per block, so that the page stays responsive. */
const BLOCK = 5_000;
/** Calls that run at the same time. */
const LANES = 4;

/** Shows how far an export is. It throws when the user has stopped the export. */
export type Progress = (text: string) => void;

interface Exported<T> {
  /** The name of many records, for the file and the sentence about it. */
  readonly what: 'calls' | 'deliveries' | 'contacts';
  readonly source: Source<T>;
  /** The rows that are marked; undefined for all that match. */
  readonly marked: readonly T[] | undefined;
  readonly progress: Progress;
}

interface FileForm<T, R> {
  readonly ending: string;
  readonly type: string;
  /** The whole of a record of the list; undefined if it is gone. */
  readonly whole: (item: T) => Promise<R | undefined> | R;
  /** The text of some records, newest first. */
  readonly textOf: (records: readonly R[]) => string;
  /** The start of the file, the separator of texts, and the end of the file. */
  readonly around: readonly [before: string, between: string, after: string];
  readonly isOldestFirst?: boolean;
}

/**
 * Saves the marked records, or all that a list has, also those that it has not loaded. Each page of them becomes a part of the file, which the
 * browser need not keep in memory, so there is no limit.
 * @returns what was saved, as a sentence
 * @throws CallFailed; what `progress` throws
 */
export async function saveAll<T, R>(
  { what, source, marked, progress }: Exported<T>,
  { ending, type, whole, textOf, around: [before, between, after], isOldestFirst }: FileForm<T, R>,
): Promise<string> {
  const parts: Blob[] = [];
  let count = 0;
  for await (const { items, backTo } of marked ? blocksOf(marked) : pagesOf(source)) {
    const records = await eachOf(items, whole, (done) => progress(texts.readSoFar(number(count + done), backTo && timeText(backTo))));
    count += records.length;
    const text = textOf(records);
    if (text !== '') parts.push(new Blob([text]));
  }
  if (isOldestFirst) parts.reverse();
  const joined = parts.flatMap((part, at) => (at === 0 ? [part] : [between, part]));
  saveFile(nameOf(what, ending), new Blob([before, ...joined, after], { type: `${type};charset=utf-8` }));
  return savedText(count, texts[what], false);
}

const timeText = (at: string): string =>
  new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

interface Part<T> {
  readonly items: readonly T[];
  readonly backTo: string | null;
}

function* blocksOf<T>(items: readonly T[]): Generator<Part<T>> {
  for (let at = 0; at < items.length; at += PAGE) yield { items: items.slice(at, at + PAGE), backTo: null };
}

async function* pagesOf<T>(source: Source<T>): AsyncGenerator<Part<T>> {
  const known = new Set<string>();
  let next: string | null | undefined;
  do {
    const page: Page = await admin<Page>('GET', pagePath(source, PAGE, next ?? undefined));
    const items = listOf<T>(page, source.path).filter((item) => !known.has(source.keyOf(item)));
    for (const item of items) known.add(source.keyOf(item));
    next = page.next;
    yield { items, backTo: page.looked_back_to };
  } while (next !== null);
}

/** Reads one record after another, a few at a time, in their order; without those that are gone. */
async function eachOf<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R | undefined> | R,
  progress: (done: number) => void,
): Promise<R[]> {
  const found: (R | undefined)[] = [];
  let next = 0;
  let done = 0;
  progress(done);
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      found[at] = await read(items[at]!);
      progress(++done);
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

/** A file with a JSON text in each line. */
export const linesForm = <T, R>(whole: FileForm<T, R>['whole']): FileForm<T, R> => ({
  ...{ ending: 'jsonl', type: 'application/jsonl', whole, around: ['', '', ''] },
  textOf: (records) => records.map((one) => `${JSON.stringify(one)}\n`).join(''),
});

/** A table. The mark at its beginning lets spreadsheets read it as UTF-8. */
export const tableForm = <T>(columns: CsvColumns<T>): FileForm<T, T> => ({
  ...{ ending: 'csv', type: 'text/csv', whole: (item) => item, around: [`\uFEFF${csvOf([], columns)}`, '', ''] },
  textOf: (records) => csvOf(records, columns, false),
});

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

/** Saves a table. */
export const saveCsv = <T>(what: string, items: readonly T[], columns: CsvColumns<T>): void =>
  saveText(what, 'csv', 'text/csv', `\uFEFF${csvOf(items, columns)}`);

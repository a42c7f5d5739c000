import type { RecordId } from './explanation.js';

/** The words that an operator searches for. */
export interface SearchQuery {
  /** Words and quoted phrases, in lower case and without accents. */
  readonly words: readonly string[];
  /** The part of a text around the first word; undefined unless the text has every word, in any order. Case and accents do not matter. */
  excerptOf(text: string): string | undefined;
}

/** A place in the results of a kind, which are ordered from the newest to the oldest, and then by id. */
export interface SearchPlace {
  readonly at: string;
  /** Absent if a search cannot continue from there. */
  readonly id?: string;
}

/** How far a search goes in the records of one kind. */
export interface SearchBounds {
  /** The number of results that are shown. */
  readonly limit: number;
  /** Only results after this place are shown. */
  readonly before: SearchPlace | undefined;
  /** Whether the operator may see a record of this number or account. */
  sees(owner: { readonly number?: string | undefined; readonly account?: string | null | undefined }): boolean;
  /** Whether the operator has a permission besides that of the kind. */
  may(permission: string): boolean;
  /** Whether a record is after `before`: only those that are have to be searched. */
  isNext(place: Required<SearchPlace>): boolean;
  /** Lets other work of the process run, if it is time to. Call it after each record or few. @returns false when the time for the search is over */
  goOn(): Promise<boolean>;
  /** Those results that are shown. @param rest the place after which the search has not looked, if there is one */
  page(found: readonly Found[], rest?: SearchPlace): SearchPage;
}

/** A record that a search has found. */
export interface Found {
  /** Unique among the records of its kind. */
  readonly id: string;
  /** The name by which people know it. */
  readonly title: string;
  /** The part of its text that has the words, or what else tells people which record it is; may be empty. */
  readonly text: string;
  /** When it was made or changed, as a date-time. */
  readonly at: string;
  /** The uuid of the number that it belongs to. */
  readonly number?: string | undefined;
  /** The account that it belongs to, if it has no number. */
  readonly account?: string | null | undefined;
  /** The record whose page shows it, if it is another one. */
  readonly on?: RecordId;
  /** The line of its text, from 1, that has the words or the part of it that has them; for records that are shown as a text. */
  readonly line?: number;
}

export interface SearchPage {
  readonly found: readonly Found[];
  readonly rest?: SearchPlace | undefined;
}

/** Records that `GET /admin/v1/search` finds. */
export interface SearchSource {
  /** The kind of its records, such as `journey`; unique on a platform. */
  readonly kind: string;
  /** The permission that operators need to see its records. */
  readonly permission: string;
  /** Whether there may be so many records that it searches as long as there is time. Such kinds are searched last. */
  readonly isLarge?: boolean;
  /** Finds records by their texts. Return `bounds.page(...)` of all that were found. */
  find(query: SearchQuery, bounds: SearchBounds): Promise<SearchPage>;
  /** The records with this id; at most one, unless the id is unique within a number only. */
  byId?(id: string, bounds: SearchBounds): Promise<readonly Found[]>;
}

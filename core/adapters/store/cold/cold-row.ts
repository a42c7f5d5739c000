import type { Row } from '../tables/cells.js';
import type { ColdPart } from './cold-part.js';

/** A row of a part. */
export interface Place {
  readonly part: ColdPart;
  readonly row: number;
}

/** Makes the values of a row from its document. */
export type ValuesOf = (key: string, json: string) => Row['values'];

/** A row of a part, as read. Its values are parsed when they are needed. */
export class ColdRow implements Row, Place {
  readonly key: string;
  readonly json: string;
  readonly part: ColdPart;
  readonly row: number;
  readonly #valuesOf: ValuesOf;
  #values: Row['values'] | undefined;

  constructor({ part, row }: Place, { key, json }: { readonly key: string; readonly json: string }, valuesOf: ValuesOf) {
    [this.part, this.row, this.key, this.json, this.#valuesOf] = [part, row, key, json, valuesOf];
  }

  get values(): Row['values'] {
    this.#values ??= this.#valuesOf(this.key, this.json);
    return this.#values;
  }
}

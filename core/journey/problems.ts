import type Joi from 'joi';
import { placeOf } from '../errors.js';
import type { CodeOf, ProblemCode, Severity } from './lint/codes.js';

/** Something wrong with a container: an error would make it fail, a warning makes it do what nobody meant. */
export interface ContainerProblem {
  readonly severity: Severity;
  readonly code: ProblemCode;
  /** Where, as in `flows[0].blocks[2].exits[0].test`. */
  readonly path: string;
  /** The name of the block it is about. */
  readonly block?: string;
  readonly message: string;
}

/** Enough to work on. Whoever sends a container of a million mistakes is not told all of them. */
const MOST_PROBLEMS = 200;

/** Where problems are written down as they are found. */
export class Problems {
  readonly list: ContainerProblem[] = [];

  get isFull(): boolean {
    return this.list.length >= MOST_PROBLEMS;
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error');
  }

  add<S extends Severity>(severity: S, code: CodeOf<S>, path: string, message: string, block?: string): void {
    if (!this.isFull) this.list.push({ severity, code, path, ...(block !== undefined && { block }), message });
  }

  /** Whether the value has the shape; what is missing or wrong in it is written down, by name: its place may be one that is not there. */
  shape(schema: Joi.Schema, value: unknown, path: string): boolean {
    const { error } = schema.validate(value, { abortEarly: false, allowUnknown: true, convert: false });
    for (const { path: inside, message } of error?.details ?? []) {
      const at = placeOf(path === '' ? inside : [path, ...inside]);
      this.add('error', 'invalid_shape', at, message.replace(/^".*?"/, at || 'the container'));
    }
    return !error;
  }
}

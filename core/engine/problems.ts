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

/** Enough to work on, of errors and of warnings each: warnings never crowd out an error, which would publish what cannot run. */
const MAX_OF_EACH = 200;

/** Where problems are written down as they are found. */
export class Problems {
  readonly list: ContainerProblem[] = [];

  private readonly counts = { error: 0, warning: 0 };

  /** Whether there are as many errors as are reported. */
  get isFull(): boolean {
    return this.counts.error >= MAX_OF_EACH;
  }

  get hasErrors(): boolean {
    return this.counts.error > 0;
  }

  add<S extends Severity>(severity: S, code: CodeOf<S>, path: string, message: string, block?: string): void {
    if (++this.counts[severity] <= MAX_OF_EACH) this.list.push({ severity, code, path, ...(block !== undefined && { block }), message });
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

import type Joi from 'joi';
import { placeOf } from '#core/basics';
import type { CodeOf, ProblemCode, Severity } from './lint/codes.js';

/** A problem of a container. Errors would make a run fail; warnings report probable mistakes. */
export interface ContainerProblem {
  readonly severity: Severity;
  readonly code: ProblemCode;
  /** A path such as `flows[0].blocks[2].exits[0].test`. */
  readonly path: string;
  readonly block?: string;
  readonly message: string;
}

/** The limit per severity. Counted separately, because an error displaced by warnings would let a broken journey be published. */
const MAX_PER_SEVERITY = 200;

export class Problems {
  readonly list: ContainerProblem[] = [];

  private readonly counts = { error: 0, warning: 0 };

  /** Whether the limit of errors is reached, so that checking can stop. */
  get isFull(): boolean {
    return this.counts.error >= MAX_PER_SEVERITY;
  }

  get hasErrors(): boolean {
    return this.counts.error > 0;
  }

  add<S extends Severity>(severity: S, code: CodeOf<S>, path: string, message: string, block?: string): void {
    if (++this.counts[severity] <= MAX_PER_SEVERITY)
      this.list.push({ severity, code, path, ...(block !== undefined && { block }), message });
  }

  /** Validates a value against a schema and adds a problem for each violation. @returns whether the value is valid */
  shape(schema: Joi.Schema, value: unknown, path: string): boolean {
    const { error } = schema.validate(value, { abortEarly: false, allowUnknown: true, convert: false });
    for (const { path: inside, message } of error?.details ?? []) {
      const at = placeOf(path === '' ? inside : [path, ...inside]);
      this.add('error', 'invalid_shape', at, message.replace(/^".*?"/, at || 'the container'));
    }
    return !error;
  }
}

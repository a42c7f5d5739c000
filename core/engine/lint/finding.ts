import { object, oneOf, string, type TypeOf } from '../../shape.js';
import { codes, type ProblemCode } from './codes.js';

/** A finding of lint: an error, or a warning about a probable mistake. */
export const findingSchema = object(
  {
    severity: oneOf('error', 'warning'),
    code: oneOf(...(Object.keys(codes) as [ProblemCode, ...ProblemCode[]])),
    /** A JSON pointer into the definition. */
    path: string().allow(''),
    message: string(),
    /** How to fix it. */
    fix: string(),
  },
  /** The name of the affected block. */
  { block: string().allow('') },
);

/** A finding of lint. Errors prevent publishing to production. */
export type Finding = TypeOf<typeof findingSchema>;

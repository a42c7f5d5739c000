import { object, oneOf, string, type TypeOf } from '../../shape.js';
import { codes, type ProblemCode } from './codes.js';

/** Something that is wrong with a definition, or probably not meant. */
export const findingSchema = object(
  {
    severity: oneOf('error', 'warning'),
    code: oneOf(...(Object.keys(codes) as [ProblemCode, ...ProblemCode[]])),
    /** A JSON pointer into the definition. */
    path: string().allow(''),
    message: string(),
    /** What to do about it. */
    fix: string(),
  },
  /** The name of the block it is about. */
  { block: string().allow('') },
);

/** Something an author should know of a journey before it is published. Errors keep it from production. */
export type Finding = TypeOf<typeof findingSchema>;

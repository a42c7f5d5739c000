import { fields, oneOf, type TypeOf, text } from '../../shape.js';
import { codes, type ProblemCode } from './codes.js';

/** Something that is wrong with a definition, or probably not meant. */
export const findingSchema = fields(
  {
    severity: oneOf('error', 'warning'),
    code: oneOf(...(Object.keys(codes) as [ProblemCode, ...ProblemCode[]])),
    /** A JSON pointer into the definition. */
    path: text().allow(''),
    message: text(),
    /** What to do about it. */
    fix: text(),
  },
  /** The name of the block it is about. */
  { block: text().allow('') },
);

/** Something an author should know of a journey before it is published. Errors keep it from production. */
export type Finding = TypeOf<typeof findingSchema>;

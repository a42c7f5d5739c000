import { named, object, oneOf, string, type TypeOf } from '../../shape.js';
import { codes, type ProblemCode } from './codes.js';

export const findingSchema = named(
  'Finding',
  object(
    {
      severity: oneOf('error', 'warning'),
      code: oneOf(...(Object.keys(codes) as [ProblemCode, ...ProblemCode[]])),
      /** A JSON pointer into the definition. */
      path: string().allow(''),
      message: string(),
      fix: string(),
    },
    { block: string().allow('') },
  ),
);

/** A finding of lint. Errors prevent publishing to production. */
export type Finding = TypeOf<typeof findingSchema>;

import { integer, named, object, oneOf, string, type TypeOf } from '#core/schemas';
import { type NotebookCode, notebookFixes } from '../notebook/codes.js';
import { codes, type ProblemCode } from './codes.js';

export const findingSchema = named(
  'Finding',
  object(
    {
      severity: oneOf('error', 'warning'),
      code: oneOf(...(Object.keys({ ...codes, ...notebookFixes }) as [ProblemCode | NotebookCode, ...(ProblemCode | NotebookCode)[]])),
      /** A JSON pointer into the definition; empty for a finding about the text of a notebook. */
      path: string().allow(''),
      message: string(),
      fix: string(),
    },
    {
      block: string().allow(''),
      /** For notebooks: where it begins in the text, from 1; columns count characters. */
      line: integer(),
      column: integer(),
      /** The position after its last character. */
      end: object({ line: integer(), column: integer() }),
      /** The syntax that was expected. */
      expected: string(),
      /** The known word closest to the one in the text. */
      nearest: string(),
    },
  ),
);

/** A finding of lint. Errors prevent publishing to production. */
export type Finding = TypeOf<typeof findingSchema>;

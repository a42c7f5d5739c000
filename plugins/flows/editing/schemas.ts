import { anyString, array, boolean, integer, named, object, oneOf, string } from '#core';
import { flowCategories } from '../operator/flow-operator.js';
import { validationErrorSchema } from '../schemas.js';

const range = { line_start: integer(), line_end: integer(), column_start: integer(), column_end: integer() };

export const findingSchema = named(
  'FlowFinding',
  validationErrorSchema.append({
    /** For a finding with “did you mean”: the text that replaces the range. */
    replacement: object({ ...range, text: string(), suggestion: string() }).optional(),
  }),
);

const place = { path: anyString(), line: integer(), column: integer() };

export const screenSchema = named(
  'FlowScreen',
  object(
    {
      ...place,
      id: string(),
      terminal: boolean(),
      /** Whether no route leads to it. */
      entry: boolean(),
      /** The ids of the screens to which its routes lead. */
      routes: array(string()),
      components: array(object({ ...place, type: anyString() }, { name: anyString() })),
    },
    { title: anyString() },
  ),
);

export const completionSchema = named(
  'FlowCompletion',
  object(
    { label: anyString(), kind: oneOf('property', 'class', 'text', 'variable', 'keyword'), detail: anyString() },
    /** The text to insert, if it is not the label. */
    { insert: anyString() },
  ),
);

export const templateSchema = named(
  'FlowTemplate',
  object({ name: string(), title: string(), about: string(), categories: array(oneOf(...flowCategories)), definition: string() }),
);

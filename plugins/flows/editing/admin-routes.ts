import { anyString, array, integer, object, type Route, route, string } from '#core';
import type { LocalOperator } from '../operator/local-operator.js';
import { MAX_CREATE_BYTES } from '../schemas.js';
import type { ValidationError } from '../validate/result.js';
import { completeFlow } from './complete.js';
import { flowMap, MAX_MAPPED } from './flow-map.js';
import { replacementFor } from './replacement.js';
import { completionSchema, findingSchema, screenSchema, templateSchema } from './schemas.js';
import { flowTemplates } from './templates.js';

/** Admin routes for editors of flows. They store nothing. */
export const editingRoutes = (operator: LocalOperator): Route[] => [
  route({
    method: 'GET',
    path: '/flows/templates',
    permission: 'flows.read',
    accounts: 'none',
    summary: 'Lists flows to start from: a survey, a booking, a sign-up and a catalogue.',
    responses: { 200: object({ templates: array(templateSchema) }) },
    handler: () => ({ templates: flowTemplates().map((template) => ({ ...template, categories: [...template.categories] })) }),
  }),
  route({
    method: 'POST',
    path: '/flows/check',
    permission: 'flows.read',
    accounts: 'none',
    summary: 'Checks the text of a definition without storing it: errors and hints with their positions and fixes, screens and routes.',
    keepsNothing: true,
    maxBytes: MAX_CREATE_BYTES,
    request: { payload: object({ definition: anyString() }) },
    responses: {
      200: object(
        { errors: array(findingSchema), hints: array(findingSchema), unlisted_errors: integer(), entries: array(string()) },
        /** Of a text that is JSON and not longer than 256 KiB. */
        { screens: array(screenSchema) },
      ),
    },
    async handler({ payload: { definition } }) {
      const { errors, hints, unlistedErrors, outline } = await operator.validate(definition);
      const lines = definition.split(/\r\n|\n|\r/);
      const shown = (finding: ValidationError) => {
        const replacement = replacementFor(finding, lines);
        return { ...finding, ...(replacement && { replacement }) };
      };
      const screens = flowMap(definition);
      return {
        errors: errors.map(shown),
        hints: hints.map(shown),
        unlisted_errors: unlistedErrors,
        entries: [...outline.entries],
        ...(screens && { screens }),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/flows/completions',
    permission: 'flows.read',
    accounts: 'none',
    summary: 'Completes a flow in an editor: properties, components, values, screens and references at an offset of its text.',
    keepsNothing: true,
    maxBytes: MAX_CREATE_BYTES,
    request: { payload: object({ definition: anyString(), offset: integer().min(0) }) },
    responses: { 200: object({ from: integer(), to: integer(), options: array(completionSchema) }) },
    handler({ payload: { definition, offset } }) {
      const at = Math.min(offset, definition.length);
      if (definition.length > MAX_MAPPED) return { from: at, to: at, options: [] };
      const { from, to, options } = completeFlow(definition, at);
      return { from, to, options: [...options] };
    },
  }),
];

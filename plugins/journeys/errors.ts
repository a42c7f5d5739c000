import type { ErrorShape } from '#core';
import { sentences } from './schemas.js';

/** Errors of starts and claims are sentences, as recorded. */
export const journeyErrors: ErrorShape = {
  render: (error) => (error.code === 'not_supported' ? undefined : { status: error.status, body: { errors: [error.message] } }),
  schemas: Object.fromEntries([400, 401, 403, 404, 409, 413, 415, 429, 500, 503].map((status) => [status, sentences])),
};

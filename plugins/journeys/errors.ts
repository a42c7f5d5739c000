import type { ErrorShape } from '#core';
import { sentences } from './schemas.js';

/** Renders errors of starts and claims as plain sentences, as the service was recorded to do. */
export const journeyErrors: ErrorShape = {
  render: (error) => (error.code === 'not_supported' ? undefined : { status: error.status, body: { errors: [error.message] } }),
  schemas: Object.fromEntries([400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503].map((status) => [status, sentences])),
};

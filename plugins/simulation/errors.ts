import { type ErrorShape, InvalidRequest, PlatformError } from '#core';
import { errorSchema } from './schemas.js';

/** An error whose text the interface defines literally (Errors, "Journey simulation"). */
export class SimulationRefused extends PlatformError {
  constructor(status: 400 | 404, text: string) {
    super(status, 'simulation_refused', text);
  }
}

const INVALID_UUID = 'Invalid Journey UUID';
export const invalidUuid = (): SimulationRefused => new SimulationRefused(400, INVALID_UUID);

const texts: Readonly<Record<string, string>> = {
  uuid: INVALID_UUID,
  revision: "Invalid revision, must be 'production' or 'staging'",
  parent: 'Invalid parent, must be an object',
  child: 'Invalid child, must be an object',
  contact: 'Invalid contact, must be an object',
  fail_unmocked_http_calls: 'Invalid fail_unmocked_http_calls, must be true or false',
};

/** Statuses of errors about the body of the request as a whole. */
const ABOUT_BODY: readonly number[] = [408, 413, 415];

export const simulationErrors: ErrorShape = {
  render(error) {
    if (error instanceof SimulationRefused) return { status: error.status, body: { errors: [error.message] } };
    if (error instanceof InvalidRequest) return { status: 400, body: { errors: [problemText(error)] } };
    return ABOUT_BODY.includes(error.status) ? { status: error.status, body: { errors: [error.message] } } : undefined;
  },
  schemas: Object.fromEntries([400, 404, ...ABOUT_BODY].map((status) => [status, errorSchema])),
};

function problemText({ problems, message }: InvalidRequest): string {
  const [problem] = problems;
  const [field] = problem?.path ?? [];
  if (problem === undefined) return message;
  if (field === undefined || field === 'simulation_id') {
    return /^string\.(min|max)$/.test(problem.rule) ? 'simulation_id must be between 6 and 64 characters' : 'simulation_id is required';
  }
  if (field === 'http_mocks') return `Invalid http_mocks: ${problem.message}`;
  return texts[field] ?? problem.message;
}

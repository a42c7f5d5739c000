import type Joi from 'joi';
import { defaultErrors, notSupportedSchema } from './default-errors.js';
import type { ErrorShape } from './plugin.js';
import type { OtherContent, Route } from './route.js';

/** What a route can answer with one status: JSON that fits one of the schemas, or something that is not JSON. */
export type DeclaredAnswer = readonly Joi.Schema[] | OtherContent;

/** Every answer of a route by its status: its own, and the errors that the platform and its area answer for it. */
export function answersOf(route: Route, shape: ErrorShape | undefined): ReadonlyMap<number, DeclaredAnswer> {
  const own = [...Object.keys(route.responses), ...(route.errors ?? [])].map(Number);
  const statuses = [...new Set([...own, ...platformStatuses(route)])].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, answerWith(status, route, shape)]));
}

/** Parts of what is not JSON can be asked for. */
export const hasFile = ({ responses }: Route): boolean => Object.values(responses).some((answer) => 'contentType' in answer);

function answerWith(status: number, { responses }: Route, shape: ErrorShape | undefined): DeclaredAnswer {
  const own = responses[status];
  if (own && 'contentType' in own) return own;
  const errors = [shape?.schemas[status], defaultErrors.schemas[status], status === 403 ? notSupportedSchema : undefined];
  return [...new Set([own as Joi.Schema | undefined, ...errors].filter((schema) => schema !== undefined))];
}

/** The errors a route can be answered with by what stands before its handler, or by what its handler throws. */
function platformStatuses(route: Route): number[] {
  const { method, auth = 'bearer', bucket, bucketOf, path, request = {}, body } = route;
  const hasBody = method !== 'GET';
  const isGuarded = auth !== 'none';
  const isLimited = isGuarded && (bucketOf !== undefined || bucket !== 'none');
  return [
    400,
    ...(isGuarded ? [401] : []),
    403,
    ...(path.includes('{') || request.payload || request.query ? [404] : []),
    409,
    ...(hasBody ? [413] : []),
    ...(hasBody && (request.payload || body === 'bytes') ? [415] : []),
    ...(hasFile(route) ? [416] : []),
    ...(isLimited ? [429] : []),
    ...[500, 503],
  ];
}

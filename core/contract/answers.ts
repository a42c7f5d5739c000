import type Joi from 'joi';
import { defaultErrors, notSupportedSchema } from './default-errors.js';
import type { ErrorShape } from './plugin.js';
import type { OtherContent, Route } from './route.js';

/** The declared response of one status: the schemas of its JSON body, one of which matches, or another content type. */
export type DeclaredAnswer = readonly Joi.Schema[] | OtherContent;

/** Returns every response of a route by status: the declared ones, and the errors of the platform and of the area. */
export function answersOf(route: Route, shape: ErrorShape | undefined): ReadonlyMap<number, DeclaredAnswer> {
  const own = [...Object.keys(route.responses), ...(route.errors ?? [])].map(Number);
  const statuses = [...new Set([...own, ...platformStatuses(route)])].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, answerWith(status, route, shape)]));
}

/** Whether the route has a response that is not JSON, of which clients may request byte ranges. */
export const hasFile = ({ responses }: Route): boolean => Object.values(responses).some((answer) => 'contentType' in answer);

function answerWith(status: number, { responses }: Route, shape: ErrorShape | undefined): DeclaredAnswer {
  const own = responses[status];
  if (own && 'contentType' in own) return own;
  const errors = [shape?.schemas[status], defaultErrors.schemas[status], status === 403 ? notSupportedSchema : undefined];
  return [...new Set([own as Joi.Schema | undefined, ...errors].filter((schema) => schema !== undefined))];
}

/** Statuses of the checks that run before the handler, and of common errors that the handler throws. */
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
    ...(hasBody ? [408, 413] : []),
    ...(hasBody && (request.payload || body === 'bytes') ? [415] : []),
    ...(hasFile(route) ? [416] : []),
    ...(isLimited ? [429] : []),
    ...[500, 503],
  ];
}

import type Joi from 'joi';
import { defaultErrors, notSupportedSchema } from './default-errors.js';
import type { ErrorShape } from './plugin.js';
import type { OtherContent, Route } from './route.js';

/** A response as declared for one status: JSON that fits one of the schemas, or another content type. */
export type DeclaredAnswer = readonly Joi.Schema[] | OtherContent;

/** Every response of a route by status: those that it declares, and the errors of the platform and its area. */
export function answersOf(route: Route, shape: ErrorShape | undefined): ReadonlyMap<number, DeclaredAnswer> {
  const own = [...Object.keys(route.responses), ...(route.errors ?? [])].map(Number);
  const statuses = [...new Set([...own, ...platformStatuses(route)])].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, answerWith(status, route, shape)]));
}

/** Whether a response of the route is not JSON; clients may request byte ranges of it. */
export const hasFile = ({ responses }: Route): boolean => Object.values(responses).some((answer) => 'contentType' in answer);

function answerWith(status: number, { responses }: Route, shape: ErrorShape | undefined): DeclaredAnswer {
  const own = responses[status];
  if (own && 'contentType' in own) return own;
  const errors = [shape?.schemas[status], defaultErrors.schemas[status], status === 403 ? notSupportedSchema : undefined];
  return [...new Set([own as Joi.Schema | undefined, ...errors].filter((schema) => schema !== undefined))];
}

/** Statuses that the checks before the handler, or errors that the handler throws, can cause. */
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

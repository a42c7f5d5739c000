import type { Request, Server } from '@hapi/hapi';
import { InvalidRequest } from '../../errors.js';
import type { Recorder } from '../observe/call-log.js';
import { errorResponse } from './answers.js';
import { type AreasOfServer, firstSegments, isWhole } from './area.js';
import { discardRest } from './read-body.js';
import { withStandardHeaders } from './standard-headers.js';

/**
 * hapi refuses a path that cannot be decoded before routing. Below the platform's roots, replaces that response by one in the area's shape,
 * also when an extension of the host has replaced it already.
 */
export function answerUndecodablePaths(server: Server, options: AreasOfServer, record?: Recorder): void {
  const { prefix, vhost } = server.realm.modifiers.route;
  const firsts = isWhole(server, options) ? [''] : firstSegments(options);
  const shapes = options.areas.flatMap(({ roots, errors }) => roots.map((root) => ({ root, shape: errors })));
  const roots = [...shapes, ...firsts.map((root) => ({ root, shape: undefined }))];
  const pages = treesOfPages(options);
  server.ext('onPreResponse', (request, h) => {
    const { route, path = '' } = request;
    if (String(route.method) !== '_special' || !isUndecodable(request)) return h.continue;
    if (vhost && ![vhost].flat().includes(request.info.hostname)) return h.continue;
    const isBelow = ({ root }: { root: string }): boolean => `${path}/`.startsWith(`${prefix ?? ''}${root}/`);
    const area = roots.find(isBelow);
    if (!area) return h.continue;
    const error = new InvalidRequest([], 'The request URL is malformed');
    const response = errorResponse(h, error, area.shape, pages.find(isBelow)?.errorPage);
    // Settings of the host apply to a response without a route, and blankie sets its policy if the type is unknown.
    response.headers['cache-control'] ??= 'no-cache';
    response.headers['content-type'] ??= 'application/json; charset=utf-8';
    const refused = withStandardHeaders(request, response);
    record?.(request, refused);
    return discardRest(request)?.then(() => refused) ?? refused;
  });
}

/** Whether hapi refused the request for its path. */
function isUndecodable({ response, path }: Request): boolean {
  if (response instanceof Error && response.output.statusCode === 400) return true;
  try {
    return decodeURIComponent(path) === undefined;
  } catch {
    return true;
  }
}

/** Routes such as `/console/{page*}`, whose error page also answers paths below them that cannot be decoded. */
const treesOfPages = ({ areas }: Pick<AreasOfServer, 'areas'>) =>
  areas.flatMap(({ routes }) =>
    routes.flatMap(({ path, errorPage }) =>
      errorPage && path.endsWith('*}') ? [{ root: path.replace(/\/\{\w+\*\}$/, ''), errorPage }] : [],
    ),
  );

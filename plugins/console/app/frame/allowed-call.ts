import { fits } from '../data/operator.js';

/** Whether a page that lists these calls may make this one. `{…}` in a listed path is one segment. */
export function isAllowed(calls: readonly string[], method: string, path: string): boolean {
  const [pathname = ''] = path.split(/[?#]/);
  // Servers decode segments before they find the route: an encoded slash or dot could lead to another one.
  if (pathname.split('/').some((segment) => /^\.{1,2}$/.test(segment) || /%(2e|2f|5c)|\\/i.test(segment))) return false;
  return calls.some((call) => {
    const [allowed, pattern = ''] = call.split(' ');
    return allowed === method && fits(pattern, pathname);
  });
}

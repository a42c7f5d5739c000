/**
 * Defines the globals of a skill: `http`, `secret`, `console`, and a `Date` and a `Math.random` that are the same in every
 * repetition. Runs inside the interpreter before the skill, and deletes `__host` so that the skill cannot use it.
 */
export const PRELUDE = `(() => {
  const { call, log, now, seed, marker } = globalThis.__host;
  delete globalThis.__host;
  const { parse, stringify } = JSON;
  const Clock = Date;
  globalThis.Date = class Date extends Clock {
    constructor(...parts) { parts.length === 0 ? super(now) : super(...parts); }
    static now() { return now; }
  };
  let state = seed;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const texts = (map) => Object.fromEntries(Object.entries(map ?? {}).map(([name, value]) => [name, String(value)]));
  const request = ({ method = 'GET', url, headers, query, body, json }) => {
    const written = stringify(json);
    const sent = written === undefined ? headers : { 'content-type': 'application/json', ...headers };
    const content = written ?? (body === undefined || body === null ? null : String(body));
    const asked = { method: String(method).toUpperCase(), url: String(url), headers: texts(sent), query: texts(query), body: content };
    return parse(call(stringify(asked)));
  };
  const verb = (method) => (url, options = {}) => request({ ...options, method, url });
  globalThis.http = Object.freeze({ request, get: verb('GET'), post: verb('POST'), put: verb('PUT'), patch: verb('PATCH'), delete: verb('DELETE') });
  globalThis.secret = (name) => '{{secret:' + marker + ':' + String(name) + '}}';
  const print = (...things) => log(things.map((thing) => (typeof thing === 'string' ? thing : stringify(thing))).join(' '));
  globalThis.console = Object.freeze({ log: print, info: print, warn: print, error: print, debug: print });
})()`;

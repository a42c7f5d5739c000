import { type Check, expect } from '../check.js';
import { headerOf } from '../exchange.js';
import { type Api, calls } from './api.js';

const AUTH = 'Authentication, 1';
const UNKNOWN_TOKEN = 'posthorn-conformance-not-a-token';

/** The checks of tokens and of calls that no route serves. */
export const accessChecks: readonly Check<Api>[] = [
  calls({
    id: 'A-01',
    section: AUTH,
    title: 'accepts a bearer token',
    fix: 'Check the base URL, which has no /v1, and that the token belongs to a number of the messaging network.',
    call: () => ({ method: 'GET', path: '/v1/flows' }),
    status: [2],
  }),
  calls({
    id: 'A-02',
    section: AUTH,
    title: 'refuses calls without a token',
    needs: ['A-01'],
    fix: 'Respond 401 to calls of /v1 without the header Authorization.',
    call: () => ({ method: 'GET', path: '/v1/flows', token: null }),
    status: [401, 403],
  }),
  calls({
    id: 'A-03',
    section: AUTH,
    title: 'refuses unknown tokens',
    needs: ['A-01'],
    fix: 'Respond 401 to calls with a token that was not issued, is revoked or has expired.',
    call: () => ({ method: 'GET', path: '/v1/flows', token: UNKNOWN_TOKEN }),
    status: [401, 403],
  }),
  {
    id: 'A-04',
    level: 'SHOULD',
    section: AUTH,
    title: 'refuses calls with a JSON body',
    sends: 'a call with an unknown token',
    needs: ['A-03'],
    fix: 'Respond to refused calls with an errors array as JSON: clients parse every body.',
    async run(api) {
      const exchange = await api.call({ method: 'GET', path: '/v1/flows', token: UNKNOWN_TOKEN });
      const type = headerOf(exchange, 'content-type') ?? 'none';
      expect(/json/.test(type) && (exchange.response?.body.length ?? 0) > 1, 'a JSON body', `the content type ${type}`);
    },
  },
  calls({
    id: 'A-05',
    level: 'SHOULD',
    section: 'Errors',
    title: 'responds 404 with JSON to unknown paths',
    needs: ['A-01'],
    fix: 'Respond 404 with a JSON body to paths that do not exist: clients parse every body.',
    call: () => ({ method: 'GET', path: '/v1/posthorn-conformance' }),
    status: [404],
    body: 'a JSON object',
    is: (json) => Object.keys(json).length > 0,
  }),
  calls({
    id: 'A-06',
    level: 'SHOULD',
    section: 'Errors',
    title: 'responds 400 to a body that is not JSON',
    needs: ['A-01'],
    fix: 'Respond 400 when a body cannot be parsed, not 5XX.',
    call: () => ({ path: '/v1/messages', body: '{"to": ' }),
    status: [400, 422],
  }),
];

import { type Check, expect } from './check.js';
import { type Exchange, gotOf, isSuccess } from './exchange.js';
import { type SignedEndpoint, signatureOf, statusOf } from './signed.js';

const SECTION = 'Authentication, 5';
const MADE_UP = Buffer.alloc(32, 7).toString('base64');
const NOT_PARSED_FIRST = 'Compute the HMAC over the bytes of the body as they arrived, before any JSON parser reads them.';

const accepts = (exchange: Exchange, what: string): void => expect(isSuccess(exchange), `a 2XX response to ${what}`, () => gotOf(exchange));
const refuses = (exchange: Exchange, what: string): void =>
  expect(exchange.response !== undefined && !isSuccess(exchange), `a 4XX response to ${what}`, () => gotOf(exchange));

/** The JSON text with one more field at its end. */
const withField = (json: string, field: string): string => `${json.slice(0, -1)},${field}}`;

/** The same JSON as another serializer writes it: with escapes and white space. */
const rewritten = (json: string): string =>
  JSON.stringify(JSON.parse(json), null, 2)
    .replaceAll('/', '\\/')
    .replace(/[aeiou]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);

type NewCheck = Omit<Check<SignedEndpoint>, 'id'>;

/** The checks of signatures, the same for every endpoint. `implies` has positions in this list. */
const checks: readonly (Omit<NewCheck, 'implies'> & { readonly impliesAt?: readonly number[] })[] = [
  {
    level: 'MUST',
    section: SECTION,
    title: 'refuses a request without a signature',
    sends: 'a valid body without the signature header',
    fix: 'Respond 401 when the signature header is missing; otherwise any client on the internet can post to you.',
    run: async (subject) => refuses(await subject.post(subject.sample('Unsigned'), { signature: null }), 'a request without a signature'),
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'refuses a made-up signature',
    sends: 'a valid body with 32 made-up bytes in base64 as signature',
    impliesAt: [3, 4],
    fix: 'Compare the header with the HMAC that you compute, and respond 401 if they differ.',
    run: async (subject) => refuses(await subject.post(subject.sample('Made up'), { signature: MADE_UP }), 'a made-up signature'),
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'refuses the signature in hex',
    sends: 'a valid body with the right HMAC, written in hex',
    fix: 'Accept base64 only: the platform never sends hex, so a check that takes both is wider than needed.',
    async run(subject) {
      const body = subject.sample('In hex');
      const hex = Buffer.from(signatureOf(subject.secret, body), 'base64').toString('hex');
      refuses(await subject.post(body, { signature: hex }), 'a signature in hex');
    },
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'refuses a signature by another secret',
    sends: 'a valid body, signed with another secret',
    fix: 'Verify with the hmac_secret of this webhook only, and remove default secrets and those of other environments.',
    async run(subject) {
      const body = subject.sample('Another secret');
      refuses(await subject.post(body, { signature: signatureOf(`not-${subject.secret}`, body) }), 'a signature by another secret');
    },
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'refuses the signature of another body',
    sends: 'a valid body, and then another one with the signature of the first',
    fix: 'Compute the HMAC of each body again. Never accept a signature because it was valid before.',
    async run(subject) {
      const signed = subject.sample('Pay 10');
      accepts(await subject.post(signed), 'the signed body');
      const changed = await subject.post(subject.sample('Pay 90'), { signature: signatureOf(subject.secret, signed) });
      refuses(changed, 'a body with the signature of another one');
    },
  },
  {
    level: 'SHOULD',
    section: 'Limits, webhook timing and retries, 3',
    title: 'refuses wrong signatures with 4XX',
    sends: 'a valid body with a malformed signature',
    fix: 'Respond 401, 400 or 403: the platform cancels the retries of a 4XX, but repeats a 5XX.',
    async run(subject) {
      const exchange = await subject.post(subject.sample('Malformed'), { signature: 'no signature' });
      const status = statusOf(exchange);
      expect(status >= 400 && status < 500, 'a 4XX response to a malformed signature', () => gotOf(exchange));
    },
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'accepts raw Unicode',
    sends: 'a signed body with letters and emoji as UTF-8',
    fix: `${NOT_PARSED_FIRST} Read the body as bytes, not as Latin-1 or ASCII text.`,
    run: async (subject) => accepts(await subject.post(subject.sample('Čau 👋🏽 مرحبا')), 'a signed body with raw Unicode'),
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'accepts a body that another serializer wrote',
    sends: 'a signed body with escaped slashes and letters, and with line breaks',
    impliesAt: [8],
    fix: `${NOT_PARSED_FIRST} JSON that is parsed and serialized again has other bytes.`,
    run: async (subject) =>
      accepts(await subject.post(rewritten(subject.sample('Rewritten'))), 'a signed body with escapes and line breaks'),
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'accepts large and fractional numbers',
    sends: 'a signed body with the numbers 12345678901234567890 and 1.0',
    fix: `${NOT_PARSED_FIRST} Parsers that read numbers as 64-bit floats change large integers.`,
    async run(subject) {
      const body = withField(subject.sample('Numbers'), '"numbers":{"large":12345678901234567890,"fraction":1.0}');
      accepts(await subject.post(body), 'a signed body with large numbers');
    },
  },
  {
    level: 'MUST',
    section: SECTION,
    title: 'accepts header names in any letters',
    sends: 'a signed body whose header names are in lower case',
    fix: 'Look up header names without regard to capital letters: HTTP does not distinguish them, and proxies change them.',
    run: async (subject) => accepts(await subject.post(subject.sample('Lower case'), { isLowerCase: true }), 'lower-case header names'),
  },
];

/** @param ids of the checks, in the order of the list above; @param needs ids that must pass first */
export const signatureChecks = (ids: readonly string[], needs: readonly string[]): Check<SignedEndpoint>[] =>
  checks.map(({ impliesAt, ...check }, at) => ({
    ...check,
    id: ids[at]!,
    needs,
    ...(impliesAt && { implies: impliesAt.map((other) => ids[other]!) }),
  }));

/** The checks of response times, the same for every endpoint that receives deliveries. @param ids of three checks */
export const timingChecks = ([inTime, low, high]: readonly [string, string, string], needs: readonly string[]): Check<SignedEndpoint>[] => {
  const section = 'Limits, webhook timing and retries';
  const sends = 'three signed deliveries, one after the other';
  const slowest = async (subject: SignedEndpoint): Promise<{ ms: number; got: string }> => {
    let ms = 0;
    let got = '';
    for (const _ of [1, 2, 3]) {
      const exchange = await subject.post(subject.sample('How long does a response take?'));
      const elapsed = exchange.response ? exchange.ms : Number.POSITIVE_INFINITY;
      if (elapsed >= ms) [ms, got] = [elapsed, exchange.response ? `a response after ${exchange.ms} ms` : gotOf(exchange)];
    }
    return { ms, got };
  };
  const within = (id: string, level: Check<never>['level'], limitOf: (subject: SignedEndpoint) => number, about: object) => ({
    id,
    level,
    section,
    sends,
    needs,
    async run(subject: SignedEndpoint) {
      const { ms, got } = await slowest(subject);
      const limit = limitOf(subject);
      expect(ms <= limit, `every response within ${limit} ms`, got);
    },
    ...about,
  });
  return [
    within(inTime, 'MUST', ({ answerMs }) => answerMs, {
      title: 'responds within five seconds',
      implies: [low, high],
      fix: 'Respond first and work afterwards: after five seconds the platform retries, and the message may arrive twice.',
    }),
    within(low, 'SHOULD', ({ lanesMs }) => lanesMs.default, {
      title: 'responds within one second',
      implies: [high],
      fix: 'Responses of a second or more move your deliveries to the queue of low priority. Respond before any slow work.',
    }),
    within(high, 'INFO', ({ lanesMs }) => lanesMs.high, {
      title: 'responds within 200 ms',
      fix: 'Responses within 200 ms keep your deliveries in the queue of high priority.',
    }),
  ] as Check<SignedEndpoint>[];
};

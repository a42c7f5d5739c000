import t from 'tap';
import { type AttemptResult, classify, judge, type RetrySwitch } from '../../../core/delivery/retry.js';
import { expiry, defaultRetryPolicy as policy, retryAt, retryDue, retryPolicyWith } from '../../../core/delivery/retry-policy.js';
import type { HttpOutcome } from '../../../core/ports/http-client.js';

const seconds = (ms: number): number => Math.round(ms) / 1000;
const response = (status: number): HttpOutcome => ({
  kind: 'response',
  status,
  headers: {},
  body: new Uint8Array(),
  cut: false,
  elapsedMs: 5,
});
const unreachable = (code: string, permanent = false): HttpOutcome => ({
  kind: 'unreachable',
  permanent,
  code,
  reason: `because of ${code}`,
  elapsedMs: 5,
});

t.test('retries are due about 17, 36, 60, 91 and 138 seconds after the first failure', async (t) => {
  const vectors: [random: number, due: number[]][] = [
    [0, [15.3, 34.1, 57.6, 87.9, 133.3]],
    [0.5, [16.49, 35.43, 59.28, 90.07, 136.59]],
    [10 / 14, [17, 36, 60, 91, 138]],
    [0.999999, [17.68, 36.76, 60.96, 92.24, 139.88]],
  ];
  for (const [random, due] of vectors) {
    t.strictSame(
      [1, 2, 3, 4, 5].map((n) => seconds(retryDue(policy, n, 0, random))),
      due,
      `random ${random}`,
    );
    t.equal(seconds(retryDue(policy, 1, 1_000_000, random) - 1_000_000), due[0], 'measured from the first failure');
  }
});

t.test('whatever the jitter, the last retry is inside the window and two attempts never overlap', async (t) => {
  const dues = [0, 0.999_999_999].map((random) => [1, 2, 3, 4, 5].map((n) => retryDue(policy, n, 0, random)));
  const [soonest, latest] = dues as [number[], number[]];
  t.ok(latest[4]! < policy.windowMs);
  t.ok(soonest[4]! >= 133_300);
  for (let n = 1; n < 5; n++) t.ok(soonest[n]! - latest[n - 1]! > policy.deadlineMs, `retry ${n + 1} is due after retry ${n} has ended`);
});

t.test('classify maps each outcome to delivered, cancel or retry by the table of the interface', async (t) => {
  const cases: [outcome: HttpOutcome, kind: AttemptResult['kind'], status: number, reason?: string, error?: RegExp][] = [
    [response(200), 'delivered', 200],
    [response(201), 'delivered', 201],
    [response(204), 'delivered', 204],
    [response(299), 'delivered', 299],
    [response(301), 'retry', 301, 'http_301', /redirects are not followed/],
    [response(304), 'retry', 304, 'http_304'],
    [response(307), 'retry', 307, 'http_307'],
    ...[400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 451, 499].map((status): [HttpOutcome, 'cancel', number, string, RegExp] => [
      response(status),
      'cancel',
      status,
      'http_4xx',
      new RegExp(`answered ${status}`),
    ]),
    [response(500), 'retry', 500, 'http_500', /answered 500$/],
    [response(501), 'retry', 501, 'http_501'],
    [response(502), 'cancel', 502, 'http_502', /ends retries/],
    [response(503), 'retry', 503, 'http_503'],
    [response(504), 'retry', 504, 'http_504'],
    [response(599), 'retry', 599, 'http_599'],
    [{ kind: 'timeout', elapsedMs: 5000 }, 'retry', 504, 'timeout', /within 5 seconds/],
    [unreachable('ENOTFOUND', true), 'cancel', 502, 'dns_not_found', /because of ENOTFOUND/],
    [unreachable('ENODATA', true), 'cancel', 502, 'dns_not_found'],
    ...['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'UND_ERR_SOCKET', 'BAD_RESPONSE'].map(
      (code): [HttpOutcome, 'retry', number, string, RegExp] => [unreachable(code), 'retry', 504, 'network_error', new RegExp(code)],
    ),
    [unreachable('TLS'), 'retry', 504, 'tls', /because of TLS/],
    [unreachable('BLOCKED_ADDRESS', true), 'cancel', 0, 'blocked_address'],
    [unreachable('BAD_URL', true), 'cancel', 0, 'bad_url'],
    [unreachable('BAD_REQUEST', true), 'cancel', 0, 'bad_request'],
  ];
  for (const [outcome, kind, status, reason, error] of cases) {
    const what = outcome.kind === 'response' ? String(status) : outcome.kind === 'unreachable' ? outcome.code : outcome.kind;
    t.match(classify(outcome, policy), { kind, status, ...(reason && { reason }), ...(error && { error }) }, what);
  }
});

t.test('each outcome that an operator chooses to retry is retried, and no other', async (t) => {
  const outcomes: [RetrySwitch, HttpOutcome][] = [
    ['http_408', response(408)],
    ['http_429', response(429)],
    ['http_502', response(502)],
    ['unknown_host', unreachable('ENOTFOUND', true)],
  ];
  for (const [name] of outcomes) {
    for (const [other, outcome] of outcomes) {
      t.match(classify(outcome, policy, []), { kind: 'cancel' }, `${other} by default`);
      t.match(classify(outcome, policy, [name]), { kind: name === other ? 'retry' : 'cancel' }, `${other} with ${name}`);
    }
    t.match(classify(response(400), policy, [name]), { kind: 'cancel' });
    t.match(classify(unreachable('BLOCKED_ADDRESS', true), policy, [name]), { kind: 'cancel', reason: 'blocked_address' });
  }
});

t.test('judge decides between delivered, cancelled, dropped and a retry', async (t) => {
  const failed: AttemptResult = { kind: 'retry', status: 500, reason: 'http_500', error: 'x' };
  const random = 10 / 14;
  const cases: [
    what: string,
    result: AttemptResult,
    about: { attempts: number; calls?: number; firstFailedAt: number | undefined; now: number },
    verdict: object,
  ][] = [
    ['it was delivered', { kind: 'delivered', status: 200 }, { attempts: 0, firstFailedAt: undefined, now: 0 }, { kind: 'delivered' }],
    [
      'delivered at the last try',
      { kind: 'delivered', status: 200 },
      { attempts: 5, firstFailedAt: 0, now: 138_000 },
      { kind: 'delivered' },
    ],
    [
      'trying again is pointless',
      { kind: 'cancel', status: 404, reason: 'http_4xx', error: 'x' },
      { attempts: 0, firstFailedAt: undefined, now: 0 },
      { kind: 'cancelled', reason: 'http_4xx' },
    ],
    [
      'the first failure',
      failed,
      { attempts: 0, firstFailedAt: undefined, now: 1000 },
      { kind: 'retry', firstFailedAt: 1000, dueAt: 18_000 },
    ],
    ['the second', failed, { attempts: 1, firstFailedAt: 1000, now: 23_000 }, { kind: 'retry', firstFailedAt: 1000, dueAt: 37_000 }],
    ['the fifth', failed, { attempts: 4, firstFailedAt: 0, now: 96_000 }, { kind: 'retry', dueAt: 138_000 }],
    ['the sixth is the last', failed, { attempts: 5, firstFailedAt: 0, now: 138_000 }, { kind: 'dropped', reason: 'exhausted' }],
    ['calls that led to a next one are no failures', failed, { attempts: 6, calls: 2, firstFailedAt: 0, now: 96_000 }, { kind: 'retry' }],
    ['another call follows', { kind: 'next', status: 200 }, { attempts: 99, calls: 99, firstFailedAt: 0, now: 1 }, { kind: 'next' }],
    [
      'calls without an end',
      { kind: 'next', status: 200 },
      { attempts: 100, calls: 100, firstFailedAt: 0, now: 1 },
      { kind: 'cancelled', reason: 'too_many_calls' },
    ],
    ['the process was late', failed, { attempts: 1, firstFailedAt: 0, now: 100_000 }, { kind: 'retry', dueAt: 105_000 }],
    ['140 seconds are over', failed, { attempts: 2, firstFailedAt: 0, now: 140_001 }, { kind: 'dropped', reason: 'expired' }],
  ];
  for (const [what, result, about, verdict] of cases) t.match(judge(policy, result, { ...about, random }), verdict, what);
});

t.test('a retry has 140 seconds to join the queue, and 30 more to wait in it; a first attempt has no limit', async (t) => {
  const cases: [firstFailedAt: number | undefined, promotedAt: number, now: number, expiry: string | undefined][] = [
    [undefined, 0, 1e9, undefined],
    [0, 140_000, 140_000, undefined],
    [0, 140_001, 140_001, 'expired'],
    [0, 138_000, 170_000, undefined],
    [0, 138_000, 170_001, 'expired_in_queue'],
    [3_600_000, 0, 0, undefined],
  ];
  for (const [firstFailedAt, promotedAt, now, expected] of cases) {
    t.equal(expiry(policy, { firstFailedAt, promotedAt, now }), expected, `${firstFailedAt} ${promotedAt} ${now}`);
  }
});

t.test('however the wall clock is set, no retry is due later than the retry policy allows, nor sooner than the minimum gap', async (t) => {
  for (let n = 1; n <= 5; n++) {
    for (const random of [0, 0.5, 0.999]) {
      for (const before of [0, 0.999]) {
        const onTime = n === 1 ? 0 : retryDue(policy, n - 1, 0, before);
        t.equal(retryAt(policy, n, 0, random, onTime), retryDue(policy, n, 0, random), 'a clock that is not set changes nothing');
      }
      for (const now of [-86_400_000, -3_600_000, -60_000, 0, 60_000, 200_000]) {
        const wait = retryAt(policy, n, 0, random, now) - now;
        t.ok(wait >= policy.minGapMs, `retry ${n} at ${now}: ${wait}`);
        t.ok(wait <= policy.gapsMs[n - 1]! * 1.04 + (policy.gapsMs[n - 2] ?? 0) * 0.1, `retry ${n} at ${now}: ${wait}`);
        if (now <= -3_600_000) t.ok(wait <= policy.gapsMs[n - 1]! * 1.04, `retry ${n} at ${now}: ${wait}`);
      }
    }
  }
});

t.test('other delivery times can be chosen, unless the last retry could be due after the window', async (t) => {
  t.match(retryPolicyWith({ gapsMs: [10, 20], windowMs: 100 }), { gapsMs: [10, 20], deadlineMs: 5000 });
  t.throws(() => retryPolicyWith({ windowMs: 139_000 }), /the last retry could be due 139880 ms after the first failure/);
  t.throws(() => retryPolicyWith({ jitter: { shortest: 0, span: 0.1 } }), /window ends after 140000 ms/);
  t.doesNotThrow(() => retryPolicyWith({ gapsMs: [] }));
});

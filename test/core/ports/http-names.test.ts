import t from 'tap';
import { clientOf, post } from './http-under-test.js';

t.test('names that no host can have are permanent failures in plain words, without a look-up', async (t) => {
  const asked: string[] = [];
  const client = clientOf(t, {
    async lookup(host) {
      asked.push(host);
      throw Object.assign(new Error('queryA EBADNAME'), { code: 'EBADNAME' });
    },
  });
  const long = 'a'.repeat(64);
  const reasons: Record<string, string> = {
    'localhost.': 'the host localhost. does not exist; write localhost, without the dot at its end',
    'api.localhost.': 'the host api.localhost. does not exist; write api.localhost, without the dot at its end',
    'connector..test': 'the host name connector..test has two dots in a row, or begins with one',
    '.connector.test': 'the host name .connector.test has two dots in a row, or begins with one',
    'connector.test..': 'the host name connector.test.. has two dots in a row, or begins with one',
    '.': 'the host name . has two dots in a row, or begins with one',
    [`${long}.test`]: 'a part of the host name is longer than 63 characters',
    [`${'ä'.repeat(60)}.test`]: 'a part of the host name is longer than 63 characters',
    [`${'a.'.repeat(127)}test`]: 'the host name is longer than 253 characters',
  };
  for (const [host, reason] of Object.entries(reasons)) {
    const outcome = await client.send({ ...post, url: `http://${host}:1/` });
    t.match(outcome, { kind: 'unreachable', permanent: true, code: 'ENOTFOUND' }, host);
    t.equal(outcome.kind === 'unreachable' && outcome.reason, reason);
  }
  t.strictSame(asked, []);
  // A resolver may know of other reasons.
  t.match(await client.send({ ...post, url: 'http://a_b.test/' }), { permanent: true, reason: 'the host a_b.test does not exist' });
  t.match(await client.send({ ...post, url: 'http://xn--a/' }), { permanent: true, code: 'BAD_URL', reason: 'the URL is not valid' });
  t.match(await client.send({ ...post, url: `http://${'a'.repeat(63)}.test./` }), { reason: /does not exist$/ });
});

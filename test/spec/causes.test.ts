import { readFileSync } from 'node:fs';
import t from 'tap';
import { causesByPlugin } from '../../scripts/docs/causes.js';
import { thrownCodes } from '../../scripts/docs/codes.js';
import { onOwnPlatforms } from '../causes/on-own-platforms.js';
import { onPlatform } from '../causes/on-platform.js';
import { onSandbox } from '../causes/on-sandboxes.js';

/** Causes that another test provokes over HTTP, and checks. */
const elsewhere: Readonly<Record<string, string>> = {
  bad_rewrite: 'test/core/messaging/message-hooks.test.ts',
  owner_lost: 'test/plugins/cluster/frozen-owner.test.ts',
  owner_missing: 'test/plugins/cluster/frozen-owner.test.ts',
  real_clock: 'test/causes/on-sandboxes.test.ts',
  body_too_slow: 'test/core/kernel/http/bodies.test.ts',
  too_many_parts: 'test/plugins/cloud-api/large-calls.test.ts',
  too_many_streams: 'test/core/kernel/observe/event-stream.test.ts',
  several_processes: 'test/plugins/cluster/routing.test.ts',
  standby: 'test/plugins/cluster/postgres/standby.test.ts',
  no_other_process: 'test/plugins/cluster/cluster-command.test.ts',
  process_not_found: 'test/plugins/cluster/cluster-command.test.ts',
  shard_not_found: 'test/plugins/cluster/cluster-command.test.ts',
  state_not_replaced: 'test/sandbox/settings.test.ts',
  no_platform: 'test/sandbox/settings.test.ts',
};

/** Causes that no test provokes over HTTP, and why. */
const unprovoked: Readonly<Record<string, string>> = {
  body_removed: 'the body of a delivery is removed only together with its webhook, which is another cause',
  client_gone: 'only a client that has disconnected gets this response, so none reads it; logs have it',
  contact_without_id: 'the ids of both contacts would have to pass to a third person between merge and split',
  mcp_sdk_missing: 'the package is installed here',
  state_is_replaced: 'other calls wait while a state is replaced',
  waiting_full: 'needs 10,000 calls that wait at the same time, each with its connection',
};

t.test('every cause is provoked by a call, or listed with the reason why not', async (t) => {
  const declared = (await causesByPlugin()).flatMap(([, causes]) => Object.keys(causes));
  t.strictSame(declared.length, new Set(declared).size, 'a cause is declared once');
  const provoked = [onPlatform, onOwnPlatforms, onSandbox, elsewhere].flatMap((calls) => Object.keys(calls));
  t.strictSame([...new Set([...provoked, ...Object.keys(unprovoked)])].sort(), declared.toSorted());
  for (const cause of Object.keys(unprovoked)) t.notOk(provoked.includes(cause), `${cause} is not listed in vain`);
  for (const [cause, file] of Object.entries(elsewhere)) t.match(readFileSync(file, 'utf8'), `'${cause}'`, `${file} checks ${cause}`);
  t.comment(
    `not provoked: ${Object.entries(unprovoked)
      .map(([cause, why]) => `${cause} (${why})`)
      .join('; ')}`,
  );
});

t.test('every code that is thrown has a row in a table of causes', async (t) => {
  const declared = new Set((await causesByPlugin()).flatMap(([, causes]) => Object.keys(causes)));
  // A name of the interface for invalid requests: the cause of the response is another.
  declared.add('missing_parameters');
  for (const [code, files] of thrownCodes()) t.ok(declared.has(code), `${code}, thrown in ${[...files].join(', ')}`);
});

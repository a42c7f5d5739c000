import { readFileSync } from 'node:fs';
import t from 'tap';
import { nameOf } from '../../core/kernel/plugins/order.js';
import { causesByPlugin } from '../../scripts/docs/causes.js';
import { everything } from '../../scripts/docs/everything.js';
import { codesIn, type ThrownCode, thrownCodes } from '../../scripts/docs/thrown-codes.js';
import { onOwnPlatforms } from '../causes/on-own-platforms.js';
import { onPlatform } from '../causes/on-platform.js';
import { onSandbox } from '../causes/on-sandboxes.js';

/** Causes that another test provokes over HTTP, and checks. */
const elsewhere: Readonly<Record<string, string>> = {
  connection_refused: 'test/core/messaging/connections.test.ts',
  service_unreachable: 'test/core/messaging/connections.test.ts',
  other_address: 'test/core/messaging/connections.test.ts',
  email_library_missing: 'test/plugins/email/libraries.test.ts',
  telegram_secret_wrong: 'test/plugins/telegram/receiving.test.ts',
  webchat_identity_required: 'test/plugins/webchat/people.test.ts',
  webchat_identity_wrong: 'test/plugins/webchat/people.test.ts',
  webchat_no_identity: 'test/plugins/webchat/people.test.ts',
  webchat_session_unknown: 'test/plugins/webchat/people.test.ts',
  webchat_too_many_streams: 'test/plugins/webchat/people.test.ts',
  webchat_not_found: 'test/plugins/webchat/people.test.ts',
  webchat_client_id_taken: 'test/plugins/webchat/visiting.test.ts',
  webchat_option_unknown: 'test/plugins/webchat/visiting.test.ts',
  webchat_file_refused: 'test/plugins/webchat/files.test.ts',
  webchat_file_unknown: 'test/plugins/webchat/files.test.ts',
  webchat_upload_off: 'test/plugins/webchat/files.test.ts',
  browser_file_missing: 'test/plugins/webchat/page.test.ts',
  form_expired: 'test/plugins/sms/links.test.ts',
  form_used: 'test/plugins/sms/links.test.ts',
  media_link_expired: 'test/plugins/sms/links.test.ts',
  media_link_not_found: 'test/plugins/sms/links.test.ts',
  legal_hold: 'test/core/delivery/contact-erasure.test.ts',
  key_not_found: 'test/core/admin/keys.test.ts',
  operators_unavailable: 'test/core/kernel/http/operators.test.ts',
  permission_missing: 'test/core/kernel/http/permissions.test.ts',
  erasure_not_found: 'test/core/delivery/contact-erasure.test.ts',
  bad_rewrite: 'test/core/messaging/message-hooks.test.ts',
  document_damaged: 'test/core/messaging/cold-messages.test.ts',
  owner_lost: 'test/plugins/cluster/frozen-owner.test.ts',
  owner_missing: 'test/plugins/cluster/frozen-owner.test.ts',
  real_clock: 'test/causes/on-sandboxes.test.ts',
  body_too_slow: 'test/core/kernel/http/bodies.test.ts',
  too_many_parts: 'test/plugins/cloud-api/large-calls.test.ts',
  too_many_streams: 'test/core/kernel/observe/event-stream.test.ts',
  several_processes: 'test/plugins/cluster/routing.test.ts',
  sms_signature_wrong: 'test/plugins/sms/receiving.test.ts',
  standby: 'test/plugins/cluster/postgres/standby.test.ts',
  no_other_process: 'test/plugins/cluster/cluster-command.test.ts',
  process_not_found: 'test/plugins/cluster/cluster-command.test.ts',
  shard_not_found: 'test/plugins/cluster/cluster-command.test.ts',
  state_not_replaced: 'test/sandbox/settings.test.ts',
  no_platform: 'test/sandbox/settings.test.ts',
};

/** Causes that no test provokes over HTTP, and why. */
const unprovoked: Readonly<Record<string, string>> = {
  body_not_reproducible:
    'a message goes together with its deliveries; test/core/delivery/settled-deliveries.test.ts changes one in the store',
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

t.test('every code that is thrown has a row in a table of causes that its thrower knows', async (t) => {
  const tables = await causesByPlugin();
  const { plugins } = await everything();
  const own = plugins.map(({ manifest }) => manifest);
  /** The core knows its own causes, a plugin those of what it needs too, and the sandbox those of all. */
  const isKnown = ({ file, code }: ThrownCode): boolean => {
    const folder = /^plugins\/([\w-]+)\//.exec(file)?.[1];
    const { needs = [], optional = [] } = own.find(({ name }) => name === folder) ?? {};
    const known = new Set(['core', folder, ...[...needs, ...optional].map(nameOf)]);
    return tables.some(([plugin, causes]) => (file.startsWith('sandbox/') || known.has(plugin)) && Object.hasOwn(causes, code!));
  };
  const thrown = thrownCodes(process.cwd()).filter((one) => !isKnown(one));
  t.strictSame(thrown, [
    // A record of any kind, as its route names it: `owned.webhook`.
    { file: 'core/kernel/http/account-scope.ts', code: undefined },
    // A name of the interface for invalid requests: the cause of the response is another.
    { file: 'plugins/flows/errors.ts', code: 'missing_parameters' },
  ]);
});

t.test('each way to throw a code is seen, and one that is computed is named', async (t) => {
  const ways: readonly [text: string, ...codes: (string | undefined)[]][] = [
    ["throw new PlatformError(\n  409, // (\n  'sold_out',\n  text(1, 2),\n);", 'sold_out'],
    ['throw new Conflict("sold_out", text)', 'sold_out'],
    ["throw new Conflict(isGone ? 'gone' : 'sold_out', text)", 'gone', 'sold_out'],
    ["throw new NotFound('code skill', uuid)", 'code_skill_not_found'],
    ["throw new NotFound(noun, uuid, 'skill_not_found')", 'skill_not_found'],
    ["new Unavailable('later', undefined, 'closed')", 'closed'],
    ["new Unavailable('later')", 'unavailable'],
    ["new NotReady('later')", 'not_running'],
    [
      "class SoldOut<T extends Book> extends Other {}\nclass Gone extends Conflict {\n  constructor() { super('gone', 'Gone'); }\n}",
      'gone',
    ],
    ["class Closed extends Unavailable {\n  override readonly code = 'closed';\n}", 'closed'],
    ['throw new PlatformError(409, code, text)', undefined],
    ['throw new Conflict(...reason)', undefined],
    ['throw new NotFound(noun, uuid)', undefined],
    ["// throw new Conflict('sold_out', text)"],
  ];
  for (const [text, ...codes] of ways)
    t.strictSame(
      codesIn({ path: 'core/bad.ts', text }).map(({ code }) => code),
      codes,
      text,
    );
});

import { recipeParts } from '../../scripts/docs/recipes/recipes.js';

const onPlugins = (sentence: string): string => `test/pages/plugins-page.test.ts > the plugin on the page on plugins ${sentence}`;
const here = (sentence: string): string => `test/pages/pages.test.ts > ${sentence}`;
const expressions = 'test/spec/docs.test.ts > every example of the page on expressions evaluates as shown';
const programs = 'test/plugins/journeys/engine/notebook/language.test.ts > every program of the page compiles and talks as the page shows';
const extending = 'test/plugins/journeys/extending.test.ts';
const alertsPage =
  'test/core/delivery/alerts.test.ts > the page on operations shows options that are accepted, and an alert as it is posted';
const dataFolder = 'test/core/adapters/store/data-folder-page.test.ts > the page on the data folder shows the files as they are written';
const channelTokenPage = here('a token created as on the page on channels sends the message shown');
const channelPage = here('bodies on the page on channels are accepted and sent as shown');
const simulationPage = here('the journey on the page replies to a simulation as the page on simulation shows');

const recovery =
  'test/plugins/cluster/postgres/recovery.test.ts > a server goes back to a point in time as printed, and the processes report what vanished';
const recipe = (sentence: string): string => `test/pages/recipes.test.ts > ${sentence}`;
const signOn = (sentence: string): string => `test/examples/sign-on.test.ts > ${sentence}`;
const signatureSample = recipe(`the sample in \${language} takes a signature of Posthorn, and refuses every other`);

const skillTest = 'test/iso/agent-install.test.ts > the skill has at most 150 lines, and all of its commands work';

/** The blocks of the recipes, from the run that prints them. */
const recipeBlocks = await Promise.all(
  recipeParts.map(async ({ file, print }) =>
    [...(await print()).blocks.keys()].map((name) => [
      `${file} json ${name}`,
      recipe('every body of the recipes runs on a platform, and the pages show what was sent and received'),
    ]),
  ),
);

/** The test that runs each code block, by page, language and name. Other tests check commands and diagrams. */
const journeyTests = 'test/sandbox/journey-tests/page.test.ts > the tests on the page pass with the journey on the page';

const webchatPage = (sentence: string): string => `test/plugins/webchat/page.test.ts > ${sentence}`;

export const testedBlocks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['ts options', 'html embed', 'http policy', 'ts visitor'].map((block) => [
      `plugins/webchat/README.md ${block}`,
      webchatPage('the options, the script tag, the policy and the visitor of the page work'),
    ]),
  ),
  ...Object.fromEntries(
    ['js calls', 'css theme'].map((block) => [
      `plugins/webchat/README.md ${block}`,
      'test/browser/webchat-uses.test.ts > the calls and the rules of the page do what it says',
    ]),
  ),
  ...Object.fromEntries(
    ['js jwt', 'py hash', 'php hash'].map((block) => [
      `plugins/webchat/README.md ${block}`,
      webchatPage('users are signed as on the page'),
    ]),
  ),
  ...Object.fromEntries(recipeBlocks.flat()),
  'sandbox/recipes/signatures.md ts signature.ts': signatureSample,
  'sandbox/recipes/signatures.md py signature.py': signatureSample,
  'sandbox/recipes/signatures.md go signature.go': signatureSample,
  'sandbox/recipes/signatures.md java Signature.java': signatureSample,
  'sandbox/recipes/signatures.md php signature.php': signatureSample,
  'sandbox/recipes/signatures.md rb signature.rb': signatureSample,
  'sandbox/recipes/plugins-and-events.md ts renewals.ts': recipe('clients of the plugin that throws receive what its page says'),
  'sandbox/recipes/plugins-and-events.md ts watch.ts': recipe('the plugin that listens receives typed events in code'),
  'README.md ts embed':
    'test/spec/readme.test.ts > the embedding sample, copied into a fresh folder, receives and sends a message with the calls of the page',
  'README.md ts console-channel': 'test/spec/readme.test.ts > the channel sample, in 45 lines, passes messages both ways',
  'plugins/cluster/postgres/README.md ts with-standby.ts':
    'test/plugins/cluster/postgres/standby.test.ts > a standby responds with 503 and Retry-After until it takes over; then it serves what the owner stored',
  'core/sign-on.md js cookie.mjs': signOn(
    'the session of a login form ends with the sign-out and after 8 hours, also for copies of its cookie',
  ),
  'core/sign-on.md js oidc.mjs': signOn('operators sign in at an OpenID Connect provider, once with each response'),
  'core/sign-on.md js proxy.mjs': signOn('the headers of a proxy count only with its secret'),
  'plugins/cluster/README.md ts cluster.ts':
    'test/plugins/cluster/example.test.ts > the cluster on the page serves the same numbers in two processes',
  'core/adapters/store/README.md json shop.people.json': dataFolder,
  'core/adapters/store/README.md json journal-000000000003.jsonl': dataFolder,
  'core/adapters/store/README.md json contents.json': dataFolder,
  'core/adapters/store/README.md json list of parts':
    'test/core/adapters/store/data-folder-page.test.ts > the page on the data folder shows a list of parts as snapshots have it',
  'core/adapters/store/README.md json row with a patch':
    'test/core/adapters/store/data-folder-page.test.ts > the page on the data folder shows a row with a patch as snapshots have it',
  'plugins/cluster/database.md ini archive settings': recovery,
  'plugins/cluster/database.md bash base backup': recovery,
  'plugins/cluster/database.md bash go back': recovery,
  'plugins/cluster/database.md bash replica after a recovery': recovery,
  'plugins/cluster/database.md yaml patroni.yml': `test/plugins/cluster/postgres/patroni.test.ts > a cluster on Patroni with the printed settings loses nothing when \${blow}, and serves again by itself`,
  'plugins/cluster/database.md bash pg_auto_failover settings':
    'test/plugins/cluster/postgres/auto-failover.test.ts > a cluster on pg_auto_failover with the printed settings loses nothing when the node of the primary is killed, and serves again by itself',
  'plugins/cluster/database.md bash dump to another server':
    'test/plugins/cluster/postgres/major-version.test.ts > a cluster moves to a server of a newer major version with the printed dump',
  'plugins/cluster/database.md bash pg_upgrade':
    'test/plugins/cluster/postgres/major-version.test.ts > pg_upgrade as printed makes a newer server of that of a cluster',
  'plugins/cluster/operations.md yaml compose.yaml':
    'test/plugins/cluster/deploy.test.ts > the compose file of the page on operations starts the example program, and all that it names exists',
  'plugins/cluster/operations.md service posthorn.service':
    'test/plugins/cluster/deploy.test.ts > the systemd unit of the page on operations starts the example program',
  'core/contract/README.md ts greetings': onPlugins('counts greetings'),
  'core/contract/README.md ts letters': onPlugins('adds a page to the console'),
  'core/contract/README.md ts night mail': onPlugins('has metrics, and the host creates its numbers'),
  'core/contract/README.md ts found letters': onPlugins('lets searches find letters'),
  'core/contract/README.md ts opening hours': onPlugins('explains what happened to a message'),
  'core/contract/README.md ts webhook subscription': onPlugins('adds a subscription and a field to webhooks'),
  'core/contract/README.md ts message hooks': onPlugins('changes and refuses messages in both directions'),
  'sandbox/conformance.md ts plugin checks':
    'test/conform/plugin-checks.test.ts > a plugin adds checks to the command, to runs of the sandbox and to tests, as on the page',
  'core/contract/README.md ts commands': onPlugins('adds commands'),
  'core/contract/README.md ts services': onPlugins('that needs another one uses its service'),
  'core/contract/README.md ts points': onPlugins('moves its records when contacts are merged'),
  'core/contract/README.md ts letterbox': onPlugins('receives signed calls of a service'),
  'core/contract/README.md ts telegraph': onPlugins('connects numbers to a service and receives'),
  'core/contract/README.md ts pager': onPlugins('sends deliveries with a sender of its own'),
  'core/delivery/README.md ts module signer':
    'test/core/delivery/signer.test.ts > the signer of the page on deliveries keeps the contract, and its platform starts',
  'core/delivery/README.md js two secrets': here('the signature checks on the page accept valid signatures and refuse others'),
  'plugins/journeys/README.md ts language.ts': `${extending} > a plugin adds a block, a function and a skill to notebooks and JSON`,
  'plugins/journeys/README.md ts weather.ts': `${extending} > a plugin adds a block, a function and a skill to notebooks and JSON`,
  'plugins/journeys/README.md ts endings': `${extending} > a plugin counts how sessions end, and is notified when they start`,
  'plugins/journeys/engine/README.md json journey': here('the journey on the page on journeys replies as shown, without lint findings'),
  'plugins/journeys/engine/README.md ts engine alone': here('the engine on the page on journeys runs a conversation without a platform'),
  'plugins/journeys/engine/README.md conversation': here('the journey on the page on journeys replies as shown, without lint findings'),
  ...Object.fromEntries(
    ['notebook', 'questions', 'choices', 'conditions', 'services'].map((name) => [
      `plugins/journeys/engine/notebook/README.md conversation ${name}`,
      programs,
    ]),
  ),
  'plugins/journeys/engine/notebook/README.md stack': programs,
  ...Object.fromEntries(
    ['questions', 'choices', 'conditions', 'services'].map((name) => [
      `plugins/journeys/engine/notebook/README.md stack ${name}`,
      programs,
    ]),
  ),
  'plugins/journeys/engine/notebook/README.md markdown':
    'test/plugins/journeys/engine/notebook/language.test.ts > the parameters of the page are read, and its first program has documentation',
  'sandbox/demo/library.md stack': 'test/sandbox/demo-journey.test.ts > the demo journey talks in English',
  'plugins/journeys/engine/expression/README.md json context': expressions,
  'plugins/journeys/engine/expression/README.md expression': expressions,
  'plugins/journeys/engine/skills/README.md js order skill': here(
    'the skill on the page on code skills requests an order and returns its state',
  ),
  'core/kernel/README.md json option alerts': alertsPage,
  'core/kernel/README.md json alert': alertsPage,
  'core/kernel/README.md json 409': 'test/core/messaging/numbers.test.ts > two numbers of a kind cannot have the same address',
  'core/kernel/README.md json line of the log':
    'test/core/adapters/log/lines.test.ts > a failed delivery is logged with its ids, as the page on operations shows',
  'core/kernel/README.md ts pino': 'test/core/adapters/log/pino.test.ts > the logger on the page on operations keeps the contract',
  'core/kernel/README.md ts traces': 'test/core/kernel/observe/page.test.ts > the platform of the page on operations is traced',
  'core/messaging/README.md ts numbers': here('the page on numbers creates a number and a valid token'),
  'plugins/channels/README.md json new channel': channelPage,
  'plugins/channels/README.md json new token': channelTokenPage,
  'plugins/channels/README.md json message': channelPage,
  'plugins/channels/README.md json send': channelTokenPage,
  'sandbox/README.md console session':
    'test/iso/sandbox-page.test.ts > the session on the page of the sandbox prints what the page shows, in every run',
  'core/testing/README.md ts pigeon-post.test.ts':
    'test/sandbox/plugin-command.test.ts > a new plugin is a package with a channel and a test that passes',
  'plugins/channels/README.md json delivery': channelPage,
  'plugins/channels/README.md json status': channelPage,
  'plugins/cloud-api/README.md json cloud.json': 'test/plugins/cloud-api/page.test.ts > the file on the page connects a number',
  'plugins/flows/README.md json form': here('the page on flows creates and publishes its form'),
  'plugins/flows/README.md js create a flow': here('the page on flows creates and publishes its form'),
  'plugins/network/README.md json policy': here('the policy on the page on the network is accepted'),
  'plugins/network/README.md json template': here('the template on the page on the network is accepted, and sent as shown'),
  'plugins/network/README.md json message with a template': here('the template on the page on the network is accepted, and sent as shown'),
  'plugins/simulation/README.md json mocks': simulationPage,
  'plugins/simulation/README.md json first request': simulationPage,
  'plugins/simulation/README.md json first answer': simulationPage,
  'plugins/simulation/README.md json second request': simulationPage,
  'plugins/simulation/README.md json second answer': simulationPage,
  'plugins/webhooks/README.md json inbound': here('the page on webhooks shows the bodies that are sent'),
  'plugins/webhooks/README.md json status': here('the page on webhooks shows the bodies that are sent'),
  'plugins/webhooks/README.md js verify': here('the signature checks on the page accept valid signatures and refuse others'),
  'plugins/webhooks/README.md py verify': here('the signature check in Python does the same'),
  'sandbox/journey-tests.md stack cafe.md': journeyTests,
  'sandbox/journey-tests.md yaml cafe.test.yaml': journeyTests,
  'sandbox/journey-tests.md yaml requests.test.yaml': journeyTests,
  'sandbox/journey-tests.md yaml agent.test.yaml': 'test/sandbox/journey-tests/page.test.ts > the agent on the page passes its test',
  'sandbox/journey-tests.md yaml tests.yml':
    'test/sandbox/journey-tests/page.test.ts > the command of the job on the page is accepted, and writes its report',
  ...Object.fromEntries(
    ['stack', 'stack.test', 'stack-tap.test', 'stack-vitest.test'].map((name) => [
      `sandbox/whole-stack.md ts ${name}.ts`,
      'test/sandbox/whole-stack.test.ts > the tests of the page pass in their runners, and fail with a wrong expectation',
    ]),
  ),
  'sandbox/recorded-tests.md yaml clinic.test.yaml':
    'test/sandbox/journey-tests/recorded-runs.test.ts > a first run records what it sends, and later runs send nothing',
  'plugins/email/README.md json number': 'test/plugins/email/sending.test.ts > the number on the page is connected',
  'plugins/sms/README.md json number': 'test/plugins/sms/sending.test.ts > the number on the page is connected',
  'sandbox/conformance.md json driver': 'test/conform/page.test.ts > the driver on the page gets each action that it shows',
  'sandbox/conformance.md yaml conform.yml': 'test/conform/page.test.ts > the job on the page checks a connector, and writes the summary',
  'sandbox/conformance.md ts conform.test.ts': `test/conform/page.test.ts > the checks run in \${name} as on the page`,
  'sandbox/conformance.md ts conform-tap.test.ts': `test/conform/page.test.ts > the checks run in \${name} as on the page`,
  'sandbox/agent/SKILL.md stack': skillTest,
  'sandbox/starters/project/menu.journey.md stack':
    'test/sandbox/init-command.test.ts > a new project has a valid journey, form and tests, which pass',
  'sandbox/README.md json mcp': 'test/iso/mcp-stdio.test.ts > an agent starts a sandbox, talks to it, and reads what followed',
  'sandbox/README.md json seed': here('the seed on the page on the sandbox is valid, and its sandbox has a manual clock'),
  'sandbox/README.md ts plugin seed':
    'test/sandbox/plugin-seeds.test.ts > the plugin on the page on the sandbox reads its part of a seed, all or nothing',
  'sandbox/README.md ts sandbox': here('the seed on the page on the sandbox is valid, and its sandbox has a manual clock'),
  'sandbox/examples/README.md ts embed-in-hapi.ts':
    'test/examples/embedding.test.ts > in a host application, its own authentication guards its routes, and tokens guard those of the platform',
  'sandbox/examples/README.md js node-handler.mjs':
    'test/examples/embedding.test.ts > the platform on the page is served by Fastify and by a server of node:http',
  'sandbox/examples/README.md ts embed-own-ports.ts':
    'test/examples/embedding.test.ts > the platform uses your own store, clock and logger',
  'sandbox/examples/README.md ts pigeon-post.ts':
    'test/sandbox/plugin-command.test.ts > a new plugin is a package with a channel and a test that passes',
  'sandbox/examples/README.md ts ratings.ts':
    'test/examples/embedding.test.ts > your own area receives ratings by route and by message, emits them, and averages them in a worker',
  'sandbox/examples/README.md ts remote-operator.ts':
    'test/examples/remote-operator.test.ts > an operator in another process, over HTTP, fulfils the contract of operators',
  'sandbox/examples/README.md ts two-platforms.ts': 'test/examples/embedding.test.ts > two platforms in one server are independent',
  'sandbox/examples/README.md js bundle.mjs':
    'test/examples/bundling.test.ts > a server that the script of the page bundled delivers with worker threads',
  'sandbox/examples/README.md py connector.py':
    'test/examples/embedding.test.ts > the connector in Python assigns ids to messages and reports their statuses',
};

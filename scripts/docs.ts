import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { deliveryOptionsSchema } from '../core/delivery/delivery-options.js';
import { platformOptionsSchema } from '../core/platform/options.js';
import { optionsSchema as emailOptions } from '../plugins/email/options.js';
import { optionsSchema as smsOptions } from '../plugins/sms/options.js';
import { optionsSchema as telegramOptions } from '../plugins/telegram/options.js';
import { optionsSchema as webchatOptions } from '../plugins/webchat/options.js';
import { insiderTable } from './check-imports.js';
import { historyTable } from './docs/benchmarks.js';
import { blockTable } from './docs/blocks.js';
import { causeTables } from './docs/causes.js';
import { emailTurnTable, smsTurnTable, telegramTurnTable } from './docs/channel-turns.js';
import { clientTable } from './docs/cloud-clients.js';
import { errorTable, lintTable, messageErrorTable } from './docs/codes.js';
import { commandTables } from './docs/commands.js';
import { conformanceParts } from './docs/conformance.js';
import { everything } from './docs/everything.js';
import { flowRuleTable, ruleSourceTable } from './docs/flow-rules.js';
import { functionTables } from './docs/functions.js';
import { glossaryList } from './docs/glossary.js';
import { installationParts } from './docs/installation.js';
import { journeysReference } from './docs/journeys-reference.js';
import { listenerTable } from './docs/listeners.js';
import { membersOf } from './docs/members.js';
import { needsTable } from './docs/needs.js';
import { notShownTables } from './docs/not-shown.js';
import { grammarFiles, itemTable, notebookCodeTable } from './docs/notebook.js';
import { optionTable } from './docs/options.js';
import { permissionTable } from './docs/permissions.js';
import { pluginReference } from './docs/plugin-reference.js';
import { eventTypeTable, thrownTable } from './docs/recipes/plugins.js';
import { recipeParts } from './docs/recipes/recipes.js';
import { referenceOf } from './docs/reference.js';
import { code, table } from './docs/table.js';
import { schemaFiles, testKeyTables } from './docs/test-schema.js';
import { mistakeList } from './docs/troubleshooting.js';
import { stageTable, walkTable } from './docs/walks.js';
import { webchatTurnTable } from './docs/webchat-turns.js';

export interface GeneratedPart {
  readonly file: string;
  /** The name in its opening mark: `<!-- generated: name -->`. The closing mark is `<!-- end -->`. */
  readonly name: string;
  readonly make: () => string | Promise<string>;
}

const reference = (file: string, area: string): GeneratedPart => ({ file, name: `reference of ${area}`, make: () => referenceOf(area) });

/** The options of a plugin, documented in an interface of its plugin.ts. */
const pluginOptions = (file: string, plugin: string, type: string): GeneratedPart => ({
  file,
  name: `options of ${plugin}`,
  async make() {
    const { plugins } = await everything();
    const { options } = plugins.find(({ manifest }) => manifest.name === plugin)!.manifest;
    if (!options) throw new Error(`the plugin ${plugin} takes no options`);
    return optionTable(options, `plugins/${plugin}/plugin.ts`, type);
  },
});

const members = (file: string, [source, name]: readonly [string, string]): GeneratedPart => ({
  file,
  name,
  make: () =>
    table(
      ['Key', 'Description'],
      membersOf(source, name).map((member) => [code(member.name), member.text]),
    ),
});

const example = (name: string, file: string): GeneratedPart => ({
  file: 'sandbox/examples/README.md',
  name,
  make: () => codeOf(`sandbox/examples/${file}`),
});

/** A file of the recipes, on one of their pages. */
const recipe = (page: string, name: string, file: string): GeneratedPart => ({
  file: `sandbox/recipes/${page}.md`,
  name,
  make: () => codeOf(`sandbox/recipes/${file}`),
});

export const generatedParts: readonly GeneratedPart[] = [
  ...installationParts,
  { file: 'core/README.md', name: 'stages of a message', make: () => stageTable('message') },
  { file: 'core/structure.md', name: 'plugins inside', make: insiderTable },
  { file: 'core/structure.md', name: 'listeners', make: listenerTable },
  { file: 'core/walks.md', name: 'walk of a message', make: () => walkTable('message') },
  { file: 'core/walks.md', name: 'walk of a simulation', make: () => walkTable('simulation') },
  { file: 'core/walks.md', name: 'walk of a refusal', make: () => walkTable('refusal') },
  { file: 'core/benchmarks.md', name: 'goals of speed', make: historyTable },
  { file: 'plugins/journeys/engine/expression/README.md', name: 'functions', make: functionTables },
  { file: 'plugins/journeys/engine/README.md', name: 'blocks', make: blockTable },
  { file: 'plugins/journeys/engine/README.md', name: 'lint', make: lintTable },
  { file: 'plugins/journeys/engine/notebook/README.md', name: 'items', make: itemTable },
  { file: 'plugins/journeys/engine/notebook/README.md', name: 'codes', make: notebookCodeTable },
  pluginOptions('plugins/journeys/engine/README.md', 'journeys', 'JourneysOptions'),
  reference('plugins/journeys/engine/README.md', 'journeys'),
  { file: 'plugins/journeys/reference.md', name: 'members for journeys', make: journeysReference },
  reference('core/messaging/README.md', 'core'),
  { file: 'core/contract/README.md', name: 'needs and offers', make: needsTable },
  members('core/contract/README.md', ['core/contract/plugin.ts', 'PluginManifest']),
  members('core/contract/README.md', ['core/contract/plugin.ts', 'Contributions']),
  members('core/contract/README.md', ['core/contract/context.ts', 'PluginContext']),
  { file: 'core/contract/reference.md', name: 'members for plugins', make: pluginReference },
  {
    file: 'core/kernel/README.md',
    name: 'platform options',
    make: () => optionTable(platformOptionsSchema, 'core/platform/options.ts', 'PlatformOptions'),
  },
  {
    file: 'core/kernel/README.md',
    name: 'delivery options',
    make: () => optionTable(deliveryOptionsSchema, 'core/delivery/delivery-options.ts', 'DeliveryOptions'),
  },
  { file: 'core/glossary.md', name: 'glossary', make: glossaryList },
  { file: 'core/kernel/README.md', name: 'error codes', make: errorTable },
  { file: 'core/causes.md', name: 'causes', make: causeTables },
  { file: 'core/operators.md', name: 'permissions', make: permissionTable },
  { file: 'core/not-shown.md', name: 'not shown', make: notShownTables },
  pluginOptions('plugins/channels/README.md', 'channels', 'ChannelsOptions'),
  reference('plugins/channels/README.md', 'channels'),
  pluginOptions('plugins/console/README.md', 'console', 'ConsoleOptions'),
  reference('plugins/console/README.md', 'console'),
  reference('plugins/flows/README.md', 'flows'),
  { file: 'plugins/flows/validate/README.md', name: 'rule sources', make: ruleSourceTable },
  { file: 'plugins/flows/validate/README.md', name: 'rules', make: flowRuleTable },
  pluginOptions('plugins/flows/README.md', 'flows', 'FlowsOptions'),
  reference('plugins/integration/README.md', 'integration'),
  pluginOptions('plugins/integration/README.md', 'integration', 'IntegrationOptions'),
  { file: 'plugins/messages/README.md', name: 'error codes', make: messageErrorTable },
  reference('plugins/messages/README.md', 'messages'),
  reference('plugins/network/README.md', 'network'),
  pluginOptions('plugins/network/README.md', 'network', 'NetworkOptions'),
  reference('plugins/simulation/README.md', 'simulation'),
  pluginOptions('plugins/simulation/README.md', 'simulation', 'SimulationOptions'),
  {
    file: 'plugins/email/README.md',
    name: 'options of email',
    make: () => optionTable(emailOptions, 'plugins/email/options.ts', 'EmailOptions'),
  },
  { file: 'plugins/email/README.md', name: 'shapes of turns', make: emailTurnTable },
  {
    file: 'plugins/sms/README.md',
    name: 'options of sms',
    make: () => optionTable(smsOptions, 'plugins/sms/options.ts', 'SmsOptions'),
  },
  { file: 'plugins/sms/README.md', name: 'shapes of turns', make: smsTurnTable },
  {
    file: 'plugins/telegram/README.md',
    name: 'options of telegram',
    make: () => optionTable(telegramOptions, 'plugins/telegram/options.ts', 'TelegramOptions'),
  },
  { file: 'plugins/telegram/README.md', name: 'shapes of turns', make: telegramTurnTable },
  {
    file: 'plugins/webchat/README.md',
    name: 'options of webchat',
    make: () => optionTable(webchatOptions, 'plugins/webchat/options.ts', 'WebchatOptions'),
  },
  { file: 'plugins/webchat/README.md', name: 'shapes of web chats', make: webchatTurnTable },
  reference('plugins/webhooks/README.md', 'webhooks'),
  pluginOptions('plugins/webhooks/README.md', 'webhooks', 'WebhooksOptions'),
  { file: 'sandbox/troubleshooting.md', name: 'mistakes', make: mistakeList },
  { file: 'sandbox/README.md', name: 'commands', make: commandTables },
  { file: 'sandbox/journey-tests.md', name: 'keys of tests', make: testKeyTables },
  ...conformanceParts,
  example('in hapi', 'embed-in-hapi.ts'),
  example('own ports', 'embed-own-ports.ts'),
  example('channel', 'pigeon-post/pigeon-post.ts'),
  example('area', 'ratings/ratings.ts'),
  example('remote operator', 'remote-operator.ts'),
  example('two platforms', 'two-platforms.ts'),
  example('python', 'connector.py'),
  ...['cookie', 'oidc', 'proxy'].map((name) => ({
    file: 'core/sign-on.md',
    name,
    make: () => codeOf(`sandbox/examples/sign-on/${name}.mjs`),
  })),
  { file: 'plugins/cluster/operations.md', name: 'compose file', make: () => codeOf('sandbox/examples/deploy/compose.yaml') },
  { file: 'plugins/cluster/operations.md', name: 'systemd unit', make: () => codeOf('sandbox/examples/deploy/posthorn.service') },
  { file: 'plugins/cluster/postgres/README.md', name: 'with standby', make: () => codeOf('sandbox/examples/with-standby.ts') },
  { file: 'plugins/cluster/README.md', name: 'cluster', make: () => codeOf('sandbox/examples/cluster.ts') },
  ...recipeParts.map(({ file, name, print }) => ({ file, name, make: async () => (await print()).text })),
  recipe('signatures', 'typescript', 'signature/signature.ts'),
  recipe('signatures', 'python', 'signature/signature.py'),
  recipe('signatures', 'go', 'signature/signature.go'),
  recipe('signatures', 'java', 'signature/Signature.java'),
  recipe('signatures', 'php', 'signature/signature.php'),
  recipe('signatures', 'ruby', 'signature/signature.rb'),
  recipe('plugins-and-events', 'renewals', 'renewals.ts'),
  { file: 'sandbox/recipes/plugins-and-events.md', name: 'thrown', make: thrownTable },
  recipe('plugins-and-events', 'watch', 'watch.ts'),
  { file: 'sandbox/recipes/plugins-and-events.md', name: 'event types', make: eventTypeTable },
  { file: 'core/testing/README.md', name: 'client libraries', make: clientTable },
  { file: 'core/testing/README.md', name: 'channel test', make: () => codeOf('sandbox/examples/pigeon-post/pigeon-post.test.ts') },
];

/** The page with the part regenerated. @throws when the page has no such marks */
export async function withPart(page: string, { file, name, make }: GeneratedPart): Promise<string> {
  const [before, after] = [`<!-- generated: ${name} -->\n`, '<!-- end -->'];
  const from = page.indexOf(before);
  const to = page.indexOf(after, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no marks for '${name}'`);
  return `${page.slice(0, from + before.length)}\n${(await make()).trim()}\n\n${page.slice(to)}`;
}

/** Regenerates all parts of all pages and the grammars and schemas for editors, and prints those that changed. */
export async function writeDocs(): Promise<void> {
  for (const part of generatedParts) {
    const page = readFileSync(part.file, 'utf8');
    const made = await withPart(page, part);
    if (made === page) continue;
    writeFileSync(part.file, made);
    console.log(`${part.file}: ${part.name}`);
  }
  for (const { file, make } of [...grammarFiles, ...schemaFiles]) {
    if (existsSync(file) && readFileSync(file, 'utf8') === make()) continue;
    writeFileSync(file, make());
    console.log(file);
  }
}

function codeOf(file: string): string {
  return `\`\`\`${extname(file).slice(1).replace('mjs', 'js')} ${basename(file)}\n${readFileSync(file, 'utf8').trim()}\n\`\`\``;
}

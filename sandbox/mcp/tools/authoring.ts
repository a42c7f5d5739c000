import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { array, boolean, object, oneOf, record, string } from '#core';
import { adminGet } from '../../client/admin-client.js';
import type { RunFile } from '../../client/run-file.js';
import { UsageError } from '../../terminal/flags.js';
import { TEST_FILES } from '../../terminal/input-files.js';
import { callTool, outputOf, type Tool, type ToolContext, verbTool } from '../tool.js';
import { within } from '../within.js';

const MAX_SOURCE = 2 * 1024 * 1024;

const definition = string().max(MAX_SOURCE).description('The text of the Flow JSON.');
const source = string().max(MAX_SOURCE).description('A journey: the text of a notebook (Markdown), or JSON with one FLOIP container.');

/** Tools to write flows and journeys, and to test them and your own services. */
export const authoringTools: readonly Tool[] = [
  verbTool(
    {
      name: 'validate_flow',
      description: 'Checks Flow JSON, and shows errors and hints with their places.',
      isReadOnly: true,
      input: object({ definition }),
    },
    ({ definition }) => ({ verb: ['flow', 'validate'], input: definition, positionals: ['-'] }),
  ),
  verbTool(
    {
      name: 'push_flow',
      description: 'Stores Flow JSON as a draft, or replaces the draft with this name. Drafts with errors are stored, too.',
      input: object(
        { name: string().description('The name of the flow.'), definition },
        { account: string().description('The business account. Default: that of the first number with one.') },
      ),
    },
    ({ definition, ...flags }) => ({ verb: ['flow', 'push'], flags, input: definition, positionals: ['-'] }),
  ),
  verbTool(
    {
      name: 'lint_journey',
      description: 'Checks a journey, and shows errors and warnings with their places and fixes.',
      isReadOnly: true,
      input: object({ source }),
    },
    ({ source }) => ({ verb: ['journey', 'lint'], input: source, positionals: ['-'] }),
  ),
  verbTool(
    {
      name: 'put_journey',
      description: 'Stores a journey as a draft, or replaces the draft of the journey with this name, and publishes it on request.',
      input: object(
        { name: string().description('The name of the journey.'), source },
        {
          number: string().description('The number, by address or uuid. Default: the first channel.'),
          publish: boolean().description('Also publish the draft if it has no errors.'),
        },
      ),
    },
    ({ source, ...flags }) => ({ verb: ['journey', 'push'], flags, input: source, positionals: ['-'] }),
  ),
  callTool(
    {
      name: 'simulate_journey',
      description:
        'Runs a journey without sending messages, with the inputs of a contact, and shows what it responds in each turn. Give the name of a journey in the sandbox, or the source of one.',
      isReadOnly: true,
      input: object(
        {},
        {
          journey: string().description('The name or uuid of a journey in the sandbox.'),
          source,
          inputs: array(string()).max(100).description('The messages of the contact, in their order.'),
          contact: record(string()).description('Fields of the contact, such as {"language": "eng"}.'),
          mocks: array(object({}).unknown()).max(100).description('HTTP mocks, as the simulation API takes them.'),
          revision: oneOf('production', 'staging').description('The revision of `journey` to run. Default: production.'),
          number: string().description('The number of `journey`, by address, if several have one of this name.'),
        },
      ).xor('journey', 'source'),
    },
    ({ journey, source, inputs = [], contact = {}, mocks, revision, number }, full, context) =>
      inFolder(async (write) => {
        const named =
          journey !== undefined
            ? nameOrFile(journey, context)
            : write(source!.trimStart().startsWith('{') ? 'journey.json' : 'journey.md', source!);
        const flags = {
          input: inputs,
          contact: Object.entries(contact).map(([field, value]) => `${field}=${value}`),
          mock: mocks && write('mocks.json', JSON.stringify(mocks)),
          revision,
          number,
          'fail-unmocked': true,
          json: full,
        };
        const output = outputOf(await context.verb({ verb: ['sim'], flags, positionals: [named] }));
        return { ...output, text: output.text.replace(/find the place with: .* journey lint FILE/, 'lint_journey shows the place') };
      }),
  ),
  callTool(
    {
      name: 'run_tests',
      description: 'Runs tests of journeys (*.test.yaml) of this folder, like `posthorn test`. Stores no snapshots.',
      isReadOnly: true,
      input: object(
        {},
        {
          files: array(string()).max(100).description('Test files, or folders that contain them. Default: this folder.'),
          name: string().description('Run tests with this text in their names.'),
          coverage: boolean().description('Also report the coverage.'),
        },
      ),
    },
    async ({ files = [], ...flags }, full, context) =>
      outputOf(
        await context.verb({
          verb: ['test'],
          flags: { ...flags, ci: true, json: full },
          positionals: files.map((file) => within(file, context.cwd)),
        }),
      ),
  ),
  callTool(
    {
      name: 'record_test',
      description:
        'Writes a conversation that took place as a test, and replaces personal data in it. With `journey`, the test runs against that file; otherwise against the journey of the sandbox.',
      fieldOfFlag: { write: 'file' },
      input: object(
        {
          file: string().pattern(TEST_FILES, 'NAME.test.yaml').description('The test file to write, such as menu.test.yaml.'),
        },
        {
          conversation: string().guid().description('The uuid of the conversation. Default: the newest one.'),
          journey: string().description('The file of the journey in this folder.'),
          name: string().description('The name of the test: the behaviour that it checks.'),
          keep_personal_data: boolean().description('Keep names, numbers and files instead of made-up ones.'),
        },
      ),
    },
    async ({ file, conversation, journey, name, keep_personal_data }, full, context) =>
      outputOf(
        await context.verb({
          verb: ['test', 'record'],
          flags: {
            conversation: conversation ?? (await newestConversation(context.platform())),
            write: within(file, context.cwd),
            name,
            'keep-personal-data': keep_personal_data,
            json: full,
          },
          positionals: journey === undefined ? [] : [within(journey, context.cwd)],
        }),
      ),
  ),
  verbTool(
    {
      name: 'run_conformance',
      description:
        'Runs the conformance checks on your connector, webhook receiver, integration, or an API. Sends at most four requests a second about contacts that do not exist, and ends within 90 s.',
      input: object(
        {
          kind: oneOf('connector', 'webhook', 'integration', 'api'),
          url: string()
            .uri({ scheme: ['http', 'https'] })
            .description('The URL to check.'),
        },
        {
          secret: string().description('The hmac_secret of the webhook or integration; not for api.'),
          channel: string().guid().description('connector, api: the uuid of the channel.'),
          token: string().description('The token of the channel, of the integration, or for api of a number.'),
          drive: string()
            .uri({ scheme: ['http', 'https'] })
            .description('connector: a URL that acts as a contact.'),
          only: array(string()).description('Run these checks only, such as C-07.'),
          dry_run: boolean().description('List what would be sent, and send nothing.'),
        },
      ),
    },
    ({ kind, url, secret, token, channel, drive, only, dry_run }) => {
      if (kind !== 'api' && secret === undefined) throw new UsageError(`"secret" is required for "${kind}": its hmac_secret`);
      if (kind === 'api' && token === undefined) throw new UsageError('"token" is required for "api": the token of a number');
      if (kind === 'connector' && (channel === undefined) !== (token === undefined))
        throw new UsageError('"connector" takes "channel" and "token" together');
      return {
        verb: ['conform', kind],
        flags: { channel, drive, only: only?.join(','), 'dry-run': dry_run },
        positionals: [url],
        env: { ...(secret !== undefined && { POSTHORN_SECRET: secret }), ...(token !== undefined && { POSTHORN_TOKEN: token }) },
      };
    },
  ),
];

/** @throws UsageError without conversations */
async function newestConversation(platform: RunFile): Promise<string> {
  const { conversations } = (await adminGet(platform, '/conversations?limit=1')) as {
    readonly conversations: readonly { readonly conversation: { readonly uuid: string } }[];
  };
  if (!conversations[0]) throw new UsageError('there is no conversation yet; send_message starts one');
  return conversations[0].conversation.uuid;
}

/** The verb takes a file of this name before a journey of this name. @throws UsageError for a file outside the folder */
const nameOrFile = (journey: string, { cwd }: ToolContext): string => (existsSync(resolve(cwd, journey)) ? within(journey, cwd) : journey);

/** Writes files to a folder of its own, and removes the folder at the end. */
async function inFolder<T>(work: (write: (name: string, text: string) => string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-mcp-'));
  try {
    return await work((name, text) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      return file;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

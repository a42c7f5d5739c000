import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { array, boolean, object, oneOf, record, string } from '#core';
import { UsageError } from '../../terminal/flags.js';
import { callTool, outputOf, type Tool, type ToolContext, verbTool } from '../tool.js';

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
        },
      ).xor('journey', 'source'),
    },
    ({ journey, source, inputs = [], contact = {}, mocks, revision }, full, context) =>
      inFolder(async (write) => {
        const named = journey ?? write(source!.trimStart().startsWith('{') ? 'journey.json' : 'journey.md', source!);
        const flags = {
          input: inputs,
          contact: Object.entries(contact).map(([field, value]) => `${field}=${value}`),
          mock: mocks && write('mocks.json', JSON.stringify(mocks)),
          revision,
          'fail-unmocked': true,
          json: full,
        };
        return outputOf(await context.verb({ verb: ['sim'], flags, positionals: [named] }));
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
          positionals: files.map((file) => within(file, context)),
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
          'dry-run': boolean().description('List what would be sent, and send nothing.'),
        },
      ),
    },
    ({ kind, url, secret, token, channel, ...flags }) => ({
      verb: ['conform', kind],
      flags: { ...flags, channel, only: flags.only?.join(',') },
      positionals: [url],
      env: { ...(secret !== undefined && { POSTHORN_SECRET: secret }), ...(token !== undefined && { POSTHORN_TOKEN: token }) },
    }),
  ),
];

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

/** @throws UsageError for a path outside the folder: a client must not read other files through error messages */
function within(file: string, { cwd }: ToolContext): string {
  const path = relative(cwd, resolve(cwd, file));
  if (path.startsWith('..') || isAbsolute(path)) throw new UsageError(`${file} is outside ${cwd}; name files of this folder`);
  return path || '.';
}

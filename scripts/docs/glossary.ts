import { dirname, relative } from 'node:path';
import { anchorsOf, slugOf } from '../../test/spec/pages.js';

const CHANNELS = 'plugins/channels/README.md';
const CONTRACT = 'core/contract/README.md';
const DATA = 'core/adapters/store/README.md';
const DELIVERIES = 'core/delivery/README.md';
const ENGINE = 'core/engine/README.md';
const FLOWS = 'plugins/flows/README.md';
const INTEGRATION = 'plugins/integration/README.md';
const JOURNEYS = 'plugins/journeys/README.md';
const MESSAGES = 'plugins/messages/README.md';
const NETWORK = 'plugins/network/README.md';
const NUMBERS = 'core/messaging/README.md';
const OPERATIONS = 'core/kernel/README.md';
const RECIPES = 'sandbox/recipes/messages.md';
const SIMULATION = 'plugins/simulation/README.md';
const SKILLS = 'core/engine/skills/README.md';
const WEBHOOKS = 'plugins/webhooks/README.md';

type Term = readonly [term: string, meaning: string, page: string, heading?: string];

/** The words of the pages, each with the place that describes it. */
export const glossary: readonly Term[] = [
  [
    'Action',
    'A button that an integration offers beside a conversation. A click posts the payload of the action to the integration.',
    INTEGRATION,
  ],
  [
    'Admin key',
    'The secret that opens the admin API under `/admin/v1`. A platform without the option `admin` has no admin API.',
    OPERATIONS,
    'Options of a platform',
  ],
  ['Advice', 'An event that reports something allowed but probably not intended, with a sentence and a fix.', 'sandbox/troubleshooting.md'],
  [
    'Area',
    'One part of the interface: flows, channels, webhooks, integration context, journeys or simulation. Each area is a plugin.',
    CONTRACT,
  ],
  [
    'At-least-once',
    'A delivery is sent until it is taken or dropped on record, so it may arrive twice after a crash or a lost answer. Receivers deduplicate by id.',
    DELIVERIES,
  ],
  ['Attempt', 'One HTTP request of a delivery.', DELIVERIES],
  [
    'Backpressure',
    'While too many deliveries are pending, calls that would create more get 503 with `Retry-After` before anything is recorded.',
    DELIVERIES,
  ],
  [
    'Block',
    'One step of a flow of a journey: a message, a question, a case, an HTTP request and so on. Its exits lead to other blocks.',
    ENGINE,
    'Types of blocks',
  ],
  ['Card', 'The name of the block at which a journey is, as simulations and webhooks show it.', ENGINE, 'How a block works'],
  ['Channel', 'A number whose messages a connector or a plugin transports, instead of the messaging network.', CHANNELS],
  ['Chunk', 'A long value that the store keeps once, however many documents refer to it.', OPERATIONS, 'What a state takes'],
  [
    'Claim',
    'The mark that a journey holds a conversation, with the time until which it waits. A claim can be released over the API.',
    JOURNEYS,
    'Calls',
  ],
  ['Compaction', 'Merging the journal into new snapshots, on a worker thread, so that the next start reads less.', DATA],
  ['Connector', 'A program outside Posthorn that exchanges messages between a channel and another messaging service.', CHANNELS],
  ['Contact', 'A person who wrote to a number or was written to, with an id and fields.', NUMBERS],
  [
    'Content card',
    'A text with media under a name, which journeys send. It is edited without a new revision of the journey.',
    'sandbox/recipes/admin.md',
    'Give it a content card',
  ],
  ['Conversation', 'A number, a contact, and the messages between them.', NUMBERS],
  ['Delivery', 'The transport of one event to one webhook: a signed `POST`, its retries, and the record of every attempt.', DELIVERIES],
  [
    'Dialect',
    'The two words that the interface leaves open, of the service and of the network, from which header, field and subscription names are made.',
    OPERATIONS,
    'Options of a platform',
  ],
  ['Dictionary', 'A JSON object whose keys are data and not fields, such as the rows of a table in a panel.', INTEGRATION],
  ['Driver', 'The part of a plugin that sends the messages of one type of number.', CONTRACT, 'What `register` returns'],
  [
    'Effect',
    'Something that a step asks for and does not do itself, such as an HTTP request. The platform performs it and continues the turn.',
    JOURNEYS,
  ],
  ['Endpoint', 'The URL of a webhook or of a connector.', WEBHOOKS],
  [
    'Event',
    'A fact that a plugin announces, in the transaction that makes it true. Other plugins, hosts and the event stream listen to it.',
    'core/README.md',
    'Who listens to an event',
  ],
  ['Eviction', 'Removing the oldest finished documents when their number, bytes or days exceed a bound.', OPERATIONS, 'What a state takes'],
  ['Exit', 'The way out of a block: a test, or the default, and the next block.', ENGINE, 'How a block works'],
  [
    'Expression',
    'A formula in a journey, such as `contact.name` or `block.value > 3`. In a text it follows an `@`.',
    'core/engine/expression/README.md',
  ],
  ['Flow', 'In the Flows API: a form with screens that a contact fills in. In a journey: a sequence of blocks in the file.', FLOWS],
  ['Flow JSON', 'The definition of a form in the Flows API, version 7.2 or newer.', 'plugins/flows/validate/README.md'],
  ['Handshake', 'The first call to an integration. It answers with what it can show and which actions it offers.', INTEGRATION],
  ['History', 'Finished documents that are kept for a while, within bounds of number, bytes and days.', OPERATIONS, 'What a state takes'],
  [
    'Idempotent',
    'Done twice, the call has the effect of one. Posting an inbound message with the same `id` again is idempotent.',
    RECIPES,
    'Bring in a message of a contact',
  ],
  [
    'Integration',
    'A service of yours that Posthorn asks for context, suggested responses and actions while a conversation is open.',
    INTEGRATION,
  ],
  [
    'Job',
    'A stored task of a queue, such as an attempt of a delivery or the answer of a journey. It survives a restart.',
    'core/README.md',
    'From an event to its receiver',
  ],
  ['Journal', 'The write-ahead log of the store. A transaction is acknowledged when its line in the journal is on the disk.', DATA],
  ['Journey', 'An automated conversation, as a file in the flow interoperability format (FLOIP).', ENGINE, 'A whole journey'],
  ['Lane', 'The priority of a webhook (`high`, `default` or `low`), from the mean of its latest twenty response times.', DELIVERIES],
  ['Medium', 'A stored file of a message. A signed link to it works for two minutes.', MESSAGES],
  ['Message', 'One item of a conversation, in either direction, with its content, author and statuses.', NUMBERS],
  ['Mock', 'A fixed answer to an HTTP request of a journey in a simulation.', SIMULATION],
  ['Number', 'The sender and receiver of messages: a number of the network, of the sandbox, or a channel.', NUMBERS],
  [
    'Operator',
    'A person who answers contacts or runs the platform. For flows: the service that stores and checks published forms.',
    FLOWS,
    'Operators',
  ],
  ['Panel', 'The display of an integration beside a conversation: tables, lists, suggested responses and actions.', INTEGRATION],
  ['Plugin', 'A value from `definePlugin` that adds routes, drivers, listeners, queues or documents to a platform.', CONTRACT],
  [
    'Port',
    'An interface to the outside, such as the store, the clock or the HTTP client. A host can replace its adapter.',
    'core/testing/README.md',
    'Contracts',
  ],
  ['Preview', 'A page at a secret link that plays a flow in a browser, for 30 days.', FLOWS, 'Preview'],
  ['Queue', 'Stored jobs in order, with lanes, delays and retries.', 'core/README.md', 'From an event to its receiver'],
  [
    'Rate-limit bucket',
    'A quota of calls per minute and number: `general`, `text` or `media`, 60 each. Calls over the limit get 429.',
    OPERATIONS,
    'Options of a platform',
  ],
  ['Retry', 'An attempt after the first. A delivery has up to five.', DELIVERIES],
  [
    'Revision',
    'A version of a journey. A draft becomes `staging` or `production` when it is published.',
    ENGINE,
    'Drafts, revisions, triggers',
  ],
  ['Run', 'The attempts of a delivery from its start to its end. A redelivery begins a new run.', DELIVERIES],
  ['Screen', 'One page of a form. Flow JSON names which screen follows.', FLOWS],
  [
    'Secret',
    'The HMAC key of a webhook, or a value that requests of a journey read as `@secrets.NAME`. Secrets are encrypted in the store.',
    'SECURITY.md',
  ],
  ['Session', 'A contact’s conversation with a journey, from the first block to the end, with its variables.', JOURNEYS],
  ['Signature', 'The HMAC-SHA256 of the body of a delivery, in the header `X-Svc-Hook-Signature`.', 'sandbox/recipes/signatures.md'],
  ['Simulation', 'A session that is driven over the API and sends nothing.', SIMULATION],
  [
    'Skill',
    'A function that an AI agent of a journey may call: JavaScript in an isolated interpreter, or a part of the journey.',
    SKILLS,
    'Code skills',
  ],
  ['Snapshot', 'A file with the documents of a collection, written by a compaction.', DATA],
  ['Status', 'The state of a sent message: `sent`, `delivered`, `read` or `failed`.', RECIPES, 'Report a status'],
  ['Step', 'The pure computation from one input to the next question or effect of a journey.', ENGINE, 'The engine alone'],
  ['Store', 'Where the state lives: collections of JSON documents with transactions and indexes.', DATA],
  ['Subscription', 'Which events a webhook receives: `msgapp`, `svc`, `journey_outbound` or `channel`.', WEBHOOKS],
  ['Suggested response', 'A text that an integration proposes to the operator, with a confidence.', INTEGRATION],
  ['Template', 'A message with placeholders that was registered for a number, with a name and a language.', NETWORK],
  ['Token', 'The bearer token of a number. Every call of `/v1` acts on the number of its token.', NUMBERS],
  ['Transaction', 'Writes that happen together or not at all. A transaction that returned survives a crash.', CONTRACT],
  [
    'Trigger',
    'The condition that starts a journey: any message, certain words, the first message, or a message that no other journey takes.',
    SKILLS,
    'What starts a journey',
  ],
  [
    'Turn',
    'One exchange with a journey: the input of a contact and every message that follows. In a delivery, `turn` is the message to show.',
    RECIPES,
    'Send from a channel',
  ],
  ['Webhook', 'An endpoint of yours that receives events of a number, with subscriptions and a secret.', WEBHOOKS],
];

/** The terms with their links. @throws when a page lacks the heading that a term names */
export function glossaryList(): string {
  return glossary
    .map(([term, meaning, page, heading]) => {
      const path = relative(dirname('core/glossary.md'), page);
      if (heading === undefined) return `**${term}**: ${meaning} [→](${path})`;
      const anchor = slugOf(heading);
      if (!anchorsOf(page).has(anchor)) throw new Error(`the glossary links '${term}' to '${heading}', which ${page} does not have`);
      return `**${term}**: ${meaning} [→](${path}#${anchor})`;
    })
    .join('\n\n');
}

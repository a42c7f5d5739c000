import { dirname, relative } from 'node:path';
import { anchorsOf, slugOf } from '../../test/spec/pages.js';

const CHANNELS = 'plugins/channels/README.md';
const CONTRACT = 'core/contract/README.md';
const DATA = 'core/adapters/store/README.md';
const DELIVERIES = 'core/delivery/README.md';
const ENGINE = 'plugins/journeys/engine/README.md';
const FLOWS = 'plugins/flows/README.md';
const INTEGRATION = 'plugins/integration/README.md';
const JOURNEYS = 'plugins/journeys/README.md';
const MESSAGES = 'plugins/messages/README.md';
const NETWORK = 'plugins/network/README.md';
const NUMBERS = 'core/messaging/README.md';
const OPERATIONS = 'core/kernel/README.md';
const RECIPES = 'sandbox/recipes/messages.md';
const SIMULATION = 'plugins/simulation/README.md';
const SKILLS = 'plugins/journeys/engine/skills/README.md';
const WEBHOOKS = 'plugins/webhooks/README.md';

type Term = readonly [term: string, meaning: string, page: string, heading?: string];

/** The terms that the pages use, each with the page that describes it. */
export const glossary: readonly Term[] = [
  [
    'Action',
    'A button that an integration offers next to a conversation. When an operator clicks it, Posthorn posts the payload of the action to the integration.',
    INTEGRATION,
  ],
  [
    'Admin key',
    'The bearer token of the admin API under `/admin/v1`. A platform without the option `admin` has no admin API.',
    OPERATIONS,
    'Options of a platform',
  ],
  ['Advice', 'An event that reports something allowed but probably not intended, with a message and a fix.', 'sandbox/troubleshooting.md'],
  [
    'Area',
    'A part of the API that one plugin implements: channels, flows, integration context, journeys, messages, simulation, webhooks, or routes of your own plugin.',
    CONTRACT,
  ],
  [
    'At-least-once',
    'Posthorn sends a delivery until the receiver responds with 2XX or the retries end, so after a crash or a lost response it may arrive twice. Receivers deduplicate by id.',
    DELIVERIES,
  ],
  ['Attempt', 'One HTTP request of a delivery.', DELIVERIES],
  [
    'Backpressure',
    'While too many deliveries are pending, calls that would create more get 503 with `Retry-After`, and nothing is recorded.',
    DELIVERIES,
  ],
  [
    'Batch',
    'In the code of the outbox: deliveries that start or settle in one transaction.',
    'core/README.md',
    'From an event to its receiver',
  ],
  [
    'Block',
    'One step of a journey: a message, a question, a case, an HTTP request and so on. Its exits lead to other blocks.',
    ENGINE,
    'Types of blocks',
  ],
  ['Card', 'The name of the current block of a journey, as simulations and webhooks show it.', ENGINE, 'How a block works'],
  ['Channel', 'A number whose messages a connector or a plugin transports, instead of the messaging network.', CHANNELS],
  ['Chunk', 'A long value that the store keeps once, even if many documents refer to it.', OPERATIONS, 'What a state takes'],
  [
    'Claim',
    'A record that a journey is waiting for a contact’s reply, and until when. A claim can be released over the API.',
    JOURNEYS,
    'Calls',
  ],
  ['Compaction', 'Merging the journal into new snapshots. It runs on a worker thread, and makes the next start faster.', DATA],
  ['Connector', 'A program outside Posthorn that exchanges messages between a channel and another messaging service.', CHANNELS],
  ['Contact', 'A person who has exchanged messages with a number, with an id and fields.', NUMBERS],
  [
    'Content card',
    'A named text with media that journeys send. You can edit it without publishing the journey again.',
    'sandbox/recipes/admin.md',
    'Give it a content card',
  ],
  ['Conversation', 'The messages between a number and a contact.', NUMBERS],
  ['Delivery', 'One event sent to one webhook: a signed `POST`, its retries, and the record of every attempt.', DELIVERIES],
  [
    'Dialect',
    'The names of your service and of the messaging network, from which header, subscription and contact field names are built. The defaults are `svc` and `msgapp`.',
    OPERATIONS,
    'Options of a platform',
  ],
  ['Dictionary', 'A JSON object whose keys are data instead of fixed field names, such as the rows of a table in a panel.', INTEGRATION],
  ['Driver', 'The part of a plugin that sends the messages of one type of number.', CONTRACT, 'What `register` returns'],
  [
    'Effect',
    'Work that a step requests instead of doing it, such as an HTTP request. The platform does the work and continues the turn with the result.',
    JOURNEYS,
  ],
  ['Endpoint', 'The URL of a webhook or of a connector.', WEBHOOKS],
  [
    'Event',
    'A fact, such as a received message, that a plugin emits in the transaction that records it. Other plugins, the host application and the event stream receive it.',
    'core/structure.md',
    'Who listens to an event',
  ],
  ['Eviction', 'Removing the oldest finished documents when their count, size or age exceeds a limit.', OPERATIONS, 'What a state takes'],
  [
    'Exit',
    'A transition from a block to the next one, with the condition under which it is taken. One exit of each block is the default.',
    ENGINE,
    'How a block works',
  ],
  [
    'Expression',
    'A formula in a journey, such as `contact.name` or `block.value > 3`. In texts, write `@` before it.',
    'plugins/journeys/engine/expression/README.md',
  ],
  ['Flow', 'In the Flows API: a form with screens that a contact fills in. In a journey: a sequence of blocks in the file.', FLOWS],
  ['Flow JSON', 'The definition of a form in the Flows API, version 7.2 or newer.', 'plugins/flows/validate/README.md'],
  [
    'Handshake',
    'The first call to an integration. The integration responds with the panels that it can show and the actions that it offers.',
    INTEGRATION,
  ],
  [
    'History',
    'Finished documents, such as completed deliveries, that the store keeps within limits of count, size and age.',
    OPERATIONS,
    'What a state takes',
  ],
  [
    'Idempotent',
    'Repeating an idempotent call changes nothing more. For example, posting an inbound message again with the same `id` stores it once.',
    RECIPES,
    'Bring in a message of a contact',
  ],
  [
    'Integration',
    'A service of yours that Posthorn calls for panels, suggested responses and actions while an operator has a conversation open.',
    INTEGRATION,
  ],
  ['Interface', 'The API specification that Posthorn implements.', 'core/not-shown.md'],
  ['Job', 'A stored task of a queue, such as a turn of a journey. It survives a restart.', 'core/walks.md', 'From a contact to a webhook'],
  ['Journal', 'The write-ahead log of the store. A transaction is acknowledged when its line in the journal is on the disk.', DATA],
  ['Journey', 'An automated conversation, defined by a file in the flow interoperability format (FLOIP).', ENGINE, 'A whole journey'],
  ['Lane', 'The priority of a webhook: `high`, `default` or `low`, by the mean of its latest twenty response times.', DELIVERIES],
  [
    'Live collection',
    'A collection, such as the outbox, whose documents are objects in memory and JSON on disk. The journal has merge patches of changed documents.',
    DATA,
    'How to read it',
  ],
  ['Medium', 'A stored file of a message. A signed link to it works for two minutes.', MESSAGES],
  ['Message', 'One item of a conversation, in either direction, with its content, author and statuses.', NUMBERS],
  ['Mock', 'A predefined response to HTTP requests that a journey makes in a simulation.', SIMULATION],
  [
    'Number',
    'A business’s address for sending and receiving messages: a phone number on the messaging network or in the sandbox, or a channel.',
    NUMBERS,
  ],
  [
    'Operator',
    'A person who replies to contacts or runs the platform. For flows: the service that stores, validates and publishes them.',
    FLOWS,
    'Operators',
  ],
  [
    'Outbox',
    'The deliveries of a platform in the store, until they are settled and for a while after that. A delivery is added in the transaction that records its event.',
    'core/walks.md',
    'From an event to its receiver',
  ],
  ['Panel', 'The content of an integration next to a conversation: tables, lists, suggested responses and actions.', INTEGRATION],
  ['Plugin', 'A value from `definePlugin` that adds routes, drivers, listeners, queues or stored collections to a platform.', CONTRACT],
  [
    'Port',
    'A TypeScript interface to something outside the core, such as the store, the clock or the HTTP client. The host application can replace its implementation.',
    'core/testing/README.md',
    'Contracts',
  ],
  ['Preview', 'A page that plays a flow in a browser, at a secret link that works for 30 days.', FLOWS, 'Preview'],
  ['Queue', 'Stored jobs in order, with lanes, delays and retries.', 'core/walks.md', 'From a contact to a webhook'],
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
  ['Run', 'The attempts of a delivery until it is delivered, dropped or cancelled. A redelivery begins a new run.', DELIVERIES],
  ['Screen', 'One page of a form. Its Flow JSON says which screen comes next.', FLOWS],
  [
    'Secret',
    'The HMAC key of a webhook, or a value that HTTP requests of a journey read as `@secrets.NAME`. Secrets are encrypted in the store.',
    'SECURITY.md',
  ],
  [
    'Sender',
    'Builds the requests of deliveries and decides what the responses mean. Webhooks have one; a plugin can register others.',
    CONTRACT,
    'Send deliveries to another receiver',
  ],
  ['Session', 'A contact’s conversation with a journey, from the first block to the end, with its variables.', JOURNEYS],
  ['Signature', 'The HMAC-SHA256 of the body of a delivery, in the header `X-Svc-Hook-Signature`.', 'sandbox/recipes/signatures.md'],
  ['Simulation', 'A test run of a journey over the API, turn by turn, that sends no messages.', SIMULATION],
  [
    'Skill',
    'A function that an AI agent of a journey may call: JavaScript in an isolated interpreter, or a part of the journey.',
    SKILLS,
    'Code skills',
  ],
  ['Snapshot', 'A file with the documents of a collection. Compaction writes it.', DATA],
  ['Status', 'The state of a sent message: `sent`, `delivered`, `read` or `failed`.', RECIPES, 'Report a status'],
  [
    'Step',
    'A computation without side effects that takes one input of a journey to its next question or effect.',
    ENGINE,
    'The engine alone',
  ],
  ['Store', 'The database of a platform: collections of JSON documents with transactions and indexes.', DATA],
  ['Subscription', 'A kind of events that a webhook receives: `msgapp`, `svc`, `journey_outbound` or `channel`.', WEBHOOKS],
  ['Suggested response', 'A reply that an integration proposes to the operator, with a confidence.', INTEGRATION],
  ['Template', 'A message with placeholders, registered for a number under a name and a language.', NETWORK],
  ['Token', 'The bearer token of a number. Every call of `/v1` acts on the number of its token.', NUMBERS],
  ['Transaction', 'Writes that happen together or not at all. Once the call returns, they survive a crash.', CONTRACT],
  [
    'Trigger',
    'The condition that starts a journey: any message, certain words, the first message, or a message that matches no other trigger.',
    SKILLS,
    'What starts a journey',
  ],
  [
    'Turn',
    'One exchange with a journey: an input of the contact and all messages that the journey sends in response. In a delivery to a connector, the field `turn` is the message to show.',
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

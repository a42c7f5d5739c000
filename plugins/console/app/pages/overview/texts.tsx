import type { ComponentChildren } from 'preact';
import { catalogue, plural } from '../../../../../core/web/language.js';

export const texts = catalogue({
  addresses: 'Addresses',
  baseUrl: 'Base URL',
  theBaseUrl: 'the base URL',
  adminApi: 'Admin API',
  urlOfAdminApi: 'the URL of the admin API',
  console: 'Console',
  urlOfConsole: 'the URL of the console',
  description: 'Description',
  openapi: 'OpenAPI',
  number: 'Number',
  address: 'Address',
  tokens: 'Tokens',
  theAddress: 'the address',
  moreNumbers: (count: number) => `${count} more numbers`,
  linesForEnvFile: () => (
    <>
      Lines for a <code>.env</code> file
    </>
  ),
  createOne: 'Create one',
  lastCharactersOfTokens: 'The last characters of each token; its value is shown only when it is created',
  andMore: (count: number) => `and ${count} more`,
  createTokenComment: '# Create a token on the page of the number.',
  tokenComment: (hint: string) => `# The token that ends with ${hint}.`,
  secretComment: '# The secret that the channel got when it was created, or a rotated one.',
  theEnvLines: 'the lines for .env',
  shownOnlyOnce: (posthorn: string) => (
    <>
      Tokens and secrets are shown only once. For the numbers of a seed, <code>{posthorn} env -o dotenv</code> prints them.
    </>
  ),
  noHandshakeYet: 'no handshake yet',
  ready: 'ready',
  handshakeFailed: 'handshake failed',
  health: 'Health',
  allDeliveries: 'All deliveries',
  webhook: 'webhook',
  noEndpoint: (link: ComponentChildren) => <>The platform sends nothing yet. A channel has a connector; a {link} receives events.</>,
  target: 'Target',
  state: 'State',
  latency: 'Latency',
  lane: 'Lane',
  connector: 'connector',
  webhookOf: (name: string) => (
    <>
      webhook of <bdi>{name}</bdi>
    </>
  ),
  paused: 'paused',
  disabled: 'disabled',
  moreEndpoints: (count: number) => `${count} more targets`,
  integrationOf: (name: string) => (
    <>
      integration of <bdi>{name}</bdi>
    </>
  ),
  handshakeAt: (time: ComponentChildren) => <>handshake at {time}</>,
  latestEvents: 'Latest events',
  allEvents: 'All events',
  noEvents: 'No events yet. Everything that the platform does appears here.',
  received: (receiver: string, what: string) => `${receiver} received: ${what}`,
  didNotReceive: (receiver: string, what: string, outcome: string) => `${receiver} did not receive (${outcome}): ${what}`,
  isToReceive: (receiver: string, what: string, state: string) => `${receiver}, ${state}: ${what}`,
  overview: 'Overview',
  problems: 'Problems',
  storeAcceptsNoWrites: 'The store accepts no writes',
  storeState: (state: string) => `The store is ${state}.`,
  readsWork: 'Reads still work.',
  openItAgain: 'Open it again',
  filesAreDamaged: (count: number) => plural(count, 'A file is damaged', `${count} files are damaged`),
  damagedDocumentsGet503: 'Calls that need a damaged document get 503.',
  memoryIs: (state: string) => `Memory is ${state}`,
  connectorFails: (of: string) => (
    <>
      The connector of <bdi>{of}</bdi> fails
    </>
  ),
  webhookFails: (name: string, of: string) => (
    <>
      <bdi>{name}</bdi> of <bdi>{of}</bdi> fails
    </>
  ),
  nextAttemptAt: (time: ComponentChildren) => <>The next attempt is at {time}.</>,
  showTheDelivery: 'Show the delivery',
  moreEndpointsFail: (count: number) => `${count} more targets fail`,
  webhookPaused: (name: string, of: string) => (
    <>
      <bdi>{name}</bdi> of <bdi>{of}</bdi> is paused
    </>
  ),
  deliveriesAreStored: 'Its deliveries are stored, and sent when it is resumed.',
  resume: 'Resume',
  times: (times: number) => `${times} times`,
  showTheAdvice: 'Show the advice',
  moreAdvice: (count: number) => `${count} more advice`,
  nextSteps: 'Next steps',
  stepsDone: (done: number, count: number) => `${done} of ${count} done`,
  isDone: ', done',
  isNotDone: ', not done',
  createANumber: 'Create a number',
  numbers: (count: number) => plural(count, '1 number', `${count} numbers`),
  createChannelForConnector: 'Create a channel for your connector',
  secret: 'secret',
  connectorVerifies: 'Your connector verifies signatures with it.',
  getAStarterConnector: 'Get a starter connector',
  channels: (count: number) => plural(count, '1 channel', `${count} channels`),
  letConnectorAnswer: 'Let the connector answer',
  firstCreateChannel: 'First create a channel.',
  letContactWrite: 'Let a contact write',
  inbox: 'Inbox',
  sendsHiToNetwork: (contact: string, link: ComponentChildren) => (
    <>
      Sends “hi” from {contact}, as a phone on the network would. The {link} has the whole phone.
    </>
  ),
  contactWrote: 'The contact wrote',
  sayHi: 'Say hi',
  connectorPosts: (number: string) => (
    <>
      Your connector posts what contacts write to <code>/v1/numbers/{number}/messages</code>. With a number of the network, this page can
      write as a contact.
    </>
  ),
  letReplyBeDelivered: 'Let a reply be delivered',
  firstLetContactWrite: 'First let a contact write.',
  starterConnector: 'starter connector',
  sendsSample: (url: ComponentChildren, link: ComponentChildren) => (
    <>
      Sends a sample to <code>{url}</code>. The connector must respond with its id of the message. There is a {link} in three languages.
    </>
  ),
  sampleSent: 'The sample was sent',
  sendASample: 'Send a sample',
  sampleReply: 'Hello, how can we help?',
  sendsReply: () => (
    <>
      Sends a message as an operator; a published journey does so by itself. The step is done when the status <em>delivered</em> arrives.
    </>
  ),
  reply: 'Reply',
  sendTheReply: 'Send the reply',
  text: 'Text',
  sendsHiToDemo: (contact: string, link: ComponentChildren) => (
    <>
      Sends “hi” from {contact} to the number of the demo, whose journey answers. In the {link} you can be any contact.
    </>
  ),
  showTheConversation: 'Show the conversation',
  lookAtDelivery: 'Look at the delivery',
  pageOfDelivery: 'The page of a delivery has the exact bytes of the request and the response, the signature, and every retry.',
  lookAtNewestDelivery: 'Look at the newest delivery',
  noDelivery: 'There is no delivery yet: say hi first.',
  makeOwnConnector: 'Make your own connector',
  ownConnector: 'A connector is a program of 40 lines that joins another messaging service. Create a channel for it.',
  ownConnectorOrDemo: (demo: ComponentChildren) => (
    <>A connector is a program of 40 lines that joins another messaging service. Create a channel for it, or look at {demo}.</>
  ),
  thatOfTheDemo: 'that of the demo',
  webChat: 'Web chat',
  createChannel: 'Create a channel',
  chartOfTraffic: 'Messages in, out and failed over time; the table has the numbers',
  traffic: 'Traffic of the last five minutes',
  countIn: (total: number) => `${total} in`,
  countOut: (total: number) => `${total} out`,
  countFailed: (total: number) => `${total} failed`,
  noMessages: 'No messages in the last five minutes.',
  asTable: 'As a table',
  from: 'From',
  in: 'In',
  out: 'Out',
  failed: 'Failed',
  whatIsCounted: 'In: messages of contacts. Out: messages to contacts. Failed: failed messages, and attempts of deliveries.',
});

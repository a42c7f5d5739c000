import type { ComponentChildren } from 'preact';
import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  connection: 'Connection',
  theNumberIsNotConnected: (type: string) => (
    <>
      The number is not connected to its service, so nothing is sent or received: connect it with{' '}
      <code>npx posthorn channel add {type}</code>
    </>
  ),
  stopped: 'stopped',
  receivingFails: 'receiving fails',
  connected: 'connected',
  nothingIsSentOrReceived: (time: ComponentChildren, title: string, code: number) => (
    <>
      Nothing is sent or received since {time}. The service refuses the number: <bdi>{title}</bdi> (error {code}). Messages wait. The check
      asks the service again, and resumes the number if it accepts the stored settings.
    </>
  ),
  state: 'State',
  receiving: 'Receiving',
  lastErrorOfReceiving: 'Last error of receiving',
  connected2: 'Connected',
  theServiceAcceptsThe: 'The service accepts the settings',
  check: 'Check the connection',
  theNumberSendsAndReceives: 'The number sends and receives again',
  resumeWithoutACheck: 'Resume without a check',
  notWhileItIsStopped: 'not while it is stopped',
  theServiceCallsThePlatform: 'the service calls the platform',
  active: 'active',
  by: (way: string) => `by ${way}, `,
  failedOnceTimesInA: (failures: number, next: null | string) =>
    `failed ${failures === 1 ? 'once' : `${failures} times in a row`}, ${next === null ? 'being tried again' : 'again at '}`,
  features: 'Features',
  reactions: 'Reactions',
  webhooksReceiveReactionsOf: 'Webhooks receive reactions of contacts',
  theConnectorOfAChannel: (isChannel: boolean) => `${isChannel ? 'The connector of a channel' : 'The service'} reports its statuses.`,
  delaysOfTheStatuses: 'Delays of the statuses',
  theNetworkPolicyWasReset: 'The network policy was reset',
  resetTheNetworkPolicy: 'Reset the network policy?',
  delaysRulesAndSwitches: 'Delays, rules and switches become those of a new number.',
  resetThePolicy: 'Reset the policy',
  resetTheNetworkPolicy2: 'Reset the network policy',
  automaticStatuses: 'Automatic statuses',
  theNetworkReportsSentAnd: 'The network reports sent and delivered',
  youReportTheStatusesIn: 'You report the statuses, in the Inbox or with a call',
  readReceipts: 'Read receipts',
  theNetworkAlsoReportsRead: 'The network also reports read',
  statusesInReverseOrder: 'Statuses in reverse order',
  testsClientsThatExpectAn: 'Tests clients that expect an order',
  windowOfHours: (value: number) => `Window of ${value} hours`,
  contactsWhoHaveNotWritten: 'Contacts who have not written within it receive templates only',
  n1RuleRefusesFailsOr: (count: number) =>
    `${count === 1 ? '1 rule refuses, fails or holds' : `${count} rules refuse, fail or hold`} messages`,
  remove: 'Remove',
  labelIsonOffOn: (label: string, isOn: boolean) => `${label} ${isOn ? 'off' : 'on'}`,
  delays: 'Delays',
  save: 'Save',
  sentAfterInMs: 'Sent after, in ms',
  deliveredAfterInMs: 'Delivered after, in ms',
  readAfterInMs: 'Read after, in ms',
  emptyNoReadReceipts: 'Empty: no read receipts',
  numberOfTheNetwork: 'number of the network',
  numbers: 'Numbers',
  theNumberExistsItsClients: 'The number exists. Its clients need a token: create one below.',
  kind: 'Kind',
  ofType: (type: string) => (
    <>
      of type <code>{type}</code>
    </>
  ),
  address: 'Address',
  theAddress: 'the address',
  uuid: 'UUID',
  theUuid: 'the uuid',
  businessAccount: 'Business account',
  none: 'none',
  theBusinessAccount: 'the business account',
  created: 'Created',
  pagesAbout: (name: string) => `Pages about ${name}`,
  inbox: 'Inbox',
  channelAndConnector: 'Channel and connector',
  webhooks: 'Webhooks',
  deliveries: 'Deliveries',
  calls: 'Calls',
  events: 'Events',
  changeNameAndBusiness: 'Change name and business account',
  name: 'Name',
  numbersOfOneAccountShare: 'Numbers of one account share flows; empty for none',
  numberOfTheNetwork2: 'Number of the network',
  forMessagesOverThe:
    'For messages over the messaging network, with templates, flows and statuses. In a sandbox a phone on this machine plays the network.',
  sandboxNumber: 'Sandbox number',
  aNumberOfTheNetwork: 'A number of the network for trials, which is shared by several businesses.',
  myService: 'My service',
  createANumber: 'Create a number',
  createNumber: 'Create number',
  anInternationalPhoneNumber: 'An international phone number with its plus',
  newNumber: 'New number',
  createAChannel: 'create a channel',
  forANumberOfAnother: (link: ComponentChildren) => <>For a number of another messaging service, {link}.</>,
  theListOfNumbers: 'the list of numbers',
  nameAddressOrKind: 'Name, address or kind',
  aNumberIsAnAddress: 'A number is an address of yours on the messaging network. Each token belongs to one number.',
  selectANumber: 'Select a number',
  itsTokensFeaturesAndLimits: 'Its tokens, features and limits appear here.',
  connector: 'connector',
  limitsAndPermissions: 'Limits and permissions',
  callsAreNotLimited: 'Calls are not limited.',
  perMinuteCallsMessagesWith: (general: number, text: number, media: number) =>
    `Per minute: ${general} calls, ${text} messages with text and ${media} with media. More get 429.`,
  tokensOfAChannelChannel: (kind: string, allowed: number, count: number) =>
    `Tokens of a ${kind === 'channel' ? 'channel' : `${kind} number`} may make ${allowed} of ${count} calls`,
  theOthersGet403With: () => (
    <>
      The others get 403 with the code <code>not_supported</code>, and the error says which kind of number to use.
    </>
  ),
  call: 'Call',
  thisNumber: ', this number',
  limit: 'Limit',
  yes: 'yes',
  byContent: 'by content',
  myClient: 'My client',
  tokens: 'Tokens',
  token: 'token',
  tryIt: 'Try it',
  theExampleCall: 'the example call',
  thisNumberHasNoToken: 'This number has no token, so no client can call the API as this number.',
  label: 'Label',
  endsWith: 'Ends with',
  lastUsed: 'Last used',
  expires: 'Expires',
  actions: 'Actions',
  notSinceTheStart: 'not since the start',
  revoke: (name: string) => `Revoke “${name}”?`,
  callsWithTheTokenThat: (hint: string) =>
    `Calls with the token that ends with ${hint} get 401 immediately. A revoked token cannot be restored.`,
  revokeToken: 'Revoke token',
  theTokenWasRevoked: 'The token was revoked',
  revoke2: 'Revoke',
  createAToken: 'Create a token',
  createToken: 'Create token',
  whichClientUsesItThe: 'Which client uses it. The token expires after a year.',
  hello: 'Hello',
  aSandboxNumber: 'sandbox number',
});

import type { ComponentChildren } from 'preact';
import { catalogue, plural } from '../../../../../core/web/language.js';

export const texts = catalogue({
  retryNow: 'Retry now',
  theRetryIsSent: 'The retry is sent',
  clockToNextAttempt: 'Clock to next attempt',
  theClockWasMovedTo: 'The clock was moved to the next attempt',
  redeliver: 'Redeliver',
  theDeliveryIsQueuedAgain: 'The delivery is queued again',
  openRedeliverEdited: 'Redeliver edited…',
  cancelRetries: 'Cancel retries',
  cancel: 'Cancel',
  theDeliveryWasCancelled: 'The delivery was cancelled',
  askCancelRetries: 'Cancel the retries?',
  askCancelDelivery: 'Cancel the delivery?',
  whatCancelDoes: 'No further attempt is made. It can be redelivered later.',
  cancelTheRetries: 'Cancel the retries',
  cancelTheDelivery: 'Cancel the delivery',
  addFault: 'Add fault…',
  state: 'State',
  delivery: 'Delivery',
  time: 'Time',
  deliveries: 'Deliveries',
  wordsInBodies: 'Words in the body or response',
  stateAll: 'State: all',
  webhook: 'Webhook',
  webhookAll: 'Webhook: all',
  number: 'Number',
  numberAll: 'Number: all',
  reason: 'Reason',
  reasonAll: 'Reason: all',
  addressOfTheContact: 'Address of the contact',
  messageId: 'Message id',
  withAttemptsForNetworkPanels: 'every attempt, for network panels',
  jsonLines: 'JSON lines',
  withBodiesAndAttempts: 'with bodies and attempts',
  noDeliveryIsSelected: 'No delivery is selected',
  chooseOne: () => (
    <>
      Choose one, or press <kbd>j</kbd>, to see its attempts, the exact bytes of requests and responses, and its signature.
    </>
  ),
  noDeliveryMatches: 'No delivery matches these filters',
  clearTheFilters: 'Clear the filters',
  deletedWebhook: 'deleted webhook',
  openRedeliver: 'Redeliver…',
  redeliverTheseDeliveries: 'Redeliver these deliveries',
  target: 'Target',
  insteadOfWebhook: "instead of the webhook's URL",
  webhookWasDeleted: 'the webhook was deleted',
  idOfDelivery: 'the id of the delivery',
  message: 'Message',
  idOfMessage: 'the id of the message',
  inbox: 'Inbox',
  why: 'Why?',
  copyOf: 'Copy of',
  queued: 'Queued',
  webhookIsPaused: 'the webhook is paused',
  timeline: 'Timeline',
  request: 'Request',
  response: 'Response',
  signature: 'Signature',
  event: 'Event',
  diff: 'Diff',
  attempt: 'Attempt',
  notSigned: 'The plugin that sends this delivery does not sign it as webhooks are signed.',
  onItsOwnPage: 'Open this on a page of its own',
  keyOfEvent: 'the key of the event',
  contact: 'Contact',
  bytes: 'Bytes',
  body: 'body',
  bodyOfTheEvent: 'Body of the event',
  partNotLoaded: 'This part of the console could not be loaded.',
  bodyNotStored: 'The body is no longer stored.',
  requestBody: 'request body',
  faultActed: (rule: string, kind: string) => (
    <>
      The fault rule <code>{rule}</code> ({kind}) acted on this attempt.
    </>
  ),
  theUrl: 'the URL',
  requestHeaders: 'Request headers, in the order in which they were sent',
  noResponse: 'No response',
  noAttempt: 'No attempt was made yet.',
  responseHeaders: 'Response headers',
  responseBody: 'response body',
  noResponseSent: 'The receiver sent none, so there are no headers and no body.',
  responseIsCut: 'The record has the first 4 kB of the response, and its headers; the bytes are no longer in memory.',
  bodyThatWillBeSent: 'No attempt was made yet. This is the body that will be sent.',
  requestsNotRecorded: 'This platform keeps no requests: its option recording.deliveries is off. This is the body, as it is stored.',
  headersNotKept: 'The headers are no longer kept: only the newest requests since the last start are. This is the body, as it is stored.',
  waitingForAConnection: 'waiting for a connection',
  tcpConnection: 'TCP connection',
  tlsHandshake: 'TLS handshake',
  waitingForTheResponse: 'waiting for the response',
  readingTheResponse: 'reading the response',
  whereTheTimeWent: 'Where the time went',
  inAll: (duration: string) => (
    <>
      in all <strong>{duration}</strong>
    </>
  ),
  ms: (value: number) => `${value} ms`,
  addAFaultFor: (name: string) => `Add a fault for ${name}`,
  addAFault: 'Add a fault',
  addTheFault: 'Add the fault',
  theFaultWasAdded: 'The fault was added',
  theReceiver: 'The receiver',
  whatFaultsDo: 'The platform pretends this for the next attempts. Your program stays as it is.',
  status: 'Status',
  whichStatusesCancel: '4XX and 502 cancel the retries; other failures are retried.',
  milliseconds: 'Milliseconds',
  attemptsEnd: 'An attempt ends after 5,000 ms.',
  times: 'Times',
  howManyFail: 'How many attempts fail.',
  noDeliveries: 'No deliveries',
  noNumber: 'No deliveries yet: there is no number',
  whatNumbersAreFor: 'A webhook belongs to a number, whose events it receives.',
  createANumber: 'Create a number',
  noWebhook: 'No deliveries yet: there is no webhook',
  whatWebhooksDo: 'A webhook sends the events of a number to your program: messages of contacts, statuses, and sent messages.',
  createAWebhook: 'Create a webhook',
  noDeliveriesYet: 'No deliveries yet',
  allAreDisabled: 'Every webhook is disabled, so events are not sent.',
  andMoreWebhooks: (value: number) => `and ${value} more webhooks`,
  whyNothingHappened: 'why nothing happened',
  redeliverEdited: 'Redeliver edited',
  send: 'Send',
  copiesQueued: (count: number) => `${count} queued`,
  editedBody: 'Body',
  editedBytes: (count: number, jsonProblem: string) => `${count} bytes, sent exactly like this. ${jsonProblem}`,
  unchangedBytes: 'Unchanged: the same bytes as before.',
  url: 'URL',
  emptyUrl: 'Empty: the URL of the webhook.',
  upTo100Copies: 'Up to 100 copies, for example to test that duplicates are ignored.',
  keepSignature: 'Keep the signature of the original body, to test that an edited body is rejected',
  oneAttemptOnly: 'One attempt only',
  itIsNotJson: 'It is not JSON.',
  runOfRedelivery: (run: number) => `Run ${run}: a redelivery starts again with the first attempt.`,
  attemptsAndScheduled: 'Attempts and scheduled retries',
  started: 'Started',
  after: 'After',
  took: 'Took',
  lane: 'Lane',
  outcome: 'Outcome',
  retry: (n: number) => `Retry ${n}`,
  nextIn: (countdown: string) => `next, in ${countdown}`,
  ifOthersFail: 'if the attempts before fail',
  dropped: 'Dropped',
  byTime: (seconds: string) => `by ${seconds}`,
  due: (time: ComponentChildren) => <>due {time}</>,
  ifAllFail: 'if every attempt fails',
  nextAttempt: (countdown: string) => (
    <>
      Next attempt in <strong role="timer">{countdown}</strong>
    </>
  ),
  byServerClock: (time: ComponentChildren) => <>at {time} by the clock of the server</>,
  inTime: (countdown: string) => `in ${countdown}`,
  ofRun: (what: string, run: number) => `${what} of run ${run}`,
  isQueued: 'queued',
  isBeingSent: 'being sent',
  isDelivered: 'received',
  isPaused: 'paused',
  isCancelled: 'cancelled',
  isDropped: 'dropped',
  retrying: 'retrying',
  retryWait: 'retry wait',
  cancelledOrDropped: 'cancelled or dropped',
  listForSpreadsheets: 'the list, for spreadsheets',
  showOlderDeliveries: 'Show older deliveries',
  countOfAttempts: (count: number) => `${count} ${plural(count, 'attempt', 'attempts')}`,
  redeliveredAll: (count: number) => `${count} redelivered`,
  redeliveredSome: (count: number) => `${count} redelivered; more match, repeat the action`,
  sendsAgain: (states: string | undefined, chosen: Readonly<Record<'webhook' | 'number' | 'reason', boolean>>) => (
    <>
      Sends again, oldest first and at most 100, the deliveries that are <strong>{states}</strong>
      {chosen.webhook && ' of the chosen webhook'}
      {chosen.number && ' of the chosen number'}
      {chosen.reason && ' with the chosen reason and time'}. Each starts again with its first attempt.
    </>
  ),
  nameLookup: 'name lookup',
  hookIsDisabled: (webhook: ComponentChildren) => <>{webhook} is disabled.</>,
  hookReceives: (webhook: ComponentChildren, events: string) => (
    <>
      {webhook} receives {events}; nothing of that has happened.
    </>
  ),
  hookIsPaused: (webhook: ComponentChildren, events: string) => (
    <>
      {webhook} receives {events}, and is paused.
    </>
  ),
  writeMessage: (inbox: ComponentChildren, why: ComponentChildren) => (
    <>
      Write a message as a contact in the {inbox}, or ask {why}.
    </>
  ),
  resumeOrWrite: (inbox: ComponentChildren, why: ComponentChildren) => (
    <>
      Resume the webhook, or write a message as a contact in the {inbox}, or ask {why}.
    </>
  ),
  about: (time: string) => `about ${time}`,
  noneYet: 'none yet',
  drawing: (attempts: string) => `Attempts: ${attempts}`,
  drawingWithNext: (attempts: string, time: string) => `Attempts: ${attempts}; next in ${time}`,
  retriesEndAfter: (time: string) => `retries end after ${time}`,
  droppedAfter: (time: string) => `dropped after ${time}`,
  retriesStopAt: (time: string) => `retries stop at ${time}`,
  first: 'First',
  acceptedBut: (fault: string) => (
    <>
      <b>The connector accepted the message, but</b> <span dir="auto">{fault}</span>
    </>
  ),
  isPriority: 'the priority of its attempts',
  whatLanesDo:
    'While many attempts wait, high gets more of them than default, and default more than low. The response times of a webhook decide it.',
  whatRetryNowDoes: 'Makes the scheduled attempt now; if it fails, the later retries are made as planned.',
  whatRedeliverDoes: 'Starts again with the first attempt, and the same body.',
  whatRedeliverEditedDoes: 'Sends a copy whose body or URL you change.',
  whatClockDoes: 'Moves the clock of the sandbox, for everything in it, to the time of the next attempt.',
  whatFaultsAreFor: 'Makes the next attempts at this webhook fail, be late or arrive twice, as a test of its receiver.',
  sentBy: (plugin: string) => `sent by ${plugin}`,
});

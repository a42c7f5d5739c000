import { catalogue, plural } from '../../../../../core/web/language.js';

const checks = (count: number): string => `${count} ${plural(count, 'check', 'checks')}`;

export const texts = catalogue({
  theCheckHasStarted: 'The check has started',
  reRunThisCheck: 'Run this check again',
  thisRunHasNoResult: (id: string) => `This run has no result of the check ${id}.`,
  theRunIsNoLonger: 'The run is no longer kept.',
  result: 'Result',
  at: 'at',
  rule: 'Rule',
  apiSpecification: (section: string) => `API specification: ${section}`,
  a: (kind: string, level: string, demand: string) => (
    <>
      A {kind} <strong>{level}</strong>: {demand}
    </>
  ),
  demand: (isMust: boolean, demand: string) => `${isMust ? 'must' : 'should'} ${demand}`,
  section: (section: string) => section.replace(/, (?=\d)/, ', rule '),
  reason: 'Reason',
  expected: 'Expected',
  received: 'Received',
  fix: 'Fix',
  nothingWasSent: 'Nothing was sent.',
  theCheckSentNothing: 'The check sent nothing.',
  evidence: 'Evidence',
  requestsOfTheRunGo:
    'Requests of the run go straight to the endpoint, because the platform would not send some of them. Deliveries does not list them; their bytes are above.',
  otherCallsOfTheAbout: (kind: string) => `Other calls of the ${kind} about this check`,
  theCallsThePlatform: (kind: string) => `The ${kind} calls the platform`,
  thePlatformDeliversToThe: (kind: string) => `The platform delivers to the ${kind}`,
  theRunCallsThe: (kind: string) => `The run calls the ${kind}`,
  theRunCallsThePlatform: 'The run calls the platform',
  noResponse: 'no response',
  delivery: 'Delivery',
  call: 'Call',
  request: 'Request',
  requestHeaders: 'Request headers',
  requestBody: 'request body',
  response: 'Response',
  responseHeaders: 'Response headers',
  responseBody: 'response body',
  thereWasNoResponse: 'There was no response.',
  resultOfTheChecks: 'Result of the checks',
  runAllChecksAgain: 'Run all checks again',
  withAnotherDriver: 'With another driver',
  checkThe: (kind: string) => `Check the ${kind}`,
  theChecksHaveStarted: 'The checks have started',
  checksTheAgainstTheApi: (kind: string, isConnector: boolean) =>
    `Checks the ${kind} against the API specification: signatures, responses and response times${isConnector ? ', every kind of message, statuses, and what contacts write' : ', and every kind of event'}. Each failed check shows what was sent and received, what was expected, and the fix.`,
  endpoint: 'Endpoint',
  theEndpoint: 'the endpoint',
  requests: 'Requests',
  atMostFourASecond: (isConnector: boolean) =>
    `At most four a second, for up to 90 s, signed with the secret of the ${isConnector ? 'channel' : 'webhook'}, which stays on the server.`,
  contactsAreCalledPosthorn: () => (
    <>
      Contacts are called <code>posthorn-conformance-…</code>.
    </>
  ),
  contactsHaveNumbersThat: 'Contacts have numbers that begin with 999, which no network assigns.',
  runAllChecks: 'Run all checks',
  driverUrlOptional: 'Driver URL (optional)',
  aUrlOfYourConnector: 'A URL of your connector that acts as a contact. Without it, the checks of inbound messages are skipped.',
  requestsToADriver: 'Requests to a driver',
  aPostForEachAction: () => (
    <>
      A POST for each action of a contact, with one of these bodies. Respond 2XX when it is done; an action that you respond to with 404 is
      skipped. The starter connectors have a driver at <code>/phone</code>.
    </>
  ),
  bodiesThatADriverReceives: 'bodies that a driver receives',
  theChecksOfAnotherEndpoint: (url: string, value: number, ofValue: number) => (
    <>
      The checks of another endpoint are in progress: <bdi>{url}</bdi>, {value} of {ofValue}.
    </>
  ),
  stopThem: 'Stop them',
  thisPlatformDoesNotRun: () => (
    <>
      This platform does not run checks itself: they are part of the sandbox. Run them in a terminal, with the secret in{' '}
      <code>POSTHORN_SECRET</code>:
    </>
  ),
  theCommand: 'the command',
  failedChecks: 'Failed checks',
  expectedReceived: (expected: string, received: string) => (
    <>
      Expected {expected}; received <bdi>{received}</bdi>.
    </>
  ),
  fix2: 'Fix:',
  recordsOf: (id: string) => `Records of ${id}`,
  of: (id: string) => `of ${id}`,
  of2: (ofValue: string) => `of ${ofValue}`,
  all: 'All',
  failed: 'Failed',
  skipped: 'Skipped',
  passed: 'Passed',
  checks: 'Checks',
  resultsToShow: 'Results to show',
  noCheckHasThisResult: 'No check has this result.',
  checksBySectionOfThe: 'Checks by section of the API specification',
  check: 'Check',
  level: 'Level',
  ofDone: (done: number, of: number) => `${done} of ${checks(of)} done`,
  cancelledAfterOf: (done: number, of: number) => `Cancelled after ${done} of ${checks(of)}`,
  theRunFailedAfterOf: (done: number, of: number) => `The run failed after ${done} of ${checks(of)}`,
  noRequestGotAResponse: 'No request got a response',
  checksFailed: (count: number, required: number, recommended: number, others: number) =>
    `${checks(count)} failed: ${[
      ...(required > 0 ? [`${required} required`] : []),
      ...(recommended > 0 ? [`${recommended} recommended`] : []),
      ...(others > 0 ? [`${others} for information`] : []),
    ].join(', ')}`,
  onePassed: 'passed',
  oneSkipped: 'skipped',
  oneFailed: 'failed',
  notRun: 'not run',
  running: 'running',
  waiting: 'waiting',
  passedNoneFailed: (passed: number) => `${checks(passed)} passed, none failed`,
  theCheckPassed: 'The check passed',
  allChecksPassed: (passed: number) => `All ${passed} checks passed`,
  checking: (url: string) => (
    <>
      Checking <bdi>{url}</bdi>
    </>
  ),
  theRunWasCancelled: 'The run was cancelled',
  stop: 'Stop',
  of3: (done: number, ofValue: number) => `${done} of ${ofValue}`,
  now: (id: string, title: string) => `Now: ${id} ${title}`,
  theResultsAreBeing: 'The results are being collected.',
  checkThatTheProgramRuns: (unreachable: string) =>
    `${unreachable}. Check that the program runs and listens on this host and port, then run the checks again.`,
  after: (duration: string) => `, after ${duration}`,
  theseResultsAreOfThe: (url: string) => (
    <>
      These results are of <bdi>{url}</bdi>; the endpoint has changed since.
    </>
  ),
  reRunFailedChecks: 'Run failed checks again',
  withSkippedBecauseOfThem: (value: number) => `with ${value} skipped because of them`,
  continueWithTheOther: (count: number) => `Continue with the other ${count}`,
  reportAsJson: 'Report as JSON',
  passed2: (ofValue: number) => `${ofValue} passed`,
  failed3: (count: number) => `${count} failed`,
  skipped2: (ofValue: number) => `${ofValue} skipped`,
  skipped3: (times: number, value: string) => `${times} skipped: ${value}`,
  theyNeedAContactThat:
    'they need a contact that writes. Enter a driver URL below, or run the command in a terminal and act as the contact.',
  theyNeedATokenOf: 'they need a token of the channel, which this sandbox does not know. Run the command in a terminal with --token.',
});

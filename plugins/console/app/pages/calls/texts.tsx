import { catalogue, plural } from '../../../../../core/web/language.js';

export const texts = catalogue({
  status: 'Status',
  call: 'Call',
  time: 'Time',
  calls: 'Calls',
  theCalls: 'the calls',
  callsNewestFirst: 'Calls, newest first',
  methodOrPathContains: 'Method or path contains',
  numberOfTheToken: 'Number of the token',
  everyNumber: 'Every number',
  withoutAValidToken: 'Without a valid token',
  refusedOnly: 'Refused only',
  everyStatus: 'Every status',
  wordsInBodies: 'Words in bodies, such as a contact',
  withBodiesForNetworkPanels: 'with headers and bodies, for network panels',
  jsonLines: 'JSON lines',
  withHeadersAndBodies: 'with headers and bodies',
  noCallIsSelected: 'No call is selected',
  selectOne: () => (
    <>
      Select one to see its headers, body and response. <kbd>j</kbd> and <kbd>k</kbd> go through the list.
    </>
  ),
  milliseconds: (ms: number) => `${ms} ms`,
  noRoute: 'no route has this path',
  noValidToken: 'without a valid token',
  throughAdminApi: 'as its connector, through the admin API',
  noTokenNeeded: 'this route needs no token',
  noCallHasArrived: 'No call has arrived',
  howCallsArrive: (posthorn: string) => (
    <>
      Calls of the API appear here as they arrive, also those that are refused. <code>{posthorn} env</code> prints the address and a token.
    </>
  ),
  noCallMatchesTheFilters: 'No call matches the filters',
  showEveryCall: 'Show every call',
  thisPlatformRecordsNoCalls: 'This platform records no calls',
  howToRecord: () => (
    <>
      Set <code>{'recording: { calls: true }'}</code> in its options. The newest 500 calls are then kept in memory, with credentials masked.
    </>
  ),
  listForSpreadsheets: 'the list, for spreadsheets',
  showOlderCalls: 'Show older calls',
  count: (shown: string, count: number, isCut: boolean) => `${shown} ${plural(count, 'call', 'calls')}${isCut ? ', the newest' : ''}`,
});

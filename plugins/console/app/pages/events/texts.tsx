import { catalogue, plural } from '../../../../../core/web/language.js';

export const texts = catalogue({
  nameBegins: 'The name begins with it. Several names: any of them.',
  fieldBegins: 'A field of this name, at any depth, begins with this value.',
  contains: 'The event contains this text.',
  minusExcludes: 'A minus excludes.',
  event: 'Event',
  time: 'Time',
  newEventsAppearAgain: 'New events appear again',
  newEventsWait: 'New events wait',
  jsonLines: 'JSON lines',
  asTailPrintsThem: 'as posthorn tail --json prints them',
  forSpreadsheets: 'times, names and summaries, for spreadsheets',
  events: 'Events',
  theEvents: 'the events',
  eventsAsTree: 'Events, as a tree in the order of time',
  eventsNewestFirst: 'Events, newest first',
  number: 'Number',
  everyNumber: 'Every number',
  contact: 'Contact: its address or id',
  noEventIsSelected: 'No event is selected',
  selectOne: () => (
    <>
      Select one to see its data, and everything about its message or conversation. <kbd>p</kbd> pauses the list.
    </>
  ),
  keepsTheNewestOnly: 'The page keeps the newest events only',
  filterOfEvents: 'Filter of events',
  howToFilter: 'How to filter',
  everyEvent: 'Every event',
  pinnedEvents: 'Pinned events',
  unpinOne: (name: string) => `Unpin ${name}`,
  unpin: 'Unpin',
  nothingHappened: 'Nothing has happened yet',
  howEventsArrive: (posthorn: string) => (
    <>
      Events appear here as they happen: messages, deliveries, turns of journeys, calls. Write a message on the page Inbox, or run{' '}
      <code>{posthorn} send</code>.
    </>
  ),
  noEventMatchesTheFilter: 'No event matches the filter',
  searchForText: (text: string) => (
    <>
      Search for the text <bdi>"{text}"</bdi>
    </>
  ),
  showEveryEvent: 'Show every event',
  nothingAboutThis: 'No event is about this id',
  whichEventsAreKept: 'This page keeps the events since it was opened, and those before that the platform retains, up to 5,000.',
  gap: (summary: string) => `Events are missing here: ${summary}`,
  pinned: 'pinned',
  notAvailable: 'This event is no longer available',
  exportToKeep: 'Events stay in the memory of the platform and of this page, and not longer. Export those that you want to keep.',
  pin: 'Pin',
  theEventAsJson: 'the event as JSON',
  everythingAboutThisMessage: 'Everything about this message',
  thisConversation: 'This conversation',
  why: 'Why?',
  id: 'Id',
  theIdOfTheEvent: 'the id of the event',
  dataOfTheEvent: 'Data of the event',
  followNew: (count: string) => `Follow, ${count} new`,
  follow: 'Follow',
  pause: 'Pause',
  searching: 'Searching…',
  ofTheNewest: (count: string, newest: string) => `${count} of the newest ${newest}`,
  theSameAs: (posthorn: string, filter: string) => (
    <>
      The same as{' '}
      <code>
        {posthorn} tail {filter}
      </code>
    </>
  ),
  eventsAbout: (count: number, id: string) => (
    <>
      {count} {plural(count, 'event', 'events')} about <code>{id}</code>
    </>
  ),
});

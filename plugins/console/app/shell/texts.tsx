import type { ComponentChildren } from 'preact';
import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  overview: 'Overview',
  inbox: 'Inbox',
  contacts: 'Contacts',
  talk: 'Talk',
  numbers: 'Numbers',
  deliver: 'Deliver',
  channels: 'Channels',
  webhooks: 'Webhooks',
  deliveries: 'Deliveries',
  journeys: 'Journeys',
  build: 'Build',
  flows: 'Flows',
  integrations: 'Integrations',
  why: 'Why?',
  look: 'Look',
  calls: 'Calls',
  events: 'Events',
  signature: 'Signature',
  advice: 'Advice',
  settings: 'Settings',
  audit: 'Audit',
  skipToThePage: 'Skip to the page',
  noSuchPage: 'No such page',
  theConnectionToThePlatform: (time: ComponentChildren) => (
    <>
      <b>The connection to the platform is lost.</b> This page shows what was known at {time}. It connects again by itself.
    </>
  ),
  posthornConsole: (value: string) => `${value} · Posthorn console`,
  theConsoleHasNoSuch: 'The console has no such page',
  theAddressMayBeOf: 'The address may be of another release. The menu lists every page.',
  anotherOperatorIsSignedIn: 'Another operator is signed in',
  thisBrowserIsNowSigned: (name: string) => (
    <>
      This browser is now signed in as <bdi>{name}</bdi>, and this page was opened before.
    </>
  ),
  loadThePageAgain: 'Load the page again',
  thisBrowserIsNotSigned: 'This browser is not signed in',
  runOpenInTheFolder: (posthorn: string) => (
    <>
      Run <code>{posthorn} open</code> in the folder of the sandbox, or press <kbd>o</kbd> in its terminal. Either opens this page with a
      session.
    </>
  ),
  signIn: 'Sign in',
  tryAgain: 'Try again',
  n17SecondsLater: '17 seconds later',
  n5MinutesLater: '5 minutes later',
  n1DayLater: '1 day later',
  theClockWasMoved: 'The clock was moved',
  theClockWasNotMoved: 'The clock was not moved',
  clockOfTheSandbox: (time: string, paused: boolean) => `${time}, clock of the sandbox${paused ? ', paused' : ''}`,
  copyAMoveOfThe: 'Copy a move of the clock',
  resumeTheClock: 'Resume the clock',
  pauseTheClock: 'Pause the clock',
  toTheNextTimer: 'To the next timer',
  noTimerIsPending: 'No timer is pending',
  themeOfTheSystem: 'Theme of the system',
  lightTheme: 'Light theme',
  darkTheme: 'Dark theme',
  posthorn: 'Posthorn',
  searchAndCommands: 'Search and commands',
  ctrlK: 'Ctrl K',
  apiReference: 'API reference',
  themeAndSignOut: 'Theme and sign-out',
  signOut: 'Sign out',
  keyboardShortcuts: 'Keyboard shortcuts',
  signedInAs: (shown: string) => `Signed in as ${shown}`,
  thisPageShowsChangesOf: 'This page shows changes of the platform as they happen',
  live: 'live',
  theConsoleConnectsAgainBy: 'The console connects again by itself and continues after the last event',
  connecting: 'connecting',
  notConnected: 'not connected',
  pages: 'Pages',
  open: 'open',
  noRole: 'no role',
  nextAndPreviousEntryOf: 'Next and previous entry of a list',
  openTheSelectedEntry: 'Open the selected entry, or the rows of a group',
  markTheSelectedEntry: 'Mark the selected entry of a list, for its export',
  changeTheWidth: 'Change the width of a column, on the line beside its title',
  closeTheDetailDialogOr: 'Close the detail, dialog or menu',
  filterTheList: 'Filter the list',
  searchPagesNumbersAndIds: 'Search pages, numbers and ids, and run commands',
  showThisList: 'Show this list',
});

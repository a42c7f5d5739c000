import type { ComponentChildren } from 'preact';
import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  copyAs: 'Copy as…',
  curlTypescriptCommandLine: 'curl, TypeScript, command line',
  thisPageCouldNotBe: (reason: string) => `This page could not be shown: ${reason}`,
  notNow: 'Not now',
  keepIt: 'Keep it',
  copyAs2: (label: string) => `Copy “${label}” as`,
  copied: (what: string) => `Copied ${what}`,
  theBrowserDidNotAllow: (what: string) => `The browser did not allow to copy ${what}`,
  copied2: 'Copied',
  copy: 'Copy',
  copy2: (label: string) => `Copy ${label}`,
  copy3: (label: string, text: string) => `Copy ${label} ${text}`,
  curl: 'curl',
  theCallAsCurl: 'the call as curl',
  typescript: 'TypeScript',
  theCallAsTypescript: 'the call as TypeScript',
  commandLine: 'Command line',
  copyAs3: 'Copy as',
  someCallsFail: 'some calls fail',
  noCallIn24H: 'no call in 24 h',
  noCall: (time: string) => `${time}: no call`,
  ofCallsSucceededIn: (ok: number, count: number, time: string) => `${ok} of ${count} calls succeeded in ${time}`,
  working: 'working',
  failing: 'failing',
  in: (percent: number, time: string) => `${percent} % in ${time}`,
  n15Min: '15 min',
  n24H: '24 h',
  health: 'Health',
  lastError: 'Last error',
  showTheDelivery: 'Show the delivery',
  nextAttempt: 'Next attempt',
  thisPartOfTheConsole: 'This part of the console could not be loaded.',
  notLoaded: 'Not loaded',
  theMenuCouldNotBe: 'The menu could not be loaded. Press the button again.',
  current: ', current',
  responses408: 'responses 408, request timeout',
  responses429: 'responses 429, too many requests',
  responses502: 'responses 502, bad gateway',
  unknownHostNames: 'host names that do not exist',
  retryWait: 'waits for its retry',
  queued: 'queued',
  beingSent: 'being sent',
  delivered: 'delivered',
  cancelled: 'cancelled',
  dropped: 'dropped',
  noRecentDelivery: 'no recent delivery',
  retryAt: (attempts: number, time: ComponentChildren) => (
    <>
      retry {attempts} at {time}
    </>
  ),
  theWasChangedElsewhere: (noun: string) => `The ${noun} was changed elsewhere after you began to edit. Saving replaces that change.`,
  dropMyChanges: 'Drop my changes',
  askDropMyChanges: 'Drop your changes?',
  whatDroppingDoes: 'The text that you have not saved is lost.',
  dropThem: 'Drop them',
  theIdOfThe: (kind: string) => `the id of the ${kind}`,
  records: (noun: string) => `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`,
  new: (noun: string) => `New ${noun}`,
  filter: (noun: string) => `Filter ${noun}s`,
  noYet: (noun: string) => `No ${noun}s yet`,
  createTheFirst: (noun: string) => `Create the first ${noun}`,
  noMatches: (noun: string) => `No ${noun} matches`,
  showAll: (noun: string) => `Show all ${noun}s`,
  thereIsNoSuch: (noun: string) => `There is no such ${noun}`,
  itMayHaveBeenIn: 'It may have been in an earlier state of the sandbox.',
  allS: (noun: string) => `All ${noun}s`,
  copyTheNowItIs: (what: string) => (
    <>
      <strong>Copy the {what} now.</strong> It is not shown again.
    </>
  ),
  the: (what: string) => `the ${what}`,
  widthOf: (label: string) => `Width of ${label}`,
  loading: 'Loading…',
  youMayNotSeeThis: 'You may not see this',
  tryAgain: 'Try again',
  thisPlatformHasNoThe: (plugin: string) => `This platform has no ${plugin}: the plugin “${plugin}” is not loaded.`,
  onAverage: (duration: string) => `On average ${duration}.`,
  responseTimesOfTheLast: (count: number, failed: number) =>
    `Response times of the last ${count} attempts; ${failed} failed. The table below has the numbers.`,
  noResponse: 'no response',
  aMeanOfTwentyUp: (average: ComponentChildren, duration: string, duration2: string) => (
    <>
      {average} A mean of twenty up to {duration} gives the lane high, from {duration2} on low. ✗ failed.
    </>
  ),
  theCommand: 'the command',
  forSpreadsheets: 'for spreadsheets',
});

import { catalogue, plural } from '../../../../../core/web/language.js';

export const texts = catalogue({
  noCompletions: 'Completions could not be loaded; leave the editor and come back to try again',
  noProblems: 'No problems',
  problemOf: (value: number, count: number, message: string) => `Problem ${value} of ${count}: ${message}`,
  done: (done: string) => `${done}: done`,
  findInTheText: 'Find in the text',
  find: 'Find',
  notARegularExpression: 'not a regular expression',
  previousMatch: 'Previous match',
  shiftEnter: 'Shift+Enter',
  nextMatch: 'Next match',
  enter: 'Enter',
  matchCase: 'Match case',
  regularExpression: 'Regular expression',
  closeTheSearch: 'Close the search',
  escape: 'Escape',
  replaceWith: 'Replace with',
  replace: 'Replace',
  replaceAll: 'Replace all',
  noMatch: 'no match',
  orMore: ' or more',
  countPluralLengthMatch: (count: string, length: number) => `${count} ${plural(length, 'match', 'matches')}`,
  of: (value: string, count: string) => `${value} of ${count}`,
  previousProblem: 'Previous problem',
  shiftF8: 'Shift+F8',
  nextProblem: 'Next problem',
  f8: 'F8',
  of2: (n: number, count: number) => `${n} of ${count}`,
  lineColumn: (line: number, column: number) => `line ${line}, column ${column}`,
  ctrl: 'Ctrl+.',
  f8GoesToTheNext: (count: string) => (
    <>
      {count}. <kbd>F8</kbd> goes to the next.
    </>
  ),
  nSeverityPluralNS: (n: number, severity: string) => `${n} ${severity}${plural(n, '', 's')}`,
});

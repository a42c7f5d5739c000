import { catalogue, number } from '../../../../../core/web/language.js';

export const texts = catalogue({
  advice: 'Advice',
  theAdvice: 'the advice',
  open: (count: number) => `${count} open`,
  adviceNewestFirst: 'Advice, newest first',
  noAdvice: 'No advice',
  thePlatformListsProbable:
    'The platform lists probable mistakes here, such as a webhook that takes 2 s to respond, with their causes and fixes.',
  noAdviceIsSelected: 'No advice is selected',
  selectOneToSeeIts: 'Select one to see its cause and its fix.',
  times: (times: number) => (times === 1 ? 'once' : `${number(times)} times`),
  theAdviceWasDismissed: 'The advice was dismissed',
  dismiss: 'Dismiss…',
  dismissTheAdvice: 'Dismiss the advice?',
  itIsDeletedAndComes: 'It is deleted, and comes back only if its cause occurs again.',
  dismissTheAdvice2: 'Dismiss the advice',
  fix: 'Fix',
  cause: 'Cause',
  issued: 'Issued',
  first: 'First',
  last: 'Last',
  name: 'Name',
  dismissedAdviceIsIssued: 'Dismissed advice is issued again if its cause recurs.',
  thisAdviceIsNoLonger: 'This advice is no longer open',
  itWasDismissedOrIts: 'It was dismissed, or its cause was fixed.',
});

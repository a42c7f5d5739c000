import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  nothingToCompare: 'There is nothing to compare yet',
  twoAreNeeded: 'A comparison needs two recorded attempts. Redeliver the delivery, or wait for a retry.',
  bodiesAreIndented: 'JSON bodies are indented for the comparison. The tabs Request and Response have the bytes.',
  tooDifferent: 'The two are too different to compare line by line.',
  noDifference: 'No difference.',
  from: 'From',
  to: 'to',
  request: 'Request',
  response: 'Response',
  differencesOfRequests: 'Differences of the requests',
  differencesOfResponses: 'Differences of the responses',
  moreAdded: (count: string) => `${count} more added lines`,
  moreRemoved: (count: string) => `${count} more removed lines`,
  equalLines: (count: number) => `${count} equal lines`,
  noResponse: (error: string) => `no response: ${error}`,
});

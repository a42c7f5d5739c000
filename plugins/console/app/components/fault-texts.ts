import { catalogue } from '../../../../core/web/language.js';

const texts = catalogue({
  respondsWithAStatus: 'responds with a status',
  doesNotRespond: 'does not respond',
  refusesTheConnection: 'refuses the connection',
  resetsTheConnection: 'resets the connection',
  respondsLate: 'responds late',
  hostNameDoesNotExist: 'host name does not exist',
  responseEndsInItsMiddle: 'response ends in its middle',
  responseIsCutOffJson: 'response is cut-off JSON',
  requestHasAWrongSignature: 'request has a wrong signature',
  requestHasOtherSignature: 'request has the signature of another body',
  requestIsSentTwice: 'request is sent more than once',
  newerOnesOvertakeIt: 'request is sent late, after newer ones',
  linksHaveExpired: 'links to media files have expired',
  theDiskIsFull: 'the disk is full',
});

/** The effects of fault rules in words, by their kinds. */
const effects: Readonly<Record<string, string>> = {
  status: texts.respondsWithAStatus,
  timeout: texts.doesNotRespond,
  refuse: texts.refusesTheConnection,
  reset: texts.resetsTheConnection,
  delay: texts.respondsLate,
  dns: texts.hostNameDoesNotExist,
  half_body: texts.responseEndsInItsMiddle,
  bad_json: texts.responseIsCutOffJson,
  wrong_signature: texts.requestHasAWrongSignature,
  stale_signature: texts.requestHasOtherSignature,
  duplicate: texts.requestIsSentTwice,
  reorder: texts.newerOnesOvertakeIt,
  expired_link: texts.linksHaveExpired,
  disk_full: texts.theDiskIsFull,
};

/** The words of an effect; a kind of a newer platform in its own words. */
export const wordsOfEffect = (kind: string): string => effects[kind] ?? kind.replaceAll('_', ' ');

import { failureText } from '../../../../core/events/failure-text.js';
import type { AttemptRecord } from '../data/records.js';
import { texts } from './attempt-texts.js';

/** Explanations of failures by error code. */
const MEANINGS: Readonly<Record<string, { readonly means: string; readonly fix: string }>> = {
  network_error: {
    means: texts.theEndpointCouldNotBe,
    fix: texts.checkThatTheProgramRuns,
  },
  timeout: { means: texts.theEndpointDidNotRespond, fix: texts.respondFirstAndDoThe },
  dns_not_found: { means: texts.theHostNameOfThe, fix: texts.checkTheEndpointForTyping },
  tls: { means: texts.theTlsConnectionFailed, fix: texts.checkTheCertificateWith },
  blocked_address: {
    means: texts.thePlatformDoesNotCall,
    fix: texts.allowPrivateTargetsInIts,
  },
  bad_url: { means: texts.theEndpointIsNotA, fix: texts.changeTheEndpoint },
  bad_request: { means: texts.theRequestCouldNotBe, fix: texts.checkTheAdditionalHeaders },
  bad_answer: {
    means: texts.theResponseHasStatus2xx,
    fix: texts.respondWithMessagesId,
  },
  http_502: { means: texts.aProxyBeforeTheEndpoint, fix: texts.startTheProgramBehindThe },
  interrupted: { means: texts.thePlatformStoppedDuring, fix: texts.nothingTheAttemptIs },
};

const BY_STATUS: Readonly<Record<number, { readonly means: string; readonly fix: string }>> = {
  401: {
    means: texts.theEndpointRejectedThe,
    fix: texts.compareItsSecretAndSign,
  },
  403: { means: texts.theEndpointRefusedTheCall, fix: texts.compareItsSecretAndIts },
  404: { means: texts.theEndpointHasNoSuch, fix: texts.checkThePathOfThe },
  405: { means: texts.theEndpointDoesNotTake, fix: texts.acceptPostAtThisPath },
  429: { means: texts.theEndpointHasARate, fix: texts.raiseTheLimitForThe },
};

/** Explains a failed attempt, and says how to fix it. */
export function meaningOf({ error_code: code, status, response, error, no_response: noResponse }: AttemptRecord): {
  readonly means: string;
  readonly fix: string;
} {
  const known = BY_STATUS[status] ?? MEANINGS[code ?? ''];
  if (known) return code === 'network_error' && noResponse ? { ...known, means: failureText({ code: noResponse }) } : known;
  // The status is not the one of the endpoint.
  if (response === null) return { means: texts.errorTheAttemptFailed(error), fix: texts.theDeliveryHasTheDetails };
  if (status >= 300 && status < 400) return { means: texts.theEndpointRedirectedThe, fix: texts.enterTheFinalUrlAs };
  if (status >= 400 && status < 500) return { means: texts.theEndpointRefusedTheCall2(status), fix: texts.itsResponseSaysWhy };
  if (status >= 500) return { means: texts.theEndpointFailedWith(status), fix: texts.lookIntoTheLogOf };
  return { means: error ?? texts.theAttemptFailed, fix: texts.theDeliveryHasTheDetails };
}

import { defaultErrors, type ErrorShape, PlatformError } from '#core';

/** A call to the webhook whose signature is missing or wrong. */
export class SignatureRefused extends PlatformError {
  constructor(isMissing: boolean) {
    super(
      isMissing ? 401 : 403,
      isMissing ? 'signature_missing' : 'signature_wrong',
      isMissing ? 'X-Hub-Signature-256 is missing' : 'X-Hub-Signature-256 is not the signature of this body by the secret of the app',
    );
  }
}

/** The registration of a webhook with another verify token than that of the number. */
export class VerificationRefused extends PlatformError {
  constructor() {
    super(403, 'verify_token_wrong', 'hub.verify_token is not the verify token of this number');
  }
}

export const cloudErrors: ErrorShape = defaultErrors;

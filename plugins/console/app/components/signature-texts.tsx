import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  howTheSignatureIsMade: 'How the signature is made',
  sent: 'Sent',
  theRequestHadThisSignature: 'The request had this signature.',
  theRequestHadAnother: 'The request had another signature:',
  theSignatureThatWasSent: 'the signature that was sent',
  theBodyOrTheSecret: 'The body or the secret was another one when it was sent.',
  body: 'Body',
  header: 'Header',
  given: 'Given',
  bytesEndingInTheSecret: (bytes: number, endsWith: undefined | string) =>
    `${bytes} bytes${endsWith === undefined ? '' : `, ending in ${endsWith}`}. The secret itself is never shown again.`,
  theSha256OfThe: 'the SHA-256 of the body',
  theValueOfStep: (value: string) => `the value of step ${value}`,
  allBytes: 'All bytes',
  theFirst256Bytes: 'The first 256 bytes',
  hex: 'Hex',
  beginningOfTheBody: 'Beginning of the body',
  yourValueIsRight: 'Your value is right',
  noKnownMistakeGivesThis: 'No known mistake gives this value',
  findTheMistake: 'Find the mistake',
  theValueThatYourServer: 'The value that your server computed',
  pasteTheValueForExample: 'Paste the value, for example from a log line',
  inAnyFormBase64Hex: 'In any form: base64, hex, with or without the name of the header. The secret is not needed.',
  yourValueIsRightIf: () => (
    <>
      <strong>✓ Your value is right.</strong> If your server still refuses the call, it compares with something else: read the signature
      header of the request, trim nothing, and compare the two texts in constant time.
    </>
  ),
  noKnownMistakeGivesThis2: () => (
    <>
      <strong>✗ No known mistake gives this value.</strong> Compare the bytes first: log the length and the SHA-256 of the body that your
      server signs, and compare them with step 1. If they are equal, the secret is another one: a sandbox prints it with{' '}
      <code>posthorn status</code>; elsewhere, rotate it and copy it again.
    </>
  ),
  frameworks: 'Frameworks',
  aCompleteReceiverFor: (title: string) => `A complete receiver for ${title}`,
  theReceiverFor: (title: string) => `the receiver for ${title}`,
});

import type { ComponentChildren } from 'preact';
import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  signature: 'Signature',
  everyRequestToAWebhook:
    'Every request to a webhook has a header with the HMAC of its body. If your program computes another value, paste that value here: the page names the mistake that gives exactly this value, and shows the code that fixes it.',
  thereIsNoWebhookYet: 'There is no webhook yet',
  createAWebhook: 'Create a webhook',
  eachWebhookHasASecret: (link: ComponentChildren) => <>Each webhook has a secret, which signs its requests. {link} first.</>,
  signed: 'Signed',
  aDelivery: 'A delivery',
  aBodyOfYourOwn: 'A body of your own, with the secret of',
  thereIsNoSuchWebhook: 'There is no such webhook',
  itMayHaveBeenDeleted: 'It may have been deleted, or in an earlier state of the sandbox.',
  chooseAnother: 'Choose another',
  thereIsNoSuchDelivery: 'There is no such delivery',
  itMayHaveBeenIn: 'It may have been in an earlier state of the sandbox.',
  responseOfTheEndpoint: 'Response of the receiver',
  aBodyOfYourOwn2: 'A body of your own',
  body: 'Body',
  theExactBytesThatYour: 'The exact bytes that your program received. Line breaks are line feeds here.',
  deletedWebhook: 'deleted webhook',
});

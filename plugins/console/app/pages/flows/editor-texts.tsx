import type { ComponentChildren } from 'preact';
import { catalogue, plural } from '../../../../../core/web/language.js';

export const texts = catalogue({
  thePhoneShowsNoScreen: 'The phone shows no screen.',
  dataOf: (screen: string) => `Data of ${screen}`,
  showWithThisData: 'Show with this data',
  answersOnThisScreen: 'Answers on this screen',
  thePhoneWaitsForThe: 'The phone waits for the endpoint. The preview calls none: write its response.',
  requestToTheEndpoint: 'Request to the endpoint',
  responseScreen: 'Response screen',
  responseDataOf: (id: string) => `Response data of ${id}`,
  sendResponse: 'Send response',
  flows: 'Flows',
  screens: 'Screens',
  text: 'Text',
  phone: 'Phone',
  about: 'About',
  saved: 'Saved',
  theTextIsNotJson: 'The text is not JSON; fix its error first',
  format: 'Format',
  save: 'Save',
  copyItToADraft: 'Copy it to a draft',
  sendToAPhone: 'Send to a phone',
  partOfThePage: 'Part of the page',
  flowJsonOf: (name: string) => `Flow JSON of ${name}`,
  aboutTheFlow: 'About the flow',
  android: 'Android',
  device: 'Device',
  theme: 'Theme',
  findInTheText: 'Find in the text',
  previewOf: (name: string) => `Preview of ${name}`,
  theFlowHasNoScreens: 'The flow has no screens.',
  screensWithoutARouteTo: 'Screens without a route to them',
  step: (value: number) => `Step ${value}`,
  entry: 'entry ',
  terminal: 'terminal ',
  leadsTo: 'leads to',
  pleaseFillInThisForm: 'Please fill in this form.',
  openTheForm: 'Open the form',
  theBrowserDidNotAllow: 'The browser did not allow a new tab for the form.',
  sendToAPhone2: (name: string) => `Send “${name}” to a phone`,
  thePhoneGetsTheText: 'The phone gets the text that was saved last.',
  writeFromAPhoneOf: 'Write from a phone of the inbox',
  noContactHasWrittenTo: (account: string, link: ComponentChildren) => (
    <>
      No contact has written to a number of the account <bdi>{account}</bdi> yet. {link} first.
    </>
  ),
  sendTheFlow: 'Send the flow',
  textOfTheMessage: 'Text of the message',
  send: 'Send',
  showItInTheInbox: 'Show it in the inbox',
  sent: (link: ComponentChildren) => <>Sent. {link}</>,
  openTheFormAsThe: 'Open the form as the contact',
  payload: 'Payload',
  itAppearsHereWhenThe: 'It appears here when the contact completes the form.',
  theContactSentTheForm: 'The contact sent the form:',
  payloadOfTheFlow: 'Payload of the flow',
  everythingAboutThisMessage: 'Everything about this message',
  problems2: (count: number) => `Problems ${count}`,
  theTextIsNotJson2: 'The text is not JSON.',
  data: 'Data',
  log: 'Log',
  theTextIsBeingChecked: 'The text is being checked.',
  noErrorsAndNoHints: 'No errors and no hints',
  error: 'Error',
  hint: 'Hint',
  line: (lineStart: number) => `line ${lineStart}`,
  moreErrorsAreNotListed: (more: number) => `${more} more errors are not listed.`,
  nothingWasPressedYet: 'Nothing was pressed yet.',
  responseOfTheFlow: 'Response of the flow',
  completedThisIsSentAs: () => (
    <>
      <strong>Completed.</strong> This is sent as <code>response_json</code>:
    </>
  ),
  response: 'Response',
  on: (action: string, screen: string) => (
    <>
      <code>{action}</code> on <bdi>{screen}</bdi>
    </>
  ),
  payloadOf: (action: string) => `Payload of ${action}`,
  errorCount: (count: number) => `${count === 0 ? 'no' : count} ${plural(count, 'error', 'errors')}`,
  componentCount: (count: number) => `${count === 0 ? 'no' : count} ${plural(count, 'component', 'components')}`,
  enterAnObject: 'Enter a JSON object in braces.',
});

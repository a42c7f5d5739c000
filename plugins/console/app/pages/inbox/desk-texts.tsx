import type { ComponentChildren } from 'preact';
import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  reply: 'Reply',
  send: 'Send as desk',
  advice: 'Advice',
  captionOfTheReply: 'Caption of the reply',
  caption: 'Caption',
  replyAsTheDesk: 'Reply as the desk',
  file: 'File',
  imageAudioVideoDocument: 'image, audio, video, document',
  buttons: 'Buttons',
  list: 'List',
  formFlow: 'Form (flow)',
  template2: 'Template',
  location2: 'Location',
  contactCard2: 'Contact card',
  reactionToTheQuotedMessage: 'Reaction to the quoted message',
  anyMessageAsJson: 'Any message, as JSON',
  other: 'Other message type',
  copyAs: 'Copy as code…',
  copyTheReply: 'Copy the reply',
  desk: 'Desk',
  open: 'open',
  closed: 'closed',
  blocked: (reason: ComponentChildren) => <>blocked: {reason}</>,
  contact: 'Contact',
  theIdOfTheContact: 'the id of the contact',
  anotherIdOfTheContact: 'another id of the contact',
  conversation: 'Conversation',
  theIdOfTheConversation: 'the id of the conversation',
  number: 'Number',
  assignedTo: 'Assigned to',
  journey: (name: string) => `journey ${name}`,
  queue: (name: string) => `queue ${name}`,
  theDesk: 'the desk',
  reason: 'Reason',
  openedBecause: (isAgain: boolean, isInbound: boolean, name: string) =>
    `${isAgain ? 'Opened again' : 'Opened'} because ${isInbound ? `${name} wrote` : `a message was sent to ${name}`}`,
  theJourneyNoLongerWaits: 'The journey no longer waits',
  markAsRead: 'Mark as read',
  markedAsRead: 'Marked as read',
  read: 'Read',
  showTyping: 'Show typing',
  theContactSeesYouTyping: 'The contact sees you typing',
  journeyWaitsAtCard: (link: ComponentChildren, card: string) => (
    <>
      Journey {link} waits at card <bdi>{card}</bdi>
    </>
  ),
  timesOutIn: (time: ComponentChildren) => <>times out in {time}</>,
  takeOver: 'Take over',
});

import type { ComponentChildren } from 'preact';
import { catalogue, plural } from '../../../../../core/web/language.js';
import { texts as ofList } from './texts.js';

const ofDetail = catalogue({
  wasMerged: 'The contact of this address was merged into this one.',
  noMessageYet: 'No message was exchanged with this contact yet.',
  ids: 'Ids',
  theId: 'the id of the contact',
  anotherId: 'another id of the contact',
  address: 'Address',
  theAddress: 'the address of the contact',
  alsoOn: 'Same id on',
  messagesTo: 'Messages to it',
  areSent: 'not blocked',
  sinceBecause: (time: ComponentChildren, reason: string) => (
    <>
      since {time}: <bdi>{reason}</bdi>
    </>
  ),
  knownSince: 'Known since',
  lastReceived: 'Last received',
  lastSent: 'Last sent',
  alsoSee: 'Also see',
  events: 'Events',
  deliveries: 'Deliveries',
  calls: 'Calls',
  openConversation: 'Open in the Inbox',
  why: 'Why?',
  unblock: 'Unblock',
  unblocked: 'An operator no longer blocks the contact',
  openBlock: 'Block…',
  blockMessages: 'Block messages to the contact',
  block: 'Block',
  blockedNow: 'Messages to the contact are blocked',
  whatBlockingDoes:
    'Messages to the contact are refused, from every sender, until an operator lifts the block. Messages from the contact still arrive.',
  reason: 'Reason',
  reasonIsShown: 'Senders and operators see it.',
  openMerge: 'Merge…',
  mergeInto: (name: string) => `Merge another contact into ${name}`,
  merge: 'Merge',
  merged: 'The contacts were merged',
  whatMergingDoes:
    'For two contacts of one number that are one person. The messages, ids, fields and sessions of the other contact move here. It can be undone for 30 days.',
  contactToMerge: 'The other contact',
  noOtherContact: 'No other contact of this number has these words.',
  export: 'Export',
  everythingStored: 'everything that is stored about the contact',
  erase: 'Erase',
  erased: 'The contact is erased',
  eraseQuestion: (name: string) => `Erase ${name}?`,
  whatErasingDoes:
    'Everything that is stored about the contact is deleted: fields, ids, messages, media, deliveries and sessions of journeys. It cannot be undone.',
  conversation: 'Conversation',
  open: 'open',
  closed: 'closed',
  countOfMessages: (count: number, unread: number) =>
    `${count} ${plural(count, 'message', 'messages')}${unread > 0 ? `, ${unread} unread` : ''}`,
  queue: (name: string) => `Assigned to the queue ${name}.`,
  fromTheContact: 'from the contact:',
  toTheContact: 'to the contact:',
  journey: 'Journey',
  waitsAtCard: (link: ComponentChildren, card: string, until: ComponentChildren) => (
    <>
      {link} waits at card <bdi>{card}</bdi> until {until}.
    </>
  ),
  endWait: 'End the wait',
  waitEnded: 'The journey no longer waits',
  endWaitQuestion: 'End this session?',
  whatEndingDoes: 'The journey no longer waits for the contact. The next message of the contact starts a new session.',
  endSession: 'End the session',
  noJourneyWaits: 'No journey waits for the contact.',
  fields: 'Fields',
  empty: 'Empty:',
  openSetField: 'Set a field…',
  setAField: 'Set a field of the contact',
  setField: 'Set',
  fieldIsSet: (name: string) => `The field ${name} is set`,
  field: 'Field',
  value: 'Value',
  howValuesAreRead: 'A text, or JSON: true, 5, ["a"], and "5" in quotes for a text of digits. Without a value, the field becomes empty.',
  mergedContacts: 'Merged contacts',
  mergedUntil: (at: ComponentChildren, until: ComponentChildren) => (
    <>
      merged {at}, can be split until {until}
    </>
  ),
  split: 'Split',
  wasSplit: 'The contact exists again',
});

export const texts = { ...ofList, ...ofDetail };

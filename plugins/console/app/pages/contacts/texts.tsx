import { catalogue, plural } from '../../../../../core/web/language.js';

const SIDES: Readonly<Record<string, string>> = { contact: 'the contact', network: 'the network', operator: 'an operator' };

export const texts = catalogue({
  contact: 'Contact',
  contacts: 'Contacts',
  theContacts: 'the contacts',
  contactsNewestFirst: 'Contacts, newest first',
  count: (shown: string, count: number, isCut: boolean) => `${shown} ${plural(count, 'contact', 'contacts')}${isCut ? ', the newest' : ''}`,
  lastMessage: 'Last message',
  number: 'Number',
  noMessage: 'no message',
  nameOrId: 'Name or id',
  everyNumber: 'Every number',
  blocks: 'Blocks',
  blockedOrNot: 'Blocked or not',
  blocked: 'blocked',
  blockedBy: (side: string) => `blocked by ${SIDES[side] ?? side}`,
  consent: 'Consent',
  optedInOrNot: 'Opted in or not',
  optedIn: 'opted in',
  notOptedIn: 'not opted in',
  listForSpreadsheets: 'the list, for spreadsheets',
  showOlderContacts: 'Show older contacts',
  noContactMatches: 'No contact matches the filters',
  showEveryContact: 'Show every contact',
  noContactIsSelected: 'No contact is selected',
  selectOne: () => (
    <>
      Select one to see its ids, fields, conversation and journey. <kbd>j</kbd> and <kbd>k</kbd> go through the list.
    </>
  ),
  noContactYet: 'No contact yet',
  whoIsAContact:
    'A contact is a person who writes to one of your numbers, or to whom a message was sent. It appears here with its first message.',
  noNumber: 'There is no number to write to.',
  createANumber: 'Create a number',
  createAChannel: 'Create a channel',
  writeFromAPhone: 'Write from a phone in the Inbox',
  fromATerminal: (posthorn: string) => (
    <>
      From a terminal: <code>{posthorn} send hi</code>
    </>
  ),
});

import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
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

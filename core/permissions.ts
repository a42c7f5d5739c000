import { forAuthors, forBoth, forEveryone, forOperators, forOwners, type Permissions } from './contract/permission.js';

/** The permissions of the core's admin routes, and those that several plugins share. Each plugin declares its own. */
export const corePermissions: Permissions = {
  'platform.read': forEveryone('See what the platform is, its state and its advice.'),
  'platform.operate': forOperators('Reopen the store, confirm losses, and move shards between processes.'),
  'advice.dismiss': forBoth('Dismiss advice.'),
  'keys.read': forOwners('List the keys of the admin API, without their values.'),
  'keys.write': forOwners('Add and remove keys of the admin API.'),
  'commands.run': forOwners('Run the commands of plugins.'),
  'numbers.read': forEveryone('See numbers, and their tokens without the values.'),
  'numbers.write': forOwners('Create and change numbers and accounts: how long messages are kept, and holds.'),
  'tokens.write': forOwners('Issue and revoke tokens of numbers.'),
  'contacts.read': forEveryone('See contacts of a number.'),
  'contacts.write': forOperators('Change, merge and split contacts.'),
  'contacts.erase': forOwners('Erase contacts, and list the contacts that were erased.'),
  'contacts.export': forOwners('Export everything that is stored about a contact.'),
  'audit.read': forOwners('Read what operators have done.'),
  'messages.read_bodies': forEveryone('Read what contacts and the platform wrote: conversations, events, bodies of deliveries and calls.'),
  'messages.send': forOperators('Send messages to contacts, and end the claim of a contact.'),
  'templates.read': forEveryone('See message templates.'),
  'templates.write': forAuthors('Create, change and delete message templates.'),
  'deliveries.read': forEveryone('List deliveries and attempts.'),
  'deliveries.redeliver': forOperators('Redeliver, retry and cancel deliveries.'),
};

import { type Permissions, permit } from './contract/permission.js';

/** The permissions of the core's admin routes, and those that several plugins share. Each plugin declares its own. */
export const corePermissions: Permissions = {
  'platform.read': permit.everyone('See what the platform is, its state and its advice.'),
  'platform.operate': permit.operators('Reopen the store, confirm losses, and move shards between processes.'),
  'advice.dismiss': permit.both('Dismiss advice.'),
  'keys.read': permit.owners('List the keys of the admin API, without their values.'),
  'keys.write': permit.owners('Add and remove keys of the admin API.'),
  'commands.run': permit.owners('Run the commands of plugins.'),
  'numbers.read': permit.everyone('See numbers, and their tokens without the values.'),
  'numbers.write': permit.owners('Create and change numbers and accounts: how long messages are kept, and holds.'),
  'connections.write': permit.owners('Connect numbers to services, and disconnect them.'),
  'connections.resume': permit.operators('Check the connection of a number, and resume it after an error that stopped it.'),
  'tokens.write': permit.owners('Issue and revoke tokens of numbers.'),
  'contacts.read': permit.everyone('See contacts of a number.'),
  'contacts.write': permit.operators('Change, block, merge and split contacts.'),
  'contacts.erase': permit.owners('Erase contacts, and list the contacts that were erased.'),
  'contacts.export': permit.owners('Export everything that is stored about a contact.'),
  'audit.read': permit.owners('Read what operators have done.'),
  'messages.read_bodies': permit.everyone(
    'Read what contacts and the platform wrote: conversations, events, bodies of deliveries and calls.',
  ),
  'messages.send': permit.operators('Send messages to contacts, and end the claim of a contact.'),
  'templates.read': permit.everyone('See message templates.'),
  'templates.write': permit.authors('Create, change and delete message templates.'),
  'deliveries.read': permit.everyone('List deliveries and attempts.'),
  'deliveries.redeliver': permit.operators('Redeliver, retry and cancel deliveries.'),
  'deliveries.edit': permit.owners('Redeliver deliveries with another body, URL or signature.'),
};

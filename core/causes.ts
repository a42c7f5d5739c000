import { type Causes, conflict, missing, mistake, outage, setting } from './contract/cause.js';

/** The causes of refusals by the core, and those that several plugins share. Each plugin declares its own. */
export const coreCauses: Causes = {
  // The call itself
  invalid_request: mistake('The request is not JSON, or does not fit its schema.', 'Correct the fields that the response names.'),
  bad_request: mistake('The HTTP request cannot be processed.', 'Correct what the response names.'),
  body_too_slow: conflict('The body did not arrive within the time limit.', 'Send the call again over a better connection.'),
  body_too_large: mistake('The body is larger than the route accepts.', 'Send a smaller body.'),
  unsupported_media_type: mistake(
    'The route does not accept this content type or encoding.',
    'Send the content type that the response names.',
  ),
  range_not_satisfiable: mistake('The header `Range` selects no bytes of the file.', 'Request a range within the file.'),
  method_not_allowed: mistake('The path exists, but not with this method.', 'Use a method of the header `Allow`.'),
  command_not_found: mistake('No plugin of the platform has this command.', '`posthorn help` lists the commands of plugins.'),
  route_not_found: mistake('No route has this path.', 'Correct the path; the OpenAPI document lists all routes.'),

  // The caller
  unauthorized: mistake('The token or admin key is missing, unknown, expired or revoked.', 'Send a valid one as a bearer token.'),
  forbidden: mistake('The caller may not make this call.', 'Use the credential, host or link that the response asks for.'),
  permission_missing: mistake(
    'The roles of the operator do not allow this call.',
    'Ask an owner for a role with the permission that the response names.',
  ),
  operators_unavailable: outage(
    'The function that authenticates operators failed, or took too long.',
    'Read the log; repair the sign-on of the host application. The admin key works meanwhile.',
  ),
  not_supported: mistake('Numbers of this kind do not have this call.', 'Use the token of a number of a kind that the response names.'),
  rate_limited: conflict(
    'The number has no calls left in this minute.',
    'Wait for as long as `Retry-After` says, or send `X-throttling: 1`.',
  ),

  browser_file_missing: mistake('A file for browsers was not built.', 'Run the build, or install the package again.'),
  media_link_expired: mistake('The link that a contact got to a file has expired.', 'Send the file again.'),
  media_link_not_found: mistake('No contact has such a link to the file.', 'Use the complete link, or send the file again.'),
  too_many_streams: conflict('As many clients as the platform serves listen to its events.', 'Close an event stream.'),

  // The platform
  internal_error: outage('Something failed that the platform did not expect.', 'Search the log for the id of the request, and report it.'),
  bad_rewrite: outage(
    'A plugin changed a message to one that cannot be sent or recorded.',
    'Repair the `beforeSend` or `beforeReceive` of the plugin that the response names.',
  ),
  unavailable: outage('A plugin cannot serve the call at the moment.', 'Read what the response and the log say about the plugin.'),
  store_unavailable: outage('The store accepts no writes after a fault.', 'Resolve what the log says, then `POST /admin/v1/store/reopen`.'),
  document_damaged: outage(
    'A document on disk is damaged. Others can be read.',
    'Restore the file that the log names from a backup, or repair the folder.',
  ),
  store_conflict: outage(
    'Too many calls change the same record.',
    'Nothing, unless it recurs: then send fewer calls about one contact at a time.',
  ),
  disk_unavailable: outage('The disk is full, or cannot be written or read.', 'Free space on the disk of the data folder, or repair it.'),
  call_timed_out: outage('The call took longer than its limit.', 'Give the machine more CPU; check which calls keep it busy.'),
  memory_full: outage('Memory is full, so calls that store something are refused.', 'Give Node a larger heap, or keep shorter histories.'),
  backlog_full: outage('Too many deliveries to webhooks are pending.', 'Repair, pause or delete the webhooks that do not respond.'),
  starting: outage('The platform is starting.', 'Wait until it has started; if it does not, its log says why.'),
  stopping: outage('The platform is stopping.', 'Send calls to another process, or start it again.'),
  not_running: outage('The platform is not started, has stopped, or failed to start.', 'Start it again; its log says why it ended.'),
  standby: outage(
    'Another process owns the data; this one is a standby.',
    'Send calls to the owner: `GET /ready` of each process tells which it is.',
  ),
  taking_over: outage('This process takes over the data from another one.', 'Wait some seconds.'),
  owner_missing: outage('No process owns the data of this number.', 'Wait until another process takes over; start one if none does.'),
  owner_lost: outage(
    'The process that owned the data ended before it responded.',
    'Check whether the call has taken effect, then repeat it.',
  ),
  waiting_full: outage('Too many calls wait for data that changes its owner.', 'Wait until the other process has taken over.'),
  directory_unavailable: outage('The database of the cluster cannot be reached.', 'Repair the connection to PostgreSQL.'),
  client_gone: conflict('The client disconnected while the owner of the data had not responded yet.', 'Wait for responses for longer.'),
  fault_rule: setting('A fault rule made this call fail, for a test.', 'Remove the rule: `npx posthorn fault remove ID`.'),
  several_processes: setting('The call acts on one process, and several run.', 'Use it where a single process serves the platform.'),
  no_other_process: setting('No other process could take the shards of this one.', 'Start another process first.'),
  not_recorded: setting('What the call shows is not recorded.', 'Switch the recording on with the option that the response names.'),

  // Numbers, contacts and messages
  account_elsewhere: mistake('The data of the account are in another shard.', 'Create the number with this account.'),
  account_on_hold: mistake('The account is on hold, so its numbers cannot leave it.', 'Release the hold of the account first.'),
  legal_hold: mistake('The account of the contact is on hold, so nothing of it may be erased.', 'Release the hold of the account first.'),
  address_taken: mistake('A number of this type already has this address.', 'Use the existing number, or another address.'),
  ...missing('connection'),
  connection_refused: mistake('The service refuses the settings of the connection.', 'Correct what the response names, such as a token.'),
  service_unreachable: outage('The service of the channel does not respond.', 'Check the network of the platform, and the service.'),
  not_connectable: mistake('Numbers of this type cannot be connected to a service.', 'Use a type of `GET /admin/v1/connections/types`.'),
  other_address: mistake('The settings belong to another address than that of the number.', 'Connect that with `POST /connections`.'),
  number_not_carried: setting('No loaded plugin has a driver for numbers of this type.', 'Add the plugin of the channel to the platform.'),
  contact_merged: mistake('The other contact was merged itself.', 'Split that contact first.'),
  contact_without_id: mistake('One of the contacts would have no id after the split.', 'Add an id to the contact first.'),
  same_contact: mistake('A contact cannot be merged into itself.', 'Name two contacts.'),
  contact_too_large: mistake('The fields of the contact would be too large.', 'Store fewer or shorter fields.'),
  recipient_not_valid: mistake(
    'The recipient is not an id or phone number of a contact.',
    'Send an international phone number, or an id of the contact.',
  ),
  message_refused: mistake(
    'The policy of the network refuses the message.',
    'Send what the error of the network allows, such as a template.',
  ),
  message_id_taken: mistake('Another contact sent a message with this id.', 'Give each message an id of its own.'),
  message_ambiguous: mistake('Several messages have this id.', 'Use the uuid of the message.'),
  not_inbound: mistake('Only messages from contacts can be marked as read.', 'Use the id of a message from a contact.'),
  too_many_labels: mistake('The message would have too many labels.', 'Use fewer labels.'),
  type_not_supported: mistake('Numbers of this type do not support messages of this type.', 'Send another type of message.'),
  template_parameters_wrong: mistake('The parameters do not fit the template.', 'Send as many parameters as the template has.'),
  media_type_not_supported: mistake(
    'The network does not accept files of this type.',
    'Convert the file to a type that the response names.',
  ),

  // Deliveries
  body_removed: mistake('The body of the delivery is no longer stored.', 'Send the event again; or keep deliveries for longer.'),
  body_not_reproducible: mistake(
    'The body of the delivery was not stored: it had the content of a message that has changed or is no longer stored.',
    'Send the event again; or redeliver with `body`, which makes a new delivery.',
  ),
  delivery_settled: mistake('The delivery has already ended.', 'Redeliver it instead.'),
  no_retry: mistake('The delivery has no scheduled retry.', 'Redeliver it instead.'),
  not_a_webhook: mistake('The sender of a plugin sends this delivery.', 'Redeliver it unchanged.'),
  secret_missing: setting('The secret of the webhook is missing in the store.', 'Rotate the secret of the webhook.'),
  too_many_webhooks: mistake('The number has the maximum of webhooks.', 'Delete a webhook first.'),
  webhook_paused: mistake('The webhook is paused.', 'Resume the webhook.'),
  webhook_removed: mistake('The webhook of the delivery was deleted.', 'Create the webhook again, for later events.'),

  // Journeys
  invalid_journey: mistake('The journey has errors.', 'Correct the errors that the response lists.'),
  journey_changed: mistake('The journey was changed after you read it.', 'Read it again, and send the change with that draft.'),
  journey_disabled: mistake('The journey is disabled.', 'Enable the journey.'),
  journey_not_published: mistake('The journey has no production revision.', 'Publish the journey.'),
  journey_of_other_number: mistake('The journey belongs to another number.', 'Use a new uuid.'),
  journey_too_complex: mistake('Checking the journey takes too long.', 'Split the journey.'),
  notebook_too_large: mistake('The notebook is too large.', 'Split the journey.'),
  operator_error: mistake('The operator of flows refused the call.', 'Correct what its texts say.'),

  run_in_progress: conflict('Another run is in progress.', 'Wait until it has ended, or cancel it.'),

  ...missing(
    'advice',
    'call',
    'channel',
    'contact',
    'conversation',
    'delivery',
    'erasure',
    'key',
    'journey',
    'loss',
    'medium',
    'merged contact',
    'message',
    'number',
  ),
  ...missing('process', 'revision', 'secret', 'shard', 'template', 'token', 'webhook'),
};

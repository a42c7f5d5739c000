import { type Causes, conflict, missing, mistake } from '#core';

/** The causes of refusals by the routes of journeys. */
export const causes: Causes = {
  belongs_to_other_number: mistake('The record belongs to another number.', 'Use a new uuid.'),
  journey_deleted: mistake('The journey was deleted.', 'Name another journey.'),
  journey_not_available: mistake('The journey was disabled or deleted before it could start.', 'Enable it, and start it again.'),
  name_taken: mistake('Another record of the number has this name.', 'Use another name, or the uuid of that record.'),
  no_claim: mistake('No journey waits for the contact.', 'Nothing: there is no wait to end.'),
  session_active: conflict('Another session waits for the contact.', 'Wait until it ends, or end its wait.'),
  ...missing('AI connection', 'claim', 'code skill', 'content card', 'notebook', 'session'),
};

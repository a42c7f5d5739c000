import { type Causes, missing, mistake } from '#core';

/** The causes of refusals by simulations. */
export const causes: Causes = {
  no_such_revision: mistake('The journey has no such revision.', 'Publish it, or simulate another revision.'),
  simulation_over: mistake('The simulated journey has ended, or its wait has expired.', 'Continue from an earlier turn, or start again.'),
  simulation_refused: mistake('The simulation cannot run as asked.', 'Correct what the text of the response says.'),
  ...missing('simulated turn'),
};

import { type Causes, conflict, missing, mistake, outage, setting } from '#core';

/** The causes of refusals by the plugins of a sandbox, by plugin. */
export const sandboxCauses = {
  clock: {
    clock_backwards: mistake('The clock of a sandbox does not go back.', 'Reset the sandbox, or import a state.'),
    clock_too_far: mistake('One call advances the clock by at most 366 days.', 'Advance it several times.'),
    nothing_pending: mistake('Nothing is pending, so the clock has no next timer.', 'Advance it by a time instead.'),
    real_clock: setting('The clock of the platform cannot be moved.', 'Start a sandbox.'),
  },
  state: {
    seed_state_unknown: mistake('The sandbox cannot compare with its seed.', 'Reset it, or compare with an export.'),
    state_is_replaced: conflict('The state of the sandbox is being replaced.', 'Wait until that has ended.'),
    state_not_replaced: mistake(
      'The sandbox cannot start with this state.',
      'Correct what the response says; it continues with the previous state.',
    ),
    unusable_state: mistake('The file is not a state that this sandbox can use.', 'Export it again with this version.'),
  },
  sandbox: {
    mcp_sdk_missing: setting('The MCP server needs a package that is not installed.', 'Install `@modelcontextprotocol/sdk`.'),
    no_platform: outage('The sandbox has lost its platform.', 'Start the sandbox again.'),
  },
  faults: {
    no_disk: setting('The state of the sandbox is in memory, so its disk cannot fail.', 'Start it with `--data DIR`.'),
    too_many_faults: mistake('There are as many fault rules as are possible.', 'Remove some rules first.'),
    ...missing('fault rule'),
  },
  conform: {
    nothing_failed: mistake('No check of the run has failed.', 'Nothing: there is no check to repeat.'),
    ...missing('check', 'conformance run'),
  },
  tests: {
    nothing_to_record: mistake(
      'The conversation has nothing that a test could repeat.',
      'Record a conversation with a journey that is published.',
    ),
    ...missing('test run'),
  },
  cassettes: {
    ...missing('cassette'),
  },
} satisfies Readonly<Record<string, Causes>>;

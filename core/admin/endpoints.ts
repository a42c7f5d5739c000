import { type Route, route } from '../contract/route.js';
import type { DeliveryOutbox } from '../delivery/delivery.js';
import type { SettledDeliveries } from '../delivery/settled-deliveries.js';
import { failureText } from '../events/failure-text.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { operatorOf } from '../kernel/http/operators.js';
import type { EndpointHealth, Endpoints } from '../kernel/observe/endpoints.js';
import type { Numbers } from '../messaging/numbers.js';
import { anyString, array, integer, named, nullable, object, oneOf, string, type TypeOf } from '../shape.js';

/** Waiting deliveries of an endpoint that are searched for the next attempt, oldest first. */
const MAX_SEARCHED = 100;
/** Failures in a row after which successes of the last minutes no longer count. */
const MANY = 3;

const tally = object({ ok: integer(), failed: integer() });

const endpointSchema = named(
  'Endpoint',
  object({
    endpoint: string().description('The uuid of the webhook or integration, or of the number for the service that it is connected to.'),
    number: string(),
    state: oneOf('working', 'unstable', 'failing').description(
      '`working`: no call failed in 15 minutes. `failing`: the last call failed, and no other succeeded in 15 minutes, or the last three failed.',
    ),
    last_at: string().description('When it was called last.'),
    failures_in_a_row: integer(),
    last_15_min: tally,
    last_24_h: tally,
    last_error: nullable(
      object({ at: string(), code: string(), text: anyString(), details: nullable(anyString()), delivery: nullable(string()) }).description(
        'The last failed call: `text` is a sentence, `details` what the service of a number reported.',
      ),
    ),
    next_attempt_at: nullable(string()).description('When the earliest retry to it is due.'),
  }),
);

interface EndpointPorts {
  readonly endpoints: Endpoints | undefined;
  readonly numbers: Pick<Numbers, 'list'>;
  readonly outbox: DeliveryOutbox;
  readonly settledDeliveries: Pick<SettledDeliveries, 'read'>;
}

/** How the calls to webhooks, integrations and services of numbers went. */
export function endpointRoutes({ endpoints, numbers, outbox, settledDeliveries: settled }: EndpointPorts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/endpoints',
      permission: 'deliveries.read',
      accounts: 'filtered',
      shards: { list: 'endpoints', by: ['endpoint'], order: 'ascending' },
      summary:
        'Lists the webhooks, integrations and services of numbers that were called in the last 24 hours: how many calls succeeded and failed, the last error, and the next attempt.',
      request: { query: object({}, { number: string() }) },
      responses: { 200: object({ endpoints: array(endpointSchema) }) },
      async handler({ query: { number }, request }) {
        const visible = new Set((await visibleNumbers(numbers, operatorOf(request))).map(({ uuid }) => uuid));
        const found = (endpoints?.list() ?? []).filter((one) => visible.has(one.number) && (number === undefined || one.number === number));
        found.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
        return { endpoints: await Promise.all(found.map(shown)) };
      },
    }),
  ];

  async function shown({ last_error: error, ...about }: EndpointHealth): Promise<TypeOf<typeof endpointSchema>> {
    const { endpoint, number, last_at, failures_in_a_row, last_15_min, last_24_h } = about;
    const delivery = error?.delivery ?? null;
    const record = delivery === null ? undefined : (await settled.read(delivery))?.record;
    return {
      ...{ endpoint, number, state: stateOf(about), last_at, failures_in_a_row, last_15_min, last_24_h },
      last_error: error
        ? {
            ...{ at: error.at, code: error.code, text: failureText(error), delivery: record ? delivery : null },
            details: record?.sender === undefined ? null : (record.last_error ?? null),
          }
        : null,
      next_attempt_at: failures_in_a_row === 0 ? null : nextAttempt(endpoint),
    };
  }

  function nextAttempt(endpoint: string): string | null {
    let next: string | null = null;
    let searched = 0;
    for (const { record } of outbox.newest.oldest({ webhook: endpoint, outcomes: ['pending'] })) {
      const { state, due_at: at, held_at: held } = record;
      if (state === 'retry_wait' && held === undefined && at !== undefined && (next === null || at < next)) next = at;
      if (++searched === MAX_SEARCHED) break;
    }
    return next;
  }
}

function stateOf({ failures_in_a_row: failures, last_15_min: recent }: Omit<EndpointHealth, 'last_error'>) {
  if (failures === 0) return recent.failed === 0 ? 'working' : 'unstable';
  return failures >= MANY || recent.ok === 0 ? 'failing' : 'unstable';
}

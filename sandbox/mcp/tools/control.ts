import { anyString, boolean, integer, number, object, oneOf, record, string } from '#core';
import { UsageError } from '../../terminal/flags.js';
import { type Tool, verbTool } from '../tool.js';

/** The fields of each action of set_faults. */
const FAULT_FIELDS: Readonly<Record<'list' | 'add' | 'remove' | 'preset', readonly string[]>> = {
  list: [],
  add: ['on', 'effect', 'status', 'delay', 'match', 'times', 'rate'],
  remove: ['id', 'all'],
  preset: ['preset'],
};

/** Tools for signatures, the clock and faults. */
export const controlTools: readonly Tool[] = [
  verbTool(
    {
      name: 'sign_body',
      description: 'Computes the signature of a request body; with `full`, shows each step.',
      isReadOnly: true,
      input: object({
        body: anyString().description('The body, exactly as it is sent: every byte counts.'),
        secret: string().description('The hmac_secret of the webhook.'),
      }),
    },
    ({ body, secret }) => ({ verb: ['sign'], input: body, env: { POSTHORN_SECRET: secret } }),
  ),
  verbTool(
    {
      name: 'verify_signature',
      description:
        'Checks a signature, and explains a mismatch: hex instead of base64, a body that was parsed and serialized again, another secret, and so on. Give `delivery`, or `body` and `secret`.',
      isReadOnly: true,
      input: object(
        { signature: string().description('The value of the header, or what your code computed.') },
        {
          body: anyString().description('The body, exactly as it was received.'),
          secret: string().description('The hmac_secret of the webhook.'),
          delivery: string().guid().description('Use the body and the secret of this delivery (uuid).'),
          framework: oneOf('express', 'fastify', 'hapi', 'flask', 'go').description('Also show the fix as code for this framework.'),
        },
      )
        .and('body', 'secret')
        .xor('secret', 'delivery'),
    },
    ({ signature, body, secret, delivery, framework }) => ({
      verb: ['verify'],
      flags: { signature, delivery, framework, explain: true },
      input: body,
      ...(secret !== undefined && { env: { POSTHORN_SECRET: secret } }),
    }),
  ),
  verbTool(
    {
      name: 'move_clock',
      description:
        'Shows or moves the time of the sandbox. `advance`, `next` and `set` run everything that becomes due, such as retries and timeouts, and return when it has run.',
      input: object(
        {
          action: oneOf('now', 'list', 'pause', 'resume', 'advance', 'next', 'set').description(
            '`list` shows the pending timers; `next` advances to the first of them.',
          ),
        },
        { to: string().description('advance: a duration such as 17s, 5m or 2h; set: a time such as 2027-03-01T08:00:00Z.') },
      ),
    },
    ({ action, to }) => {
      const takesTo = action === 'advance' || action === 'set';
      if (takesTo && to === undefined) throw new UsageError(`"to" is required for "${action}"`);
      if (!takesTo && to !== undefined) throw new UsageError(`"to" is not allowed for "${action}"; only "advance" and "set" take it`);
      return { verb: ['clock', action], positionals: to === undefined ? [] : [to] };
    },
  ),
  verbTool(
    {
      name: 'set_faults',
      description: 'Makes deliveries, API calls, journeys, models, integrations or the disk fail on purpose; lists and removes such rules.',
      input: object(
        { action: oneOf('list', 'add', 'remove', 'preset') },
        {
          id: string().description('remove: the id of a rule.'),
          all: boolean().description('remove: every rule.'),
          preset: string().description('preset: its name; without it, the presets are listed.'),
          on: oneOf('deliveries', 'api', 'journeys', 'models', 'integrations', 'store').description('add: what fails.'),
          effect: string().description('add: how it fails, such as timeout, reset, bad_json, duplicate or wrong_signature.'),
          status: integer().min(100).max(599).description('add: respond with this status.'),
          delay: string().description('add: how much later the response arrives, such as 500ms, 6s or 2m.'),
          match: record(string()).description('add: only what has these fields, such as {"webhook": "<uuid>"}.'),
          times: integer().min(1).max(1_000_000).description('add: act this many times. Default: 1.'),
          rate: number().min(0).max(1).description('add: act with this probability instead.'),
        },
      ),
    },
    ({ action, id, preset, match, ...flags }) => {
      const given = { id, preset, match, ...flags };
      for (const field of Object.keys(given) as (keyof typeof given)[])
        if (given[field] !== undefined && !FAULT_FIELDS[action].includes(field))
          throw new UsageError(`"${field}" is not allowed for "${action}", which takes ${FAULT_FIELDS[action].join(', ') || 'nothing'}`);
      if (action === 'add' && flags.on === undefined) throw new UsageError('"on" is required for "add": what fails');
      if (action === 'add' && (flags.effect ?? flags.status ?? flags.delay) === undefined)
        throw new UsageError('"add" needs "effect", "status" or "delay"');
      if (action === 'remove' && (id === undefined) === (flags.all === undefined))
        throw new UsageError('"remove" needs "id" or "all"; list shows the ids');
      return {
        verb: ['fault', action],
        flags: { ...flags, match: Object.entries(match ?? {}).map(([field, value]) => `${field}=${value}`) },
        positionals: [id ?? preset ?? []].flat(),
      };
    },
  ),
];

import { boolean, dateTime, integer, object, oneOf, string } from '#core';
import { type Tool, verbTool } from '../tool.js';

/** Tools that show what happened, and why something did not. */
export const inspectionTools: readonly Tool[] = [
  verbTool(
    {
      name: 'list_deliveries',
      description: 'Lists deliveries to webhooks, newest first, with state, attempts and the reason why one was dropped.',
      isReadOnly: true,
      input: object(
        {},
        {
          webhook: string().guid().description('Only deliveries to this webhook (uuid).'),
          number: string().guid().description('Only deliveries of this number (uuid).'),
          state: oneOf('queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'),
          reason: string().description('Only deliveries cancelled or dropped for this reason, such as `http_4xx`.'),
          limit: integer().min(1).max(1000).description('Default: 20.'),
        },
      ),
    },
    (flags) => ({ verb: ['deliveries', 'list'], flags }),
  ),
  verbTool(
    {
      name: 'show_delivery',
      description:
        'Shows one delivery: each attempt with its exact request and response, how its signature was made step by step, and the advice about it.',
      isReadOnly: true,
      input: object({ delivery: string().guid().description('The uuid of the delivery.') }),
    },
    ({ delivery }) => ({ verb: ['deliveries', 'show'], positionals: [delivery] }),
  ),
  verbTool(
    {
      name: 'list_calls',
      description: 'Lists the newest calls of the API, also those that were refused; with `id`, shows one with its headers and bodies.',
      isReadOnly: true,
      input: object(
        {},
        {
          id: string().description('The X-Request-Id of the response to the call.'),
          refused: boolean().description('Only calls with an error status.'),
          number: string().guid().description('Only calls of this number (uuid).'),
          limit: integer().min(1).max(500).description('Default: 20.'),
        },
      ),
    },
    ({ id, ...flags }) => ({ verb: ['calls'], flags, positionals: id === undefined ? [] : [id] }),
  ),
  verbTool(
    {
      name: 'list_advice',
      description: 'Lists probable mistakes that the platform noticed in your connector, webhook or journey, each with its fix.',
      isReadOnly: true,
    },
    () => ({ verb: ['advice', 'list'] }),
  ),
  verbTool(
    {
      name: 'explain_why',
      description:
        'Explains why nothing happened: every step of a message from the API call to the journey and the deliveries, and the first broken one. Without `about`, the newest message and the calls that were refused.',
      isReadOnly: true,
      input: object(
        {},
        {
          about: string().description('A message (uuid, or its id at the network or connector) or a contact (uuid, id or address).'),
          since: dateTime().description('Only what happened since this time. Default: the last five minutes.'),
        },
      ),
    },
    ({ about, since }) => ({ verb: ['why'], flags: { since }, positionals: about === undefined ? [] : [about] }),
  ),
];

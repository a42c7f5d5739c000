import { sections } from '../../test/spec/coverage/index.js';
import { code, table } from './table.js';

const RECORDED = 'Recorded behaviour of the service.';

/** The option, if any, and the reason for Posthorn's choice, by the id of the row in `test/spec/coverage`. */
const choices: Readonly<Record<string, { readonly option?: string; readonly why: string }>> = {
  'authentication.rule-7.not-shown': { why: 'Some existing integrations send a token and others do not; only they know the two uuids.' },
  'authentication.rule-8.not-shown': { why: 'The service is configured this way, and existing integrations verify it.' },
  'authentication.rule-9.not-shown.lifetime': { option: 'expires_at', why: 'The service has this default.' },
  'authentication.rule-9.not-shown.scopes': { why: 'The service has no known scopes.' },
  'endpoints.channels.not-shown.statuses': { why: 'This is common practice, and connectors accept any 2XX.' },
  'endpoints.flows.rule-2.not-shown': { why: 'The network does this, and clients that send no parameters get the full list.' },
  'endpoints.integration.handshake.not-shown.method': {
    why: 'Existing integrations read the body of a POST, and the interface names the query parameter.',
  },
  'endpoints.integration.rule-2.not-shown.response': { why: 'A known client requires exactly 201.' },
  'endpoints.messages.send.not-shown.types': { why: 'Clients of the service send these types.' },
  'endpoints.messages.send.not-shown.response': { why: RECORDED },
  'endpoints.messages.send.not-shown.limits': { option: 'rateLimits', why: RECORDED },
  'endpoints.messages.send.not-shown.context': { why: 'Clients of the network quote so, and the event has the payload that was posted.' },
  'endpoints.messages.send.not-shown.slash': { why: 'Some clients send the slash.' },
  'endpoints.messages.not-shown.labels': { why: 'The response of the service was not recorded; this one shows the result of the call.' },
  'endpoints.simulation.not-shown.older-path': { why: 'Existing clients of that path keep working.' },
  'endpoints.media.not-shown.upload': { why: RECORDED },
  'endpoints.media.not-shown.download': { why: RECORDED },
  'endpoints.contacts.not-shown.check': { why: RECORDED },
  'endpoints.contacts.not-shown.profile': { why: RECORDED },
  'endpoints.contacts.not-shown.change': { why: RECORDED },
  'endpoints.contacts.not-shown.messages': { why: RECORDED },
  'endpoints.stacks.not-shown.start': { why: RECORDED },
  'endpoints.stacks.not-shown.list': { why: 'Public clients of the service read this list.' },
  'endpoints.stacks.not-shown.show': { why: 'The service returns a `url`; here it leads to the same fields.' },
  'endpoints.stacks.not-shown.create': { why: 'Public clients send these fields; the status of the service is not known.' },
  'endpoints.stacks.not-shown.change': { why: 'Public clients send these fields; the status of the service is not known.' },
  'endpoints.contacts.not-shown.claim': { why: RECORDED },
  'endpoints.contacts.not-shown.release': { why: RECORDED },
  'endpoints.messages.not-shown.claims': {
    why: 'Public clients send these headers; how the service decides is not known.',
    option: 'claims',
  },
  'endpoints.data.not-shown.cursor': { why: 'Public clients read such pages; statuses and errors are not known.', option: 'dataExport' },
  'errors.channels.not-shown.status': { why: 'The body contains `Bad Request`, the reason phrase of 400.' },
  'errors.integration.not-shown.body': { why: 'Every integration returns a different body.' },
  'integration.request.not-shown.fields': { why: 'Clients treat the first message as the newest.' },
  'integration.update.not-shown.types': { why: 'No integration is known to send another type.' },
  'integration.markdown.not-shown.kinds': { why: 'Text of an integration must not become HTML.' },
  'limits.not-shown.rate': { option: 'rateLimits', why: `${RECORDED} The sandbox has no limits, so that tests are fast.` },
  'limits.not-shown.simulation-idle': {
    option: 'simulation({ idleMinutes })',
    why: 'The value of the service is unknown; 30 minutes are enough for a person to reply.',
  },
  'channels.record.not-shown.more': { why: 'Every known example has exactly these three fields.' },
  'channels.inbound.not-shown.button': { why: 'The network sends this when a contact taps a button of a template.' },
  'channels.outbound.not-shown.inner': { why: 'Exported journeys contain these objects.' },
  'flows.flow.not-shown.endpoint-fields': { option: '?fields=', why: 'The network does this.' },
  'flows.json.not-shown.catalogue': {
    option: 'flows({ newerVersions })',
    why: "Flows for the network use all of the operator's components.",
  },
  'states.flow.not-shown.health': {
    why: "On the network the health of the flow's endpoint decides. Posthorn calls no endpoint, so it cannot measure its health.",
  },
  'versioning.not-shown.policy': { why: "The interface states no policy; [Versioning and deprecation](versioning.md) is Posthorn's own." },
};

/**
 * Makes the tables of `core/not-shown.md`: every open point of the interface with Posthorn's choice, from the rows of `test/spec/coverage`.
 * @throws Error if a row has no reason above, or a reason has no row
 */
export function notShownTables(): string {
  const ids = new Set(Object.values(sections).flatMap((rows) => rows.map(({ id }) => id)));
  const unknown = Object.keys(choices).filter((id) => !ids.has(id));
  if (unknown.length > 0) throw new Error(`core/not-shown.md gives reasons for rows that do not exist: ${unknown.join(', ')}`);
  const unexplained = [...ids].filter((id) => id.split('.').includes('not-shown') && !choices[id]);
  if (unexplained.length > 0) throw new Error(`core/not-shown.md has no reasons for ${unexplained.join(', ')}`);
  return Object.entries(sections)
    .flatMap(([section, rows]) => {
      const chosen = rows.filter(({ id }) => id.split('.').includes('not-shown'));
      if (chosen.length === 0) return [];
      const cells = chosen.map(({ id, rule, status, note }) => [
        openPoint(rule),
        note ?? `(${status})`,
        choices[id]?.option === undefined ? '' : code(choices[id].option),
        choices[id]!.why,
      ]);
      const title = capitalized(section.replace(/^(endpoints|resources)-/, '$1: '));
      return [`#### ${title}\n\n${table(['Open point', 'What Posthorn does', 'Option', 'Why'], cells)}`];
    })
    .join('\n\n');
}

/** `Rule 9, not shown: the lifetime of a token.` becomes `The lifetime of a token (rule 9).` */
function openPoint(rule: string): string {
  const [, number, text = rule] = /^(?:Rule ([\d.]+), )?not shown: (.*)$/i.exec(rule) ?? [];
  return capitalized(number === undefined ? text : `${text.replace(/\.$/, '')} (rule ${number}).`);
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

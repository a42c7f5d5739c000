import { sections } from '../../test/spec/coverage/index.js';
import { code, table } from './table.js';

/** The option, if there is one, and the reason for the default, by the id of the row in the coverage matrix. */
const choices: Readonly<Record<string, { readonly option?: string; readonly why: string }>> = {
  'authentication.rule-7.not-shown': { why: 'Existing integrations send a token or none, and only they know the two uuids.' },
  'authentication.rule-8.not-shown': { why: 'The service is configured this way, and its integrations check it.' },
  'authentication.rule-9.not-shown.lifetime': { option: 'expires_at', why: 'The service has this default when a token is created.' },
  'authentication.rule-9.not-shown.scopes': { why: 'No scopes are known.' },
  'endpoints.channels.not-shown.statuses': { why: 'Common practice; connectors accept any 2XX.' },
  'endpoints.flows.rule-2.not-shown': { why: 'The network does this, and clients that send no parameters are unaffected.' },
  'endpoints.integration.handshake.not-shown.method': {
    why: 'Existing integrations read the body of a POST; others may read the query.',
  },
  'endpoints.integration.rule-2.not-shown.response': { why: 'One client requires exactly 201.' },
  'endpoints.messages.send.not-shown.types': { why: 'Clients of the service send these.' },
  'endpoints.messages.send.not-shown.response': { why: 'As recorded.' },
  'endpoints.messages.send.not-shown.limits': { option: 'rateLimits', why: 'As recorded.' },
  'endpoints.messages.send.not-shown.slash': { why: 'Some clients send it.' },
  'endpoints.messages.not-shown.labels': { why: 'Nothing is known of the response; this one shows the result of the call.' },
  'endpoints.simulation.not-shown.older-path': { why: 'It costs nothing, and existing clients keep working.' },
  'endpoints.media.not-shown.upload': { why: 'As recorded.' },
  'endpoints.media.not-shown.download': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.check': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.profile': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.change': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.messages': { why: 'As recorded.' },
  'endpoints.stacks.not-shown.start': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.claim': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.release': { why: 'As recorded.' },
  'errors.channels.not-shown.status': { why: 'The body contains the reason phrase of 400.' },
  'errors.integration.not-shown.body': { why: 'Every integration has a different body.' },
  'integration.request.not-shown.fields': { why: 'Clients take the first message as the newest.' },
  'integration.update.not-shown.types': { why: 'No other type is known to be in use.' },
  'integration.markdown.not-shown.kinds': { why: 'Text from outside must not become HTML.' },
  'limits.not-shown.rate': { option: 'rateLimits', why: 'As recorded; the sandbox has no limit, so that tests are fast.' },
  'limits.not-shown.simulation-idle': { option: 'simulation({ idleMinutes })', why: 'Nothing is known; 30 minutes let a person think.' },
  'channels.record.not-shown.more': { why: 'Every example has exactly these three fields.' },
  'channels.inbound.not-shown.button': { why: 'The network sends this for a tapped button of a template.' },
  'channels.outbound.not-shown.inner': { why: 'Exported journeys contain these objects.' },
  'flows.flow.not-shown.endpoint-fields': { option: '?fields=', why: 'The network does this.' },
  'flows.json.not-shown.catalogue': { option: 'flows({ newerVersions })', why: 'The network operator defines the components.' },
  'states.flow.not-shown.health': { why: 'The platform calls no flow endpoint, so it cannot measure health.' },
  'versioning.not-shown.policy': { why: 'The interface promises no policy that could be implemented.' },
};

/** Tables of the open points of the interface and of Posthorn's choices, from the rows of the coverage matrix. @throws Error for a row without a reason */
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
        rule.replace(/^(Rule [\d.]+, )?[Nn]ot shown: /, '$1'),
        note ?? `(${status})`,
        choices[id]?.option === undefined ? '' : code(choices[id].option),
        choices[id]!.why,
      ]);
      const title = section[0]!.toUpperCase() + section.slice(1).replaceAll('-', ' ');
      return [`#### ${title}\n\n${table(['Open point', 'What Posthorn does', 'Option', 'Why'], cells)}`];
    })
    .join('\n\n');
}

import { sections } from '../../test/spec/coverage/index.js';
import { code, table } from './table.js';

/** Where one may choose, and why the default is what it is, by the row of the coverage matrix. */
const choices: Readonly<Record<string, { readonly option?: string; readonly why: string }>> = {
  'authentication.rule-7.not-shown': { why: 'Integrations that exist send a token or none; the two names are known to nobody else.' },
  'authentication.rule-8.not-shown': { why: 'As the service is configured and its integrations check it.' },
  'authentication.rule-9.not-shown.lifetime': { option: 'expires_at', why: 'The default of the service when a token is made.' },
  'authentication.rule-9.not-shown.scopes': { why: 'None are known.' },
  'endpoints.channels.not-shown.statuses': { why: 'The usual ones; connectors take any 2XX.' },
  'endpoints.flows.rule-2.not-shown': { why: 'What the network does, and harmless to those who send nothing.' },
  'endpoints.integration.handshake.not-shown.method': {
    why: 'Integrations that exist look at the body of a POST; the query is for those that look there.',
  },
  'endpoints.integration.rule-2.not-shown.response': { why: 'One client wants exactly 201.' },
  'endpoints.messages.send.not-shown.types': { why: 'What clients of the service send.' },
  'endpoints.messages.send.not-shown.response': { why: 'As recorded.' },
  'endpoints.messages.send.not-shown.limits': { option: 'rateLimits', why: 'As recorded.' },
  'endpoints.messages.send.not-shown.slash': { why: 'There are clients that send it so.' },
  'endpoints.messages.not-shown.labels': { why: 'Nothing is known of it; whoever looks at it sees what came of the call.' },
  'endpoints.simulation.not-shown.older-path': { why: 'It costs nothing, and clients that were written for it go on working.' },
  'endpoints.media.not-shown.upload': { why: 'As recorded.' },
  'endpoints.media.not-shown.download': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.check': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.profile': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.change': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.messages': { why: 'As recorded.' },
  'endpoints.stacks.not-shown.start': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.claim': { why: 'As recorded.' },
  'endpoints.contacts.not-shown.release': { why: 'As recorded.' },
  'errors.channels.not-shown.status': { why: 'The reason phrase in the body is that of 400.' },
  'errors.integration.not-shown.body': { why: 'No two integrations agree.' },
  'integration.request.not-shown.fields': { why: 'Clients take the first message as the newest.' },
  'integration.update.not-shown.types': { why: 'No other type is in use.' },
  'integration.markdown.not-shown.kinds': { why: 'Text of others must not become HTML.' },
  'limits.not-shown.rate': { option: 'rateLimits', why: 'As recorded; the sandbox has none, for tests that are quick.' },
  'limits.not-shown.simulation-idle': { option: 'simulation({ idleMinutes })', why: 'Nothing is known; long enough to think.' },
  'channels.record.not-shown.more': { why: 'The three fields stand in every example.' },
  'channels.inbound.not-shown.button': { why: 'What the network sends for a tapped button of a template.' },
  'channels.outbound.not-shown.inner': { why: 'Exported journeys show them.' },
  'flows.flow.not-shown.endpoint-fields': { option: '?fields=', why: 'What the network does.' },
  'flows.json.not-shown.catalogue': { option: 'flows({ newerVersions })', why: 'The operator defines them.' },
  'states.flow.not-shown.health': { why: 'Nothing here calls an endpoint, so nobody else can know its health.' },
  'versioning.not-shown.policy': { why: 'A promise that nobody has made cannot be kept.' },
};

/** What the interface does not say, and what was chosen, from the rows of the coverage matrix. */
export function notShownTables(): string {
  const ids = new Set(Object.values(sections).flatMap((rows) => rows.map(({ id }) => id)));
  const unknown = Object.keys(choices).filter((id) => !ids.has(id));
  if (unknown.length > 0) throw new Error(`the page on what is not shown gives reasons for rows that are not there: ${unknown.join(', ')}`);
  const unexplained = [...ids].filter((id) => id.split('.').includes('not-shown') && !choices[id]);
  if (unexplained.length > 0) throw new Error(`the page on what is not shown has no reasons for ${unexplained.join(', ')}`);
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
      return [`#### ${title}\n\n${table(['What is open', 'What Posthorn does', 'Switch', 'Why'], cells)}`];
    })
    .join('\n\n');
}

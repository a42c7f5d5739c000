import { type DeclaredMember, declarations } from './declared.js';
import { code, table } from './table.js';

const CONTEXT = 'core/contract/context';

/** Types that calls of plugins take or return, beside the services of the context: heading, file, name. */
const others: readonly (readonly [heading: string, file: string, type: string])[] = [
  ['A transaction: `store.transaction(async (tx) => …)`', 'core/ports/transaction', 'Transaction'],
  ['Options of `tx.push`', 'core/ports/queue', 'Placement'],
  ['A collection in a transaction: `tx.in(letters)`', 'core/ports/store', 'Collection'],
  ['A collection outside of transactions: `store.open(letters)`', 'core/ports/store', 'OpenCollection'],
  ['The range of `find`', 'core/ports/store', 'Range'],
  ['Options of `collection`', 'core/ports/store', 'CollectionOptions'],
  ['Options of `consume`', 'core/ports/queue', 'ConsumerOptions'],
  ['A job, as the handler of `consume` gets it', 'core/ports/queue', 'Job'],
  ['Options of `task`', 'core/ports/workers', 'TaskOptions'],
  ['Options of `route`', 'core/contract/route', 'RouteDefinition'],
  ['A call, as the handler of a route gets it', 'core/contract/route', 'Call'],
  ['A request of `http.send`', 'core/ports/http-client', 'HttpRequest'],
  ['A payload, in `payloads`', 'core/contract/payload', 'Payload'],
  ['A page, in `pages`', 'core/contract/page', 'Page'],
  ['A command, in `commands`', 'core/contract/command', 'CommandDefinition'],
  ['What a command returns', 'core/contract/command', 'CommandResult'],
  ['A conformance check, in `checks`', 'core/contract/conformance-check', 'ConformanceCheck'],
  ['An explanation, in `explanations`', 'core/contract/explanation', 'Explanation'],
  ['A search, in `search`', 'core/contract/search', 'SearchSource'],
  ['What a search has found', 'core/contract/search', 'Found'],
  ['The bounds of a search', 'core/contract/search', 'SearchBounds'],
  ['A cause, in `causes`', 'core/contract/cause', 'Cause'],
  ['A channel driver, in `channels`', 'core/messaging/channel-drivers', 'ChannelDriver'],
  ['A sender, in `senders`', 'core/delivery/sender', 'DeliverySender'],
  ['The argument of `metrics`', 'core/ports/metrics', 'PluginMetrics'],
];

/** The members of every service of the context, and of the types that plugins pass and get. */
export function pluginReference(): string {
  const calls: DeclaredMember[] = [];
  const sections: string[] = [];
  for (const member of declarations().membersOf(CONTEXT, 'PluginContext')!) {
    const members = declarations().membersOf(CONTEXT, member.signature.slice(member.signature.indexOf(': ') + 2));
    if (members) sections.push(section(code(member.name), members));
    else calls.push(member);
  }
  const further = others.map(([heading, file, type]) => section(heading, declarations().membersOf(file, type)!));
  return [section('Calls and values of the context', calls), ...sections, ...further].join('\n\n');
}

/** A table of members below a heading. @throws Error for a member without a doc comment */
export function section(heading: string, members: readonly DeclaredMember[]): string {
  const bare = members.filter(({ text }) => text === '').map(({ name }) => name);
  if (bare.length > 0 || members.length === 0) throw new Error(`${heading}: no doc comment of ${bare.join(', ') || 'any member'}`);
  return `### ${heading}\n\n${table(
    ['Member', 'Description'],
    members.map(({ signature, text }) => [code(signature), text]),
  )}`;
}

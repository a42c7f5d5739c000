import type { Row } from './row.js';

/** What is really there, to compare the rows with. */
export interface Facts {
  /** As rows name tests. */
  readonly tests: ReadonlySet<string>;
  /** `GET /v1/media/{id}/content` */
  readonly routes: readonly string[];
  /** Names of the events that the core and the plugins announce. */
  readonly events: readonly string[];
  /** Events that the interface has no word for. */
  readonly ownEvents: readonly string[];
  readonly subscriptions: readonly string[];
}

/** What is wrong with the rows, in sentences; nothing when they say what is. */
export function faults(rows: readonly Row[], facts: Facts): string[] {
  return [
    ...repeatedIds(rows),
    ...rows.flatMap((row) => faultsOf(row, facts.tests)),
    ...routeFaults(rows, facts.routes),
    ...eventFaults(rows, facts),
  ];
}

const idShape = /^[a-z][a-z0-9-]*(\.[a-z0-9_-]+)+$/;

function repeatedIds(rows: readonly Row[]): string[] {
  return repeated(rows.map(({ id }) => id)).map((id) => `${id} is there twice`);
}

function faultsOf({ id, rule, status, tests = [], note }: Row, known: ReadonlySet<string>): string[] {
  const found: string[] = [];
  if (!idShape.test(id)) found.push(`${id} is no id of the form area.thing.detail`);
  if (rule.trim() === '') found.push(`${id} has no rule`);
  if (status === 'absent' && tests.length > 0) found.push(`${id} is absent and names a test`);
  if (status !== 'absent' && tests.length === 0) found.push(`${id} is ${status} and names no test`);
  if (status === 'partial' && !note) found.push(`${id} is partial and does not say what is missing`);
  if (isChoice(id) && status !== 'absent' && !note)
    found.push(`${id} is not shown in the interface, and the choice that was made is not noted`);
  for (const test of tests) if (!known.has(test)) found.push(`${id} names a test that does not exist: ${test}`);
  for (const test of repeated(tests)) found.push(`${id} names a test twice: ${test}`);
  return found;
}

/** Where the interface says that something is not shown, the choice is ours. */
const isChoice = (id: string): boolean => id.split('.').includes('not-shown');

function routeFaults(rows: readonly Row[], mounted: readonly string[]): string[] {
  const withRoute = rows.flatMap(({ id, status, route }) => (route === undefined ? [] : [{ id, status, route: withoutNames(route) }]));
  const there = new Set(mounted.map(withoutNames));
  const said = new Set(withRoute.filter(({ status }) => status !== 'absent').map(({ route }) => route));
  return [
    ...repeated(withRoute.map(({ route }) => route)).map((route) => `two rows are about ${route}`),
    ...withRoute.flatMap(({ id, status, route }) => {
      if (status === 'absent') return there.has(route) ? [`${id} is absent, but ${route} is mounted`] : [];
      return there.has(route) ? [] : [`${id} is ${status}, but ${route} is not mounted`];
    }),
    ...[...there].filter((route) => !said.has(route)).map((route) => `${route} is mounted, and no row that is done or partial is about it`),
  ];
}

/** Parameters have other names with us than in the interface. */
const withoutNames = (route: string): string => route.replace(/\/(?::\w+|\{\w+\})/g, '/{}');

function eventFaults(rows: readonly Row[], { events, ownEvents, subscriptions }: Facts): string[] {
  const of = (key: 'event' | 'subscription') => rows.flatMap((row) => (row[key] === undefined ? [] : [row[key]]));
  const [listed, kinds] = [of('event'), of('subscription')];
  return [
    ...missing([...listed, ...ownEvents], events).map((name) => `nobody announces the event ${name}`),
    ...missing(events, [...listed, ...ownEvents]).map((name) => `the event ${name} is neither in a row nor among our own`),
    ...listed.filter((name) => ownEvents.includes(name)).map((name) => `the event ${name} is in a row and among our own`),
    ...missing(kinds, subscriptions).map((kind) => `there is no subscription of kind ${kind}`),
    ...missing(subscriptions, kinds).map((kind) => `the subscription of kind ${kind} has no row`),
  ];
}

const missing = (some: readonly string[], all: readonly string[]): string[] => [...new Set(some)].filter((one) => !all.includes(one));
const repeated = (all: readonly string[]): string[] => [...new Set(all.filter((one, i) => all.indexOf(one) !== i))];

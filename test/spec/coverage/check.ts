import type { Row } from './row.js';

/** The tests, routes, events and subscriptions of the code; `faults` compares the rows with them. */
export interface Facts {
  /** Path and title, as rows name tests. */
  readonly tests: ReadonlySet<string>;
  /** `GET /v1/media/{id}/content` */
  readonly routes: readonly string[];
  /** Names of the events that the core and the plugins declare. */
  readonly events: readonly string[];
  /** Events that the interface does not define. */
  readonly ownEvents: readonly string[];
  readonly subscriptions: readonly string[];
}

/** Every contradiction between the rows and the code, one sentence each; empty if they agree. */
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
  return repeated(rows.map(({ id }) => id)).map((id) => `${id} appears twice`);
}

function faultsOf({ id, rule, status, tests = [], note }: Row, known: ReadonlySet<string>): string[] {
  const found: string[] = [];
  if (!idShape.test(id)) found.push(`${id} does not have the form area.thing.detail`);
  if (rule.trim() === '') found.push(`${id} has no rule`);
  if (status === 'absent' && tests.length > 0) found.push(`${id} is absent, but names a test`);
  if (status !== 'absent' && tests.length === 0) found.push(`${id} is ${status}, but names no test`);
  if (status === 'partial' && !note) found.push(`${id} is partial, but does not say what is missing`);
  if (isChoice(id) && status !== 'absent' && !note) found.push(`${id} is not shown in the interface, but has no note about our choice`);
  for (const test of tests) if (!known.has(test)) found.push(`${id} names a test that does not exist: ${test}`);
  for (const test of repeated(tests)) found.push(`${id} names a test twice: ${test}`);
  return found;
}

/** Whether the row is a choice of Posthorn, because the interface says that the point is not shown. */
const isChoice = (id: string): boolean => id.split('.').includes('not-shown');

function routeFaults(rows: readonly Row[], mounted: readonly string[]): string[] {
  const withRoute = rows.flatMap(({ id, status, route }) => (route === undefined ? [] : [{ id, status, route: withoutNames(route) }]));
  const mountedRoutes = new Set(mounted.map(withoutNames));
  const covered = new Set(withRoute.filter(({ status }) => status !== 'absent').map(({ route }) => route));
  return [
    ...repeated(withRoute.map(({ route }) => route)).map((route) => `two rows cover ${route}`),
    ...withRoute.flatMap(({ id, status, route }) => {
      if (status === 'absent') return mountedRoutes.has(route) ? [`${id} is absent, but ${route} is mounted`] : [];
      return mountedRoutes.has(route) ? [] : [`${id} is ${status}, but ${route} is not mounted`];
    }),
    ...[...mountedRoutes]
      .filter((route) => !covered.has(route))
      .map((route) => `${route} is mounted, but no row that is done or partial covers it`),
  ];
}

/** The route without parameter names, which differ between the interface and the code. */
const withoutNames = (route: string): string => route.replace(/\/(?::\w+|\{\w+\})/g, '/{}');

function eventFaults(rows: readonly Row[], { events, ownEvents, subscriptions }: Facts): string[] {
  const of = (key: 'event' | 'subscription') => rows.flatMap((row) => (row[key] === undefined ? [] : [row[key]]));
  const [listed, kinds] = [of('event'), of('subscription')];
  return [
    ...missing([...listed, ...ownEvents], events).map((name) => `the event ${name} is not declared in the code`),
    ...missing(events, [...listed, ...ownEvents]).map((name) => `the event ${name} is neither in a row nor in ownEvents`),
    ...listed.filter((name) => ownEvents.includes(name)).map((name) => `the event ${name} is both in a row and in ownEvents`),
    ...missing(kinds, subscriptions).map((kind) => `there is no subscription of kind ${kind}`),
    ...missing(subscriptions, kinds).map((kind) => `the subscription of kind ${kind} has no row`),
  ];
}

const missing = (some: readonly string[], all: readonly string[]): string[] => [...new Set(some)].filter((one) => !all.includes(one));
const repeated = (all: readonly string[]): string[] => [...new Set(all.filter((one, i) => all.indexOf(one) !== i))];

import { type Goal, type GoalName, goals, limitOf, written } from '../bench/goals/goals.js';
import { history, type Release } from '../bench/goals/history.js';
import { table } from './table.js';

/** The goals of speed, with the figures of each release. */
export function historyTable(): string {
  const releases = history();
  const rows = Object.entries<Goal>(goals).map(([name, goal]) => [
    goal.what,
    limitOf(goal),
    ...releases.map((release) => cellOf(release, name as GoalName, goal)),
  ]);
  const sources = releases.map(({ release, about }) => `- ${release}: ${about ?? 'not recorded yet'}.`);
  return `${table(['What', 'Goal', ...releases.map(({ release }) => release)], rows)}\n\n${sources.join('\n')}`;
}

function cellOf({ figures }: Release, name: GoalName, { unit }: Goal): string {
  const figure = figures[name];
  if (!figure) return '';
  const { value, min, max } = figure;
  const range = min === undefined || max === undefined ? '' : ` (${written(min, unit)} to ${written(max, unit)})`;
  return `${written(value, unit)}${range}`;
}

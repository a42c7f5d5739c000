import { availableParallelism, loadavg } from 'node:os';

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** The machine and its load, which figures depend on. */
export const machine = (): string => `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}, node ${process.version}`;

/** Prints a table, with the first column and those in `left` left-aligned and the others right-aligned, and the load of the machine. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[], left: readonly number[] = []): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const isLeft = (column: number): boolean => column === 0 || left.includes(column);
  for (const row of all) {
    const cells = row.map((cell, column) => (isLeft(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)));
    console.log(cells.join('  ').trimEnd());
  }
  console.log(machine());
}

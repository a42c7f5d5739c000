import { availableParallelism, loadavg } from 'node:os';

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Prints a table, with the first column left-aligned and the others right-aligned, and the load of the machine. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  for (const row of all) {
    console.log(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '));
  }
  console.log(`${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}, node ${process.version}`);
}

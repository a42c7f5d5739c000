import type { Machine } from './machine.js';
import type { Run } from './run.js';
import type { Fault } from './scenario.js';

/** Makes a fault happen. Returns a function that ends it. */
export type Begin = (run: Run, fault: Fault) => () => void;

export const machineOf = ({ machines }: Run, { target }: Fault): Machine => machines[target % machines.length]!;

import { objectAt } from '../compile.js';
import type { BlockType } from './block-type.js';

/** Leaves by a random exit, with probabilities proportional to the weights. */
export const random: BlockType = {
  settings: { weights: 'any' },

  enter(run) {
    const weights = Object.entries(objectAt(run.config, 'weights')).flatMap(([name, weight]) => {
      const exit = run.block.exits.find((candidate) => candidate.name === name || candidate.uuid === name);
      return exit && typeof weight === 'number' && weight > 0 ? [{ exit, weight }] : [];
    });
    let remaining = run.random() * weights.reduce((sum, { weight }) => sum + weight, 0);
    const drawn = weights.find(({ weight }) => {
      remaining -= weight;
      return remaining < 0;
    });
    return drawn ? { kind: 'continue', value: drawn.exit.name, exit: drawn.exit.uuid } : { kind: 'continue', value: null };
  },

  picks: (config) => Object.keys(objectAt(config, 'weights')),

  check({ config, exits }, report) {
    const weights = Object.entries(objectAt(config, 'weights'));
    if (weights.length === 0) report.error('config.weights', 'the weights are missing: give at least one exit a weight');
    for (const [name, weight] of weights) {
      if (!exits.some((exit) => exit.name === name || exit.uuid === name))
        report.error(`config.weights.${name}`, 'this block has no exit with this name or uuid');
      if (typeof weight !== 'number' || weight < 0) report.error(`config.weights.${name}`, 'a weight must be a number of 0 or more');
    }
  },
};

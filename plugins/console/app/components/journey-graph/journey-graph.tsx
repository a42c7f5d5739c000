import { lazyPart } from '../lazy-part.js';
import type { JourneyGraphProps } from './graph-props.js';

/** The graph of a journey. Its script is loaded when a graph is first shown; its container needs a height. */
export const JourneyGraph = lazyPart<JourneyGraphProps>(() => import('./drawn-graph.js'));

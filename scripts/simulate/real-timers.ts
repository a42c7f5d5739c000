/** The timers of Node, before the simulation replaces them. */
const { setImmediate, Date: RealDate, performance } = globalThis;
const { now } = performance;

export const realSetImmediate = setImmediate;
/** Real milliseconds; differences only. */
export const realNow = (): number => now.call(performance);
export const realDate = RealDate;

/** Runs in a worker thread: plain data in, plain data out. */
export default function average(stars: readonly number[]): number {
  return stars.reduce((sum, one) => sum + one, 0) / stars.length;
}

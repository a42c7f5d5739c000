/**
 * Resolves with the result of the work, or with undefined after `ms` milliseconds, for a route that answers while its work goes on.
 * Real time, not the platform's clock: a clock that is held would hold the answer too.
 */
export async function answeredWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let limit: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    limit = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(limit);
  }
}

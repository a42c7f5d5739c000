/**
 * Resolves with the result of `work`, or with undefined after `ms` milliseconds, for a route that responds before its work is done. Uses
 * real time, not the platform's clock: a stopped manual clock would otherwise delay the response.
 */
export async function answeredWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let limit: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    limit = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(limit);
  }
}
